"""What all plots share: the canvas, the places of labels, names that are shown as they are, and inputs
that no plot can show.
"""

import io
import itertools
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib as mpl
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from nlgauge.errors import InputError, MissingExtraError, ParameterError
from nlgauge.meta import (
    Findings,
    Judgments,
    between_metrics,
    compare,
    correlate,
    stress,
    top_systems,
    williams_power,
)
from nlgauge.meta.papers.cosmic import InformationGraph
from nlgauge.show.plots import canvas
from nlgauge.show.plots import meta as plots
from nlgauge.show.plots.meta import labels
from tests.show.plots.drawn import check_readable, covering, cut_off, texts, words

NAMES = ["a$b$", "under_score", r"\frac{x}", "Ünïcode", "%&#~^"]


def judged(metrics=5, systems=8, segments=12, seed=0):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, 1))
    humans = quality + rng.normal(size=(systems, segments))
    names = [*NAMES, *(f"metric {i}" for i in range(metrics))][:metrics]
    scores = {
        name: quality * (i + 1) / metrics + rng.normal(size=(systems, segments))
        for i, name in enumerate(names)
    }
    return Judgments.from_arrays(
        {"$human_1$": humans}, scores, systems=[f"sys_{i}$x$" for i in range(systems)]
    )


def stressed(metrics=NAMES):
    kinds = [("negation", "critical"), ("word_order$x$", "minor")]
    rows = [
        {
            "metric": metric,
            "phenomenon": kind,
            "severity": severity,
            "detected": 0.1 * (i + 1),
            "tied": 0.2,
            "low": 0.05,
            "high": 0.9,
        }
        for i, metric in enumerate(metrics)
        for kind, severity in kinds
    ]
    return Findings(rows)


def graph(systems=6, seed=0):
    information = np.random.default_rng(seed).gamma(2, 0.5, (systems, systems))
    np.fill_diagonal(information, np.nan)
    return InformationGraph(
        tuple(f"sys_{i}$x$" for i in range(systems)), information, np.zeros((systems, systems))
    )


def power_rows():
    return Findings(
        [
            {"metric": "a$b$", "other": other, "systems": n, "power": n / 50, "standard_error": 0.01}
            for other in "xy_"
            for n in (8, 16, 32)
        ]
    )


def swept():
    return Findings(
        [
            {"metric": name, "k_$n$": k, "value": 0.1 * k, "low": 0.1 * k - 0.1, "high": 0.1 * k + 0.1}
            for name in NAMES
            for k in (1, 2, 3)
        ]
    )


def correlated():
    return correlate(judged(), coefficient="kendall", resamples=20)


EVERY = {
    "heatmap": lambda **k: plots.heatmap(between_metrics(judged()), **k),
    "scatter": lambda **k: plots.scatter(judged(), "under_score", resamples=20, **k),
    "forest": lambda **k: plots.forest(correlated(), **k),
    "pareto": lambda **k: plots.pareto(
        correlated().where(level="system"), {name: 3.0**i for i, name in enumerate(NAMES)}, **k
    ),
    "winmatrix": lambda **k: plots.winmatrix(compare(judged(), resamples=50), **k),
    "bins": lambda **k: plots.bins(
        dict(zip(NAMES, judged().metrics.values(), strict=True)), metric="$m$", **k
    ),
    "sweep": lambda **k: plots.sweep(swept(), "k_$n$", **k),
    "calibration": lambda **k: plots.calibration(judged(), "a$b$", resamples=20, **k),
    "landscape": lambda **k: plots.landscape(
        judged(), "a$b$", extremes={"empty_$": -1.0, "copy": -1.05}, **k
    ),
    "topk": lambda **k: plots.topk(top_systems(judged()), **k),
    "stress": lambda **k: plots.stress(stressed(), **k),
    "hierarchy": lambda **k: plots.hierarchy(graph(), **k),
    "power": lambda **k: plots.power(power_rows(), **k),
}


def test_every_plot_is_tried_here():
    assert sorted([*EVERY, "quality_bins"]) == plots.__all__


@pytest.mark.parametrize("name", EVERY)
def test_every_plot_is_readable_and_touches_nothing_global(name):
    before = dict(mpl.rcParams)
    figure = EVERY[name]()
    check_readable(figure)
    assert isinstance(figure, Figure)
    assert dict(mpl.rcParams) == before
    for kind in ("pdf", "svg"):
        held = io.BytesIO()
        figure.savefig(held, format=kind)
        assert held.tell() > 1000
    assert figure._repr_png_()[1:4] == b"PNG"


