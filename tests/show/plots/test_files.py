"""Figures as files: reproducible, with text as text, in fonts that have its characters."""

import io
import warnings

import pytest

pytest.importorskip("matplotlib")

import matplotlib as mpl
from matplotlib.axes import Axes

import nlgauge
from nlgauge import plots
from nlgauge.errors import InputError, ParameterError
from tests.show.plots.test_every_plot import SCORED, judged


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
def test_files_are_the_same_each_time_and_say_what_is_seen(form, tmp_path):
    files = [plots.save(plots.waterfall(SCORED, "chrf"), tmp_path / f"{name}.{form}") for name in "ab"]
    assert files[0].read_bytes() == files[1].read_bytes()
    held = io.BytesIO()
    plots.waterfall(SCORED, "chrf").figure.savefig(held, format=form, dpi=200)
    assert held.getvalue() == files[0].read_bytes()
    if form == "svg":
        text = files[0].read_text("utf-8")
        assert "<title>Gains in chrf (higher is better) of 3 segments:" in text
        assert "dc:date" not in text
        assert "segments, sorted</text>" in text


def test_plots_are_written_where_they_are_asked_for(tmp_path):
    found = judged().between_metrics()
    for form, start in ((".pdf", b"%PDF"), (".png", b"\x89PNG"), (".SVG", b"<?xml")):
        assert isinstance(found.plot(tmp_path / f"plot{form}")[0], Axes)
        assert (tmp_path / f"plot{form}").read_bytes().startswith(start)
    with pytest.raises(InputError, match=r"\.pdf, \.png or \.svg.*plot\.gif'"):
        found.plot(tmp_path / "plot.gif")
    with pytest.raises(ParameterError, match=r"plot\.pdf.*directory"):
        found.plot(tmp_path / "none" / "plot.pdf")


def test_characters_that_a_font_lacks_come_from_another_one(monkeypatch, tmp_path):
    from nlgauge.show.plots import fonts

    monkeypatch.setattr(fonts, "FALLBACKS", ("No Such Font", "DejaVu Sans"))
    fonts._installed.cache_clear()
    texts = ["a cat", "a dog", "two cats"]
    result = nlgauge.score({"\u0436\u0436": texts, "plain": texts[::-1]}, texts, metrics=["chrf"])
    with mpl.rc_context({"font.family": ["cmr10"], "axes.formatter.use_mathtext": True}):
        axes = plots.intervals(result, resamples=20)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            plots.save(axes, tmp_path / "names.png")
        families = {label.get_text(): label.get_fontfamily() for label in axes.get_yticklabels()}
    fonts._installed.cache_clear()
    assert families == {"\u0436\u0436": ["cmr10", "DejaVu Sans"], "plain": ["cmr10"]}
