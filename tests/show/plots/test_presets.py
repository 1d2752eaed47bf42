"""Presets: the width, height and letters of a paper's figures, whatever is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")

from matplotlib.lines import Line2D

import nlgauge
from nlgauge import plots
from nlgauge.errors import InputError, ParameterError
from nlgauge.results.result import Result
from nlgauge.show.plots.presets import PRESETS
from nlgauge.show.plots.results.intervals import interval_pages
from tests.show.plots.drawn import check_readable, figure_of, texts

_WIDTHS = {"acl": 3.03, "acl-wide": 6.30, "ieee": 3.5, "lncs": 4.8, "neurips": 5.5, "slide": 10.0}


@pytest.fixture(scope="module")
def result() -> Result:
    lines = [f"the ferry number {i} leaves at ten" for i in range(12)]
    systems = {
        name: [line[place * 4 :] for line in lines]
        for place, name in enumerate(("baseline", "ours", "other"))
    }
    return nlgauge.score(systems, [[line] for line in lines], metrics=["bleu", "chrf", "ter", "rouge"])


def drawn(result: Result, kind: str) -> Any:
    calls = {
        "intervals": lambda: plots.intervals(result, ["chrf", "ter"], resamples=20),
        "forest": lambda: plots.forest(result, "baseline", "ours", resamples=20),
        "waterfall": lambda: plots.waterfall(result, "chrf", "baseline", "ours"),
        "heatmap": lambda: plots.heatmap(result),
    }
    return figure_of(calls[kind]())


def test_the_presets_are_those_of_the_list() -> None:
    assert {name: preset.width for name, preset in PRESETS.items()} == _WIDTHS


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "forest") for name in _WIDTHS),
        *((name, kind) for name in ("acl", "slide") for kind in ("intervals", "waterfall", "heatmap")),
    ],
)
def test_a_preset_fixes_width_text_and_lines(name: str, kind: str, result: Result, tmp_path: Path) -> None:
    with plots.preset(name):
        figure = drawn(result, kind)
    width, height = figure.get_size_inches()
    size, most = (14.0, 5.6) if name == "slide" else (8.0, 8.5)
    assert width == pytest.approx(_WIDTHS[name])
    assert height <= most + 1e-9
    seen = texts(figure)
    assert seen
    # Numbers in the cells of a map are smaller.
    sizes = {text.get_fontsize() for text in seen}
    assert max(sizes) == size
    assert len(sizes) == (2 if kind == "heatmap" else 1)
    assert not [text.get_text() for text in seen if "nan" in text.get_text() or text.get_text() == "-0"]
    assert max(line.get_linewidth() for line in figure.findobj(Line2D)) <= 0.6 * size / 8 + 1e-9
    check_readable(figure)
    plots.save(figure, tmp_path / "f.svg")
    assert f'width="{72 * _WIDTHS[name]:g}pt"' in (tmp_path / "f.svg").read_text("utf-8")


def test_figures_outside_the_block_and_on_axes_of_the_caller_stay(result: Result) -> None:
    before = drawn(result, "forest").get_size_inches().tolist()
    with plots.preset("acl"):
        pass
    assert drawn(result, "forest").get_size_inches().tolist() == before
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5, 4))
    with plots.preset("slide"):
        plots.forest(result, "baseline", "ours", resamples=20, ax=figure.subplots())
    assert figure.get_size_inches().tolist() == [5, 4]


def test_what_is_too_high_is_an_error_or_several_pages(result: Result) -> None:
    names = ["bleu", "chrf", "ter", "rouge.rougeL", "rouge.rouge2", "rouge.rouge1"] * 2
    assert interval_pages(result, names) == [names]
    with plots.preset("acl"):
        pages = interval_pages(result, names)
        with pytest.raises(
            InputError, match=r"needs a height of 17\.\d inches, but the preset acl has at most 8\.5"
        ):
            plots.intervals(result, names, resamples=20)
        assert [name for page in pages for name in page] == names
        assert len(pages) == 3
        for page in pages:
            assert figure_of(plots.intervals(result, page, resamples=20)).get_size_inches()[1] <= 8.5
    with (
        pytest.raises(ParameterError, match=r"unknown preset 'aacl' .did you mean 'acl'"),
        plots.preset("aacl"),
    ):
        pass
