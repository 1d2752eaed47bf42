"""What every plot promises: a signature that says what it takes, names that are shown as they are, texts that
do not cover each other, words for those who do not see it, and `ax=`.
"""

import inspect
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
from matplotlib.figure import Figure

import nlgauge
from nlgauge import plots
from nlgauge.errors import InputError, MissingExtraError
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
from nlgauge.show.plots.explanations.explanation import KINDS
from tests.show.plots.drawn import check_readable, figure_of, texts, words
from tests.show.plots.explanations.explained_cases import every_kind

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


SCORED = nlgauge.score(
    {"sys_0$x$": ["a red car", "two dogs", "the cat"], "sys_1$x$": ["a car", "the dog", "the cat"]},
    ["a red car", "the dogs", "a cat"],
    metrics=["bleu", "chrf", "ter"],
)
EVERY = {
    "alignment": lambda **k: plots.alignment(every_kind()["Alignment"], **k),
    "by_model": lambda **k: plots.by_model({"sys_0$x$": 1.0, "b_$": 0.5}, **k),
    "calibration": lambda **k: plots.calibration(judged(), "a$b$", resamples=20, **k),
    "distributions": lambda **k: plots.distributions(
        dict(zip(NAMES, judged().metrics.values(), strict=True)), "$m$", **k
    ),
    "embedding_map": lambda **k: plots.embedding_map({"s_$x$": np.eye(4)}, **k),
    "error_bound": lambda **k: plots.error_bound({"sys_0$x$": 1.0}, **k),
    "forest": lambda **k: plots.forest(correlated(), **k),
    "heatmap": lambda **k: plots.heatmap(between_metrics(judged()), **k),
    "human_map": lambda **k: plots.human_map(judged(), **k),
    "information_graph": lambda **k: plots.information_graph(graph(), **k),
    "intervals": lambda **k: plots.intervals(SCORED, resamples=20, **k),
    "landscape": lambda **k: plots.landscape(
        judged(), "a$b$", extremes={"empty_$": -1.0, "copy": -1.05}, **k
    ),
    "pareto": lambda **k: plots.pareto(
        correlated().where(level="system"), {name: 3.0**i for i, name in enumerate(NAMES)}, **k
    ),
    "power": lambda **k: plots.power(power_rows(), **k),
    "profiles": lambda **k: plots.profiles(swept(), "k_$n$", **k),
    "scatter": lambda **k: plots.scatter(judged(), "under_score", resamples=20, **k),
    "stress": lambda **k: plots.stress(stressed(), **k),
    "sweep": lambda **k: plots.sweep(swept(), "k_$n$", **k),
    "taxonomy": plots.taxonomy,
    "topk": lambda **k: plots.topk(top_systems(judged()), **k),
    "waterfall": lambda **k: plots.waterfall(SCORED, "chrf", **k),
    "winmatrix": lambda **k: plots.winmatrix(compare(judged(), resamples=50), **k),
}
# The same plots of other data, which have other panels.
FURTHER = {
    "forest of systems": lambda **k: plots.forest(SCORED, resamples=20, **k),
    "forest of one level": lambda **k: plots.forest(correlated().where(level="system"), **k),
    "heatmap of a result": lambda **k: plots.heatmap(SCORED, **k),
    "intervals of one metric": lambda **k: plots.intervals(SCORED, "chrf", resamples=20, **k),
    "stress of one metric": lambda **k: plots.stress(stressed(NAMES[:1]), **k),
    "distributions of a result": lambda **k: plots.distributions(SCORED, "chrf", **k),
    "distributions of judgments": lambda **k: plots.distributions(judged(), "a$b$", **k),
    "scatter of outputs": lambda **k: plots.scatter(judged(), "a$b$", level="global", **k),
}
ALL = {**EVERY, **FURTHER}
SEVERAL = {"forest", "heatmap", "intervals", "stress", "heatmap of a result"}


def test_every_plot_is_tried_here():
    of_explanations = {function.__name__ for function in KINDS.values()}
    assert {*EVERY, *of_explanations, "explanation", "save", "alt", "preset"} == set(plots.__all__)


