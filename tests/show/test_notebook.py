"""A notebook that a real kernel executes: every cell has exactly one output, as text and as HTML or a
picture, and input errors are short.
"""

import base64
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

SETUP = """
import nlgauge
from nlgauge import plots
from nlgauge.meta import Judgments

lines = [f"the cat number {i} sat on the mat near {i + 3} dogs" for i in range(12)]
systems = {name: [" ".join(line.split()[n : 10 - (i + n) % 3]) for i, line in enumerate(lines)] for n, name in enumerate("ABC")}
humans = [{"system": name, "segment": i, "quality": 3 - n + i % 2} for n, name in enumerate("ABC") for i in range(12)]
r = nlgauge.score(systems, lines, metrics=["chrf", "wer"], fields={"kind": ["x", "y"] * 6})
judged = Judgments.from_result(r, humans)
compared = r.compare(resamples=100)
"""
SHOWN = {
    "result": "r",
    "groups": "r.by('kind')",
    "comparison": "compared",
    "worst": "r.worst('chrf', 3)",
    "explanations": "r.explain('wer', 0, 'A')",
    "explanation": "r.explain('wer', 0, 'A')[0]",
    "card": "nlgauge.card('wer')",
    "ranks": "r.ranks(resamples=100)",
    "correlations": "judged.correlate(interval=None)",
}
DRAWN = {
    "one axes": "plots.forest(compared, 'A', 'B')",
    "panels": "plots.intervals(r, resamples=100)",
    "panels of a study": "plots.heatmap(r)",
    "text": "plots.explanation(r.explain('wer', 0, 'A')[0])",
}
FAILING = {
    "shape": "nlgauge.score(['a'], ['b', 'c'])",
    "parameter": "nlgauge.score(['a'], ['b'], metrics='chrf(wordorder=2)')",
    "name": "r.worst('bleurt')",
    "metric of the notebook": (
        "def divided(prediction, reference):\n    return 1 / 0\n\nnlgauge.score(['a'], ['b'],"
        " metrics=nlgauge.metric_from(divided))"
    ),
}
OTHERS = {
    "length": "len(str(r))",
    "print": "print(r)",
    "file": "r.to_text('result.txt') == open('result.txt', encoding='utf-8').read()",
    "foreign axes": (
        "from matplotlib.figure import Figure; plots.forest(compared, 'A', 'B', ax=Figure().subplots())"
    ),
    "progress": (
        "import nlgauge._core.progress as bar; bar._PATIENCE = 0; nlgauge.score(systems, lines,"
        " metrics='wer', show_progress=True)"
    ),
}


@pytest.fixture(scope="module")
def cells(tmp_path_factory):
    """The outputs of each cell by its name."""
    folder = tmp_path_factory.mktemp("notebook")
    codes = {"setup": SETUP, **SHOWN, **DRAWN, **FAILING, **OTHERS}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in codes.values()])
    NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": str(folder)}},
    ).execute()
    return folder, {name: cell.outputs for name, cell in zip(codes, notebook.cells, strict=True)}


def only(outputs, kind="execute_result"):
    assert [output.output_type for output in outputs] == [kind]
    return outputs[0]


def test_setup_shows_nothing(cells):
    assert cells[1]["setup"] == []


@pytest.mark.parametrize("name", SHOWN)
def test_tables_appear_once_as_text_and_html(cells, name):
    data = only(cells[1][name]).data
    assert set(data) == {"text/plain", "text/html"}
    assert data["text/plain"].strip()
    assert "<table" in data["text/html"] or "<div" in data["text/html"]


@pytest.mark.parametrize("name", DRAWN)
def test_plots_show_themselves(cells, name):
    data = only(cells[1][name]).data
    assert set(data) == {"text/plain", "image/png"}
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG")


def test_plots_on_the_axes_of_users_are_left_to_them(cells):
    assert set(only(cells[1]["foreign axes"]).data) == {"text/plain"}


@pytest.mark.parametrize("name", FAILING)
def test_errors_of_input_are_short(cells, name):
    error = only(cells[1][name], "error")
    lines = "\n".join(error.traceback).split("\n")
    assert lines[-1] == f"{error.ename}: {error.evalue}"
    assert "cell, line" in lines[0]
    assert len(lines) <= (9 if name == "metric of the notebook" else 3)
    assert not any("site-packages" in line or "src/nlgauge" in line for line in lines)


def test_errors_in_metrics_of_users_name_their_line(cells):
    lines = "\n".join(cells[1]["metric of the notebook"][0].traceback).split("\n")
    assert lines[:3] == ["cell, line 2:", "    return 1 / 0", "ZeroDivisionError: division by zero"]


def test_text_is_whole(cells):
    folder, outputs = cells
    text = only(outputs["print"], "stream").text
    assert only(outputs["length"]).data["text/plain"] == str(len(text) - 1)
    assert text.count("chrf") == text.count("wer") == 1
    assert only(outputs["file"]).data["text/plain"] == "True"
    assert "chrf" in Path(folder / "result.txt").read_text("utf-8")


def test_progress_needs_no_other_package(cells):
    bar, result = cells[1]["progress"][:-1], cells[1]["progress"][-1]
    assert {output.output_type for output in bar} == {"stream"}
    assert "12/12" in "".join(output.text for output in bar)
    assert "ipywidgets" not in "".join(output.text for output in bar)
    assert result.output_type == "execute_result"
