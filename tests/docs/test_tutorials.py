"""Tutorials use public names only, have all parts of a tutorial, and run as notebooks."""

from __future__ import annotations

import ast
import copy
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from nlgauge import testing
from tools.site.api import names

TUTORIALS = {
    path.stem: path for path in sorted((Path(__file__).parents[2] / "docs" / "tutorials").glob("plot_*.py"))
}
# Every `make test` runs these notebooks; `make docs` executes all scripts, and `make test-thorough` runs all notebooks.
QUICK = ("plot_compare_two_systems", "plot_references_how_many", "plot_table_of_a_paper")
PUBLIC = {
    **{
        module: {*names(module), *more}
        for module, more in {
            "nlgauge": ("meta", "plots"),
            "nlgauge.meta": (),
            "nlgauge.plots": (),
            "nlgauge.compat.nlgmetricverse": (),
        }.items()
    },
    "nlgauge.testing": set(testing.__all__),
}


@pytest.fixture(params=TUTORIALS)
def source(request: pytest.FixtureRequest) -> str:
    return TUTORIALS[request.param].read_text("utf-8")


def test_a_tutorial_uses_public_names_only(source: str) -> None:
    tree = ast.parse(source)
    modules = {"nlgauge": "nlgauge"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert not [alias.name for alias in node.names if alias.name.startswith("nlgauge.")]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("nlgauge"):
            module = node.module or ""
            assert {alias.name for alias in node.names} <= PUBLIC[module], module
            modules |= {
                alias.name: f"nlgauge.{alias.name}"
                for alias in node.names
                if f"nlgauge.{alias.name}" in PUBLIC
            }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            assert node.attr in PUBLIC[modules[node.value.id]]


def test_a_tutorial_has_its_parts(source: str) -> None:
    titles = re.findall(r"^# (.+)\n# -{3,}$", source, re.MULTILINE)
    assert "Data" in titles
    assert titles[-1] == "What this does not show"
    assert len(titles) >= 5
    assert "plots." in source or "plt.subplots" in source or ".plot()" in source
    assert "# See also: :doc:" in source


def notebook_of(path: Path, folder: Path) -> Any:
    """Return the notebook that sphinx-gallery offers for download with a script."""
    pytest.importorskip("sphinx_gallery", reason="sphinx-gallery is not installed (dependency group docs)")
    from sphinx_gallery.gen_gallery import DEFAULT_GALLERY_CONF
    from sphinx_gallery.notebook import jupyter_notebook, save_notebook
    from sphinx_gallery.py_source_parser import split_code_and_text_blocks

    _, blocks = split_code_and_text_blocks(str(path))
    file = folder / f"{path.stem}.ipynb"
    save_notebook(jupyter_notebook(blocks, copy.deepcopy(DEFAULT_GALLERY_CONF), str(folder)), file)
    return nbformat.read(file, as_version=4)


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.thorough) for name in TUTORIALS]
)
def test_a_notebook_runs_in_a_kernel(name: str, tmp_path: Path) -> None:
    client = pytest.importorskip("nbclient")
    notebook = notebook_of(TUTORIALS[name], tmp_path)
    client.NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any(output.output_type == "stream" for output in outputs)
    assert any("image/png" in output.get("data", {}) for output in outputs)