@pytest.mark.parametrize("name", sorted(set(plots.__all__) - {"save", "alt", "preset"}))
def test_signatures_and_texts_say_what_a_plot_takes_and_returns(name):
    function = getattr(plots, name)
    parameters = inspect.signature(function).parameters
    assert not [p for p in parameters.values() if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    assert parameters["ax"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["ax"].default is None
    assert "Any" not in str(inspect.signature(function).return_annotation)
    text = inspect.getdoc(function)
    documented = re.findall(r"^(\w[\w, ]*) : ", text.split("Returns\n---")[0], re.MULTILINE)
    assert [word for line in documented for word in line.split(", ")] == list(parameters)
    first = text.splitlines()[0]
    assert first.startswith("Draw ")
    assert first.endswith(".")


@pytest.mark.parametrize("name", ALL)
def test_a_plot_is_readable_says_what_is_seen_and_touches_nothing_global(name):
    before = dict(mpl.rcParams)
    axes = ALL[name]()
    check_readable(axes)
    for text in texts(axes):
        if "$" in text.get_text():
            assert not text.get_parse_math(), text.get_text()
            assert not text.get_usetex()
    assert plots.alt(axes).endswith(".")
    assert axes._repr_png_()[1:4] == b"PNG"
    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize("name", ALL)
def test_a_plot_draws_on_an_axes_or_takes_its_place(name):
    whole = Figure(figsize=(18, 9), layout="constrained")
    left, right = whole.subplots(1, 2)
    axes, mine = ALL[name](ax=left), ALL[name](ax=right)
    check_readable(whole)
    if name in SEVERAL:
        assert axes.shape == mine.shape
        assert left not in whole.axes
        assert {ax.figure.figure for ax in axes} == {whole}
    else:
        assert (axes, mine) == (left, right)
        assert not hasattr(axes, "_repr_png_")


def test_panels_take_the_place_of_an_axes_of_any_figure():
    bare = Figure(figsize=(7, 4))
    axes = plots.forest(correlated(), ax=bare.subplots())
    assert figure_of(axes) is bare
    check_readable(axes)
    free = Figure(figsize=(6, 4))
    axes = plots.heatmap(between_metrics(judged(3)), ax=free.add_axes((0.1, 0.1, 0.8, 0.8)))
    assert figure_of(axes) is free
    own = Figure(figsize=(6, 4)).add_axes((0.1, 0.1, 0.8, 0.8))
    assert plots.sweep(swept(), "k_$n$", ax=own) is own


def test_drawing_needs_no_pyplot():
    code = (
        "import sys; from nlgauge import plots; plots.forest; print(*(name for name in ('matplotlib',"
        " 'matplotlib.pyplot') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["matplotlib"]


def test_without_matplotlib_the_error_says_what_to_install():
    code = "import sys; sys.modules['matplotlib'] = None\nfrom nlgauge import plots; plots.forest"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert (
        f'{MissingExtraError.__name__}: drawing needs matplotlib; run: pip install "nlgauge[plot]"'
        in done.stderr
    )


def test_matplotlib_is_imported_on_first_use():
    code = (
        "import sys; from nlgauge import plots; print('matplotlib' in sys.modules); plots.intervals;"
        " print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
    blocked = "import sys; sys.modules['matplotlib'] = None\nfrom nlgauge import plots; plots.intervals"
    failed = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True, check=False)
    assert 'drawing needs matplotlib; run: pip install "nlgauge[plot]"' in failed.stderr


def test_every_name_is_there():
    assert all(callable(getattr(plots, name)) for name in plots.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'pie'"):
        plots.pie  # noqa: B018


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
        figure = Figure(figsize=(9, 9), layout="constrained")
        assert figure_of(found.plot(ax=figure.subplots())) is figure


def test_rows_of_several_kinds_are_refused():
    found = Findings(
        [{"metric": "a", "other": "b", "value": 0.1, "level": level} for level in ("system", "input")]
    )
    with pytest.raises(InputError, match=r"2.*'level'.*'system', 'input'.*.where\(level='system'\)"):
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
    with pytest.raises(InputError, match="needs rows"):
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
        forest = plots.forest(Findings(rows))
        for figure in (
            forest,
            plots.heatmap(Findings(pairs)),
            plots.stress(stressed(long[:5])),
            plots.information_graph(graph(30)),
        ):
            check_readable(figure)
    assert long[0] in words(forest)


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
        plots.distributions({"a group": [1, 2]}, name, title=name),
        plots.heatmap(
            Findings(
                [{"metric": "a", "other": "b", "value": 0.5, "coefficient": "a coefficient of a long name"}]
            )
        ),
    ]
    for figure in drawn:
        check_readable(figure)
    assert name in " ".join(words(drawn[1])).replace("\n", " ")


DOCS = Path(__file__).parents[3] / "docs"
PAGE = "".join((DOCS / "howto" / name).read_text("utf-8") for name in ("figures.md", "study-figures.md"))


@pytest.mark.parametrize("number", [0, 1])
def test_the_pages_of_plots_run_as_printed(number, tmp_path, monkeypatch):
    codes = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(codes) == 2
    monkeypatch.chdir(tmp_path)
    exec(codes[number], {})
    saved = {file.stem for file in tmp_path.iterdir()}
    assert saved == set(re.findall(r'"(\w+)\.pdf"', codes[number]))


def test_the_pages_of_plots_name_them_all_and_show_each():
    named = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert sorted(named) == sorted(set(plots.__all__) - {"save", "alt", "preset", "explanation"})
    pictures = set(re.findall(r"\(\.\./pictures/(\w+)\.png\)", PAGE))
    assert set(named) <= pictures
    for name in pictures:
        assert 1000 < (DOCS / "pictures" / f"{name}.png").stat().st_size < 60_000, name