@pytest.mark.parametrize("name", EVERY)
def test_names_are_never_taken_for_formulas(name):
    for text in texts(EVERY[name]()):
        if "$" in text.get_text():
            assert not text.get_parse_math(), text.get_text()
            assert not text.get_usetex()


@pytest.mark.parametrize("name", EVERY)
def test_a_plot_may_be_part_of_a_larger_figure(name):
    whole = Figure(figsize=(16, 9), layout="constrained")
    left, right = whole.subfigures(1, 2)
    for part in (left, right):
        assert EVERY[name](figure=part) is part
    check_readable(whole)


def test_a_figure_without_a_layout_gets_one():
    own = Figure(figsize=(7, 4))
    assert plots.forest(correlated(), figure=own) is own
    check_readable(own)


def test_drawing_needs_no_pyplot():
    code = (
        "import sys; import nlgauge.show.plots.meta; print(*(name for name in ('matplotlib',"
        " 'matplotlib.pyplot') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["matplotlib"]


def test_without_matplotlib_the_error_says_what_to_install():
    code = "import sys; sys.modules['matplotlib'] = None\nfrom nlgauge.meta import plots"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert (
        f'{MissingExtraError.__name__}: drawing needs matplotlib; run: pip install "nlgauge[plot]"'
        in done.stderr
    )


def of_every_kind():
    given = judged()
    return {
        "forest": given.correlate(level="system", coefficient="kendall", resamples=20),
        "winmatrix": given.compare(resamples=20),
        "heatmap": given.between_metrics(),
        "topk": given.top_systems(ks=[4, 8]),
        "stress": stress(
            ["chrf", "f1"],
            ["a good cat sat", "7 birds sing"],
            [["a cat sat"], ["7 birds sang"]],
            perturbations=["word_order"],
        ),
        "power": williams_power(r1=0.7, r2=0.6, r12=0.8, n=[8, 16], resamples=50),
    }


def test_tables_draw_themselves_as_the_plot_of_their_kind():
    for kind, found in of_every_kind().items():
        assert words(found.plot()) == words(getattr(plots, kind)(found)), kind
        assert isinstance(found.plot(figure=Figure()), Figure)


def test_plots_are_written_where_they_are_asked_for(tmp_path):
    found = judged().between_metrics()
    for form, start in ((".pdf", b"%PDF"), (".png", b"\x89PNG"), (".SVG", b"<?xml")):
        assert isinstance(found.plot(tmp_path / f"plot{form}"), Figure)
        assert (tmp_path / f"plot{form}").read_bytes().startswith(start)
    with pytest.raises(InputError, match=r"ends with \.pdf, \.png or \.svg, got '.*plot\.gif'"):
        found.plot(tmp_path / "plot.gif")
    with pytest.raises(ParameterError, match=r"there is no directory .*none to write plot\.pdf to"):
        found.plot(tmp_path / "none" / "plot.pdf")


def test_colours_differ_in_lightness():
    def lightness(colour):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
        y = float(np.dot(linear, (0.2126, 0.7152, 0.0722)))
        return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y

    found = sorted(map(lightness, canvas.COLOURS))
    assert min(b - a for a, b in itertools.pairwise(found)) > 7
    assert found[-1] < 90
    assert len(set(canvas.looks(24))) == 24
    assert len({(look.colour, look.marker) for look in canvas.looks(24)}) == 24


def test_the_check_of_texts_sees_what_covers_and_what_is_cut():
    figure = Figure(figsize=(3, 3))
    figure.text(0.5, 0.5, "one")
    figure.text(0.52, 0.5, "two")
    figure.text(0.97, 0.9, "beyond the page")
    assert covering(figure) == [("one", "two")]
    assert cut_off(figure) == ["beyond the page"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(0, 100), max_size=12), st.floats(0.1, 8))
def test_heights_are_moved_apart_in_order(heights, gap):
    found = labels.apart(np.array(heights), gap, 0.0, 100.0)
    order = np.argsort(heights, kind="stable")
    assert (np.diff(found[order]) >= gap - 1e-9).all()
    assert ((found >= -1e-9) & (found <= 100 + 1e-9)).all()
    if len(heights) > 1 and np.diff(np.sort(heights)).min() >= gap:
        assert found == pytest.approx(heights, abs=1e-9)


def test_points_in_a_heap_keep_their_names_apart():
    rng = np.random.default_rng(1)
    figure = canvas.canvas(None, 4, 4)
    ax = figure.subplots()
    x, y = rng.normal(0, 0.1, (2, 25))
    ax.plot(x, y, "o")
    ax.set(xlim=(-1, 1), ylim=(-1, 1))
    made = labels.name_points(ax, x, y, [f"system {i}" for i in range(25)])
    assert len(made) == 25
    check_readable(figure)


