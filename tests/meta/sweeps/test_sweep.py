"""nlgauge.meta.sweep: points, choice, what is scored at once, errors, and the command."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from human_judgments import path_of

import nlgauge
from nlgauge import plots
from nlgauge.cli.commands import app
from nlgauge.errors import InputError, NlgaugeError, ParameterError
from nlgauge.meta import Findings, Judgments, sweep
from nlgauge.meta.benchmarks import load
from nlgauge.meta.sweeps.grid import grid_of, joined
from nlgauge.meta.sweeps.swept import swept
from nlgauge.metric import REGISTERED
from nlgauge.metric.registry import make, parse
from nlgauge.metrics.infolm import InfoLM

GRID = {"beta": [1, 2], "word_order": [0, 2]}


@pytest.fixture(scope="module")
def sample():
    return load("sample")


@pytest.fixture(scope="module")
def found(sample):
    return sweep(sample, "chrf", GRID, splits=20, draws=50, level=["system", "global"])


def test_points_are_the_values_of_each_metric(sample, found):
    metrics = ["chrf(beta=1)", "chrf(word_order=2, beta=1)", "chrf", "chrf(word_order=2)"]
    expected = sample.judgments(sample.score(*metrics)).correlate(
        ["system", "global"], "kendall", resamples=50
    )
    rows = {(row["metric"], row["human"], row["level"]): row for row in expected}
    assert len(found.points) == len(rows)
    for row in found.points:
        other = rows[row["metric"], row["human"], row["level"]]
        for name in ("value", "low", "high", "n"):
            assert row[name] == other[name], name
        metric = parse(row["metric"])
        assert (row["beta"], row["word_order"]) == (metric.beta, metric.word_order)
        assert row["cpu_seconds"] > 0 and not row["shared"]
    shares = [
        sum(row["chosen"] for row in found.points.where(human=row["human"], level=row["level"]))
        for row in found.chosen
    ]
    assert np.allclose(shares, 1)


def test_chosen_has_one_row_per_dimension_and_level(found):
    for row in found.chosen:
        points = found.points.where(human=row["human"], level=row["level"])
        best = max(points, key=lambda point: point["value"])
        assert (row["best"], row["value"]) == (best["metric"], best["value"])
        assert row["optimism"] == pytest.approx(row["chosen_value"] - row["tested"])
        assert row["gain"] == pytest.approx(row["tested"] - row["default"])
        assert row["n_points"] == 4
    assert len(found.answer()) == len(found.chosen)
    assert "default" in found.answer()[0]


def test_points_are_drawn_over_the_parameter_with_most_values(sample):
    few = sweep(sample, "chrf", beta=[1, 2, 3], word_order=[0, 2], splits=2, draws=5)
    human = few.points[0]["human"]
    drawn = few.points.where(human=human).plot().get_lines()
    lines = [line for line in drawn if line.get_label().startswith("word_order")]
    assert [line.get_label() for line in lines] == ["word_order 0", "word_order 2"]
    assert all(line.get_xdata().tolist() == [1, 2, 3] for line in lines)
    values = [row["value"] for row in few.points.where(human=human, word_order=2)]
    assert lines[1].get_ydata().tolist() == values


def test_a_logarithmic_axis_names_the_values():
    rows = [{"metric": "m", "k": k, "value": k / 10} for k in (0.25, 1.5, 8)]
    axes = plots.sweep(Findings(rows), "k", log=True)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0.25", "1.5", "8"]


def test_a_grid_of_words_is_drawn_as_a_forest(sample):
    few = sweep(sample, "bleu", smooth_method=["exp", "floor"], splits=2, draws=5)
    assert few.points.drawn_as == "forest"
    assert few.points.where(human=few.points[0]["human"]).plot() is not None


def test_scores_are_kept_and_not_computed_again(sample, tmp_path, monkeypatch):
    first = sweep(sample, "chrf", GRID, splits=5, draws=5, directory=tmp_path / "scores")
    monkeypatch.setattr(REGISTERED.classes["chrf"], "statistics", lambda *_: pytest.fail("scored again"))
    again = sweep(sample, "chrf", GRID, splits=5, draws=5, directory=tmp_path / "scores")
    assert first.chosen.rows == again.chosen.rows


def test_infolm_reads_all_measures_and_temperatures_at_once():
    metrics = grid_of(
        "infolm", {"temperature": [0.5, 1, 2], "measure": ["fisher_rao", "ab(0.5,1.25)"]}, {"model": "m"}
    ).metrics
    ((metric, outputs),) = joined([*metrics, make("infolm", {"model": "m"})])
    assert metric.temperature == (0.5, 1, 2)
    assert metric.measure == ("fisher_rao", "ab(0.5,1.25)")
    label = str(metric)
    assert outputs[0] == label
    assert outputs[3] == f"{label}.ab(0.5,1.25)@1"
    # The default is the point with temperature 1.
    assert outputs[6] == outputs[2] == f"{label}.fisher_rao@1"
    assert len(set(outputs.values())) == 6


def test_infolm_joins_alpha_and_beta_and_not_weights():
    metrics = grid_of(
        "infolm",
        {"alpha": [0.5, 2.0], "beta": [0.5, 1.25], "idf": [False, True]},
        {"model": "m", "measure": "ab"},
    ).metrics
    plain, weighted = joined(metrics)
    assert plain[0].measure == ("ab(0.5,0.5)", "ab(0.5,1.25)", "ab(2.0,0.5)", "ab(2.0,1.25)")
    assert not plain[0].idf and weighted[0].idf
    assert sorted([*plain[1], *weighted[1]]) == list(range(8))
    # Measures that do not read alpha are the same point.
    ((metric, outputs),) = joined([InfoLM("m", measure="l1", alpha=alpha) for alpha in (0.5, 2.0)])
    assert metric.measure == ("l1",) and outputs[0] == outputs[1]


def test_joined_scores_equal_single_scores(tiny_models):
    model = str(tiny_models["masked"])
    texts = {"a": ["the boat stops", "cars wait"], "b": ["a small ferry", "the cars wait in march"]}
    references = [["the small boat"], ["two weeks in march"]]
    metrics = [
        InfoLM(model, measure="ab", alpha=0.5, beta=beta, temperature=temperature)
        for beta in (0.25, 1.5)
        for temperature in (0.5, 2.0)
    ]
    ((metric, outputs),) = InfoLM.joined(metrics)
    whole = nlgauge.score(texts, references, metrics=metric)
    for number, single in enumerate(metrics):
        alone = nlgauge.score(texts, references, metrics=single)
        for system in texts:
            expected = alone[system][alone.labels[0]]["score"]
            assert whole[system][whole.labels[0]][outputs[number]] == pytest.approx(expected, abs=1e-12)


def judged(systems: int = 9, segments: int = 12, **further) -> Judgments:
    rng = np.random.default_rng(0)
    return Judgments.from_arrays(
        rng.normal(size=(systems, segments)),
        {name: rng.normal(size=(systems, segments)) for name in ("one", "two")},
        **further,
    )


POINTS = {"one": {"k": 1}, "two": {"k": 2}}


def test_segments_without_human_scores_are_not_divided():
    whole = judged(segments=12)
    human = whole.human().copy()
    human[:, 8:] = np.nan
    cut = Judgments(whole.systems, whole.segments, {"human": human}, whole.metrics)
    few = whole.taken(segments=np.arange(8))
    a, b = (swept(each, POINTS, "one", splits=9, draws=9).chosen.rows for each in (cut, few))
    assert a == b


def test_lower_is_better_is_turned_around():
    human = np.arange(8.0)[:, None] + np.zeros(8)
    made = Judgments.from_arrays(
        human, {"one": -human, "two": human}, higher_is_better={"one": False, "two": False}
    )
    (row,) = swept(made, POINTS, "two", splits=3, draws=3).chosen
    assert (row["best"], row["tested"], row["default"]) == ("one", 1.0, -1.0)
    assert row["advice"] == "better than the default"


def test_a_choice_that_lowers_the_value_says_so():
    rng = np.random.default_rng(5)
    human = rng.normal(size=(10, 40))
    default = human + rng.normal(scale=0.1, size=human.shape)
    made = Judgments.from_arrays(human, {"one": rng.normal(size=human.shape), "two": -human, "best": default})
    (row,) = swept(made, POINTS, "best", splits=10, draws=10).chosen
    assert row["gain"] < 0 and "use the default" in row["advice"]
    (row,) = swept(made, POINTS, splits=10, draws=10, reason="no default").chosen
    assert math.isnan(row["gain"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"grid": {"beta": [1]}}, "nothing to choose"),
        ({"grid": {"bta": [1, 2]}}, "did you mean 'beta'"),
        ({"grid": {"beta": 1}}, "list of values of beta"),
        ({"grid": {"beta": [1, 1]}}, "must differ"),
        ({"grid": {"beta": [1, 2]}, "fixed": {"beta": 3}}, "pass it once"),
        ({"grid": {"beta": [i + 1 for i in range(2001)]}}, "2001 points"),
        ({"grid": {"beta": [1, 2]}, "choose_over": "texts"}, "choose_over"),
        ({"grid": {"beta": [1, 2]}, "level": "text"}, "level"),
    ],
)
def test_errors_say_what_is_wrong(sample, change, message):
    with pytest.raises(NlgaugeError, match=message):
        sweep(sample, "chrf", **change)


def test_too_few_units_and_several_groups_are_refused(sample):
    with pytest.raises(InputError, match="at least 8"):
        swept(judged(segments=7), POINTS)
    with pytest.raises(InputError, match="over systems needs at least 8"):
        swept(judged(systems=7), POINTS, choose_over="systems")
    rows = [replace(row, meta={**row.meta, "lp": row.segment[-1]}) for row in sample.rows]
    with pytest.raises(InputError, match="several groups"):
        sweep(replace(sample, rows=tuple(rows)), "chrf", beta=[1, 2])
    with pytest.raises(InputError, match="one group"):
        swept(judged(groups=["a", "b"] * 6), POINTS)
    with pytest.raises(ParameterError, match="darr"):
        swept(judged(), POINTS, coefficient="darr", level="system")


@pytest.mark.parametrize(
    ("benchmark", "human", "expected"),
    [
        ("realsumm", "litepyramid_recall", (0.739, 0.663, 0.668)),
        ("summeval", "relevance", (0.647, 0.562, 0.628)),
        ("webnlg2020_en", "correctness", (0.733, 0.640, 0.596)),
    ],
)
def test_optimism_of_chrf_as_an_independent_program_found_it(benchmark, human, expected, monkeypatch):
    """Best on the same texts, tested, default tested; 200 random halves of another generator."""
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(path_of(benchmark).parent))
    texts = load(benchmark)
    known = dict.fromkeys(texts.segments, 0)
    for row in texts.rows:
        known[row.segment] += 1
    # The other program leaves out segments that some system lacks.
    whole = texts.where(segments=[name for name, count in known.items() if count == len(texts.systems)])
    grid = {"char_order": [2, 4, 6, 8], "word_order": [0, 2], "beta": [0.5, 1, 2, 3]}
    (row,) = sweep(whole, "chrf", grid, human=human, draws=2).chosen
    assert row["value"] == pytest.approx(expected[0], abs=0.001)
    assert row["tested"] == pytest.approx(expected[1], abs=0.02)
    assert row["default"] == pytest.approx(expected[2], abs=0.02)


def run(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["meta", "sweep", *words])
    return done.exit_code, done.stdout, done.stderr


COMMAND = ("sample", "chrf", "--grid", "beta=1,2", "--grid", "word_order=0,2", "--splits", "20")


def test_the_command_prints_the_numbers_of_the_function(found, tmp_path: Path):
    directory = tmp_path / "study"
    words = (*COMMAND, "--resamples", "50", "--level", "system,global")
    code, out, err = run(*words, "-o", str(directory), "--json")
    assert code == 0, err
    read = json.loads(out)
    for name, table in (("points", found.points), ("chosen", found.chosen)):
        for row, expected in zip(read[name], table, strict=True):
            for column in {*expected} - {"cpu_seconds"}:
                value = expected[column]
                assert row[column] == (None if isinstance(value, float) and math.isnan(value) else value)
    assert sorted(path.name for path in directory.iterdir()) == [
        "chosen.csv",
        "points.csv",
        "results",
        "study.json",
    ]
    code, _, err = run(*words, "-o", str(directory), "--sample", "9")
    assert code == 2 and "another study" in err


def test_the_command_shows_tables_and_draws(found, tmp_path: Path):
    human = found.points[0]["human"]
    figure = tmp_path / "beta.svg"
    code, out, err = run(*COMMAND, "--resamples", "5", "--human", human, "--plot", str(figure))
    assert code == 0, err
    assert "Chosen on one half" in out and "best of 4 points" in err
    assert figure.read_text().startswith("<?xml")
    code, out, _ = run(*COMMAND, "--resamples", "5", "--human", human, "--format", "csv", "-q")
    assert code == 0 and out.splitlines()[0].startswith("metric,beta,word_order,human")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sample", "chrf"), "--grid is missing"),
        (("sample", "chrf", "--grid", "beta"), "NAME=VALUE"),
        (("sample", "chrf", "--grid", "beta=1", "--grid", "beta=2"), "repeated"),
        (("sample", "chrf", "--grid", "beta=1"), "nothing to choose"),
        (("sample", "chrf", "--grid", "bta=1,2"), "did you mean"),
        (("sample", "chrf", "--grid", "beta=1,2", "--choose-over", "texts"), "--choose-over"),
    ],
)
def test_the_command_refuses(words, message):
    code, _, err = run(*words)
    assert code == 2 and message in err.replace("\n", " "), err