def test_a_name_without_room_is_told_of():
    figure = canvas.canvas(None, 2, 2)
    ax = figure.subplots()
    ax.set(xlim=(-1, 1), ylim=(-1, 1))
    with pytest.warns(UserWarning, match="no room for the names of a very"):
        made = labels.name_points(ax, [0, np.nan], [0, 1], ["a very " + "long " * 20 + "name", "unknown"])
    assert made == []


def test_rows_of_several_kinds_are_refused():
    found = Findings(
        [{"metric": "a", "other": "b", "value": 0.1, "level": level} for level in ("system", "input")]
    )
    with pytest.raises(
        InputError, match=r"2 values of 'level': 'system', 'input'; choose with .where\(level='system'\)"
    ):
        plots.heatmap(found)


@pytest.mark.parametrize(
    "plot",
    [
        plots.heatmap,
        plots.forest,
        plots.topk,
        plots.stress,
        plots.power,
        lambda found: plots.sweep(found, "k"),
    ],
)
def test_no_rows_and_rows_of_another_kind_are_refused(plot):
    with pytest.raises(InputError, match="needs rows, there are none"):
        plot(Findings([]))
    with pytest.raises(InputError, match="needs the columns"):
        plot(Findings([{"something": 1}]))


def test_many_and_long_names():
    long = [f"a rather long name of a metric, number {i}" for i in range(30)]
    rows = [
        {"metric": name, "level": "system", "value": i / 30, "low": i / 30 - 0.1, "high": i / 30 + 0.1}
        for i, name in enumerate(long)
    ]
    pairs = [{"metric": a, "other": b, "value": 0.5} for a, b in itertools.combinations(long[:20], 2)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for figure in (
            plots.forest(Findings(rows)),
            plots.heatmap(Findings(pairs)),
            plots.stress(stressed(long[:5])),
            plots.hierarchy(graph(30)),
        ):
            check_readable(figure)
    assert long[0] in words(plots.forest(Findings(rows)))


def test_long_titles_are_on_several_lines():
    name = "a name that has a good many words, more than a narrow figure has room for"
    given = Judgments.from_arrays({"human " * 12: [[1, 2], [3, 4], [5, 7]]}, {name: [[1, 2], [2, 4], [5, 7]]})
    rows = [
        {"metric": name, "other": name[::-1], "effect": 0.1, "systems": n, "power": n / 50} for n in (8, 16)
    ]
    drawn = [
        plots.power(Findings(rows)),
        plots.scatter(given, name, resamples=20),
        plots.calibration(given, name, resamples=20),
        plots.landscape(given, name),
        plots.topk(top_systems(given, ks=[2, 3])),
        plots.bins({"a group": [1, 2]}, metric=name, title=name),
        plots.heatmap(
            Findings(
                [{"metric": "a", "other": "b", "value": 0.5, "coefficient": "a coefficient of a long name"}]
            )
        ),
    ]
    for figure in drawn:
        check_readable(figure)
    assert name in " ".join(words(drawn[1])).replace("\n", " ")


PAGE = Path(__file__).parents[3] / "docs" / "plots.md"


@pytest.mark.parametrize("number", [0, 1])
def test_the_page_of_plots_runs_as_printed(number, tmp_path):
    codes = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(codes) == 2
    subprocess.run([sys.executable, "-W", "error", "-c", codes[number]], cwd=tmp_path, check=True)
    saved = {file.stem for file in tmp_path.iterdir()}
    assert saved == set(re.findall(r'"(\w+)\.pdf"', codes[number]))


def test_the_page_of_plots_names_them_all_and_shows_each():
    import nlgauge.plots

    ours, theirs = PAGE.read_text("utf-8").split("## Plots of meta-evaluation")
    assert sorted(re.findall(r"^\| `(\w+)` \|", theirs, re.MULTILINE)) == sorted(EVERY)
    named = {
        name
        for row in re.findall(r"^\| (`.*?) \|", ours, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }
    assert named == set(nlgauge.plots.__all__) - {"save", "alt", "explanation"}
    pictures = set(re.findall(r"\(pictures/(\w+)\.png\)", ours))
    # Models of these kinds are too large to make a picture with.
    assert named - {"errors", "entailment", "verdict"} <= pictures
    for name in pictures:
        assert 1000 < (PAGE.parent / "pictures" / f"{name}.png").stat().st_size < 60_000, name
