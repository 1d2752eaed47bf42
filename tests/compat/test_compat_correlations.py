"""NLG-Metricverse's correlations: calls as the thesis prints them and as its package has them; numbers
are those of scipy.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from human_judgments import path_of
from scipy import stats
from segment_rows import rows_by_label

import nlgauge
from nlgauge.compat import nlgmetricverse as nmv
from nlgauge.compat.nlgmetricverse import (
    Benchmarks,
    CorrelationMeasures,
    load_metric,
    metric_human_correlation,
    metrics_correlation,
)
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta import benchmarks

OF_SCIPY: dict[Any, Any] = {
    CorrelationMeasures.Pearson: stats.pearsonr,
    CorrelationMeasures.Spearman: stats.spearmanr,
    CorrelationMeasures.KendallTau: stats.kendalltau,
}
preds = ["the cat is on the mat", "hello there", "a dog runs", "we sat down", "it rains in the north", "no"]
refs = [
    "the cat sat on the mat",
    "hello their",
    "a dog ran away",
    "they sat down",
    "it rained in the north",
    "yes",
]
human = [80.0, 35, 50, 62, 95, 0]


def segment_scores(metric: str, sign: float = 1.0) -> list[float]:
    return [sign * row[metric] for row in rows_by_label(nlgauge.score(preds, refs, metrics=metric))]


def explicit_darr(x: list[float], z: list[float]) -> tuple[float, int]:
    kept = [
        (x[i] - x[j]) * (z[i] - z[j]) > 0 for i in range(len(x)) for j in range(i) if abs(z[i] - z[j]) >= 25
    ]
    return (2 * sum(kept) - len(kept)) / len(kept), len(kept)


def test_names_of_measures_and_benchmarks() -> None:
    assert [measure.name for measure in CorrelationMeasures] == ["Pearson", "Spearman", "KendallTau", "daRR"]
    assert [benchmark.name for benchmark in Benchmarks] == ["WMT17", "WMT18"]
    assert [benchmarks.card(benchmark.value).name for benchmark in Benchmarks] == [
        "wmt17_da_seg",
        "wmt18_darr",
    ]


def test_seconds_of_each_metric() -> None:
    found = nmv.times_correlation(preds, refs, ["bleu", load_metric("rouge", resulting_name="r"), "wer"])
    assert list(found) == ["bleu", "r", "wer"]
    assert all(seconds > 0 for seconds in found.values())
    assert list(nmv.times_correlation(preds, refs, "bleu")) == ["bleu"]


@pytest.mark.parametrize("measure", OF_SCIPY)
def test_own_human_scores_as_scipy(measure: CorrelationMeasures) -> None:
    found = metric_human_correlation(
        preds, refs, metrics=["chrf", "ter"], human_scores=human, correlation_measures=[measure]
    )
    assert found.column("metric") == ["chrf", "ter"]
    for row, sign in zip(found, (1, -1), strict=True):
        expected = OF_SCIPY[measure](segment_scores(row["metric"], sign), human)
        assert row["value"] == pytest.approx(expected[0])
        if measure is not CorrelationMeasures.KendallTau:  # scipy has the exact p of few points
            assert row["p"] == pytest.approx(expected[1])
        assert -1 <= row["low"] < row["value"] < row["high"] <= 1
        assert row["n"] == 6


def test_several_measures_are_rows_of_their_own_and_darr_is_that_of_wmt() -> None:
    found = metric_human_correlation(
        preds, refs, "chrf", human, corrs=[CorrelationMeasures.daRR, CorrelationMeasures.Spearman]
    )
    assert found.column("coefficient") == ["darr", "spearman"]
    value, pairs = explicit_darr(segment_scores("chrf"), human)
    assert (found[0]["value"], found[0]["n"]) == (pytest.approx(value), pairs)
    assert pairs < 15
    assert np.isnan(found[0]["p"])
    assert "25 points" in found.to_text(width=200)


def test_missing_and_constant_scores_are_said() -> None:
    partial = metric_human_correlation(preds, refs, ["chrf"], [None, *human[1:5], float("nan")])
    assert partial[0]["n"] == 4
    assert partial[0]["value"] == pytest.approx(stats.pearsonr(segment_scores("chrf")[1:5], human[1:5])[0])
    constant = metric_human_correlation(preds, refs, ["chrf", "distinct"], [3.0] * 6)
    assert [bool(np.isnan(value)) for value in constant.column("value")] == [True, True]
    assert constant.column("reason") == [
        "all scores are equal, or no pair can be ordered",
        "the metric has no scores here",
    ]


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(InputError, match=r"human_scores.*2.*6"):
        metric_human_correlation(preds, refs, ["chrf"], [1, 2])
    with pytest.raises(ParameterError, match="corrs is another name"):
        metric_human_correlation(
            preds, refs, ["chrf"], human, [CorrelationMeasures.Pearson], corrs=[CorrelationMeasures.Pearson]
        )
    with pytest.raises(ParameterError, match=r"CorrelationMeasures\.Pearson.*'pearson'"):
        metric_human_correlation(preds, refs, ["chrf"], human, "pearson")
    with pytest.raises(ParameterError, match="correlation_measures is empty"):
        metrics_correlation(preds, refs, ["chrf"], [])


def test_metrics_with_each_other_as_scipy() -> None:
    results, pvalues = metrics_correlation(
        preds, refs, ["chrf", "wer", "rouge"], [*OF_SCIPY, CorrelationMeasures.daRR]
    )
    scores = [segment_scores("chrf"), segment_scores("wer", -1), segment_scores("rouge")]
    for measure, values, p in zip([*OF_SCIPY, CorrelationMeasures.daRR], results, pvalues, strict=True):
        assert values.shape == p.shape == (3, 3)
        if measure is CorrelationMeasures.daRR:
            assert values[:, 0].tolist() == pytest.approx(
                [explicit_darr(one, scores[0])[0] for one in scores]
            )
            assert np.isnan(p).all()
            continue
        assert np.diag(values).tolist() == pytest.approx([1, 1, 1])
        for i, j in ((0, 1), (1, 2), (2, 0)):
            expected = OF_SCIPY[measure](scores[i], scores[j])
            assert values[i, j] == values[j, i] == pytest.approx(expected[0])
            if measure is not CorrelationMeasures.KendallTau:
                assert p[i, j] == pytest.approx(expected[1])


def test_the_call_of_the_thesis_runs_as_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(path_of("wmt17_da_seg").parent))
    with pytest.warns(UserWarning, match="texts of the benchmark"):
        found = metric_human_correlation(
            preds,
            refs,
            metrics=load_metric("rouge", compute_kwargs={"rouge_types": ["rougeL"]}),
            human_scores=Benchmarks.WMT17,
            corrs=[CorrelationMeasures.Pearson],
        )
    assert found.column("group") == ["cs-en", "de-en", "fi-en", "lv-en", "ru-en", "tr-en", "zh-en", "average"]
    benchmark = benchmarks.load("wmt17").where(group="cs-en")
    scores = nlgauge.score(
        [row.prediction for row in benchmark.rows],
        [list(row.references) for row in benchmark.rows],
        metrics="rouge",
    )
    rouge = scores._tables[scores.systems[0], "rouge"].segments()["rougeL"]
    expected = stats.pearsonr(rouge, [row.human["da_z"] for row in benchmark.rows])
    assert (found[0]["value"], found[0]["p"]) == (pytest.approx(expected[0]), pytest.approx(expected[1]))


def test_a_benchmark_of_pairs_has_darr_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sides = [{"system": "A", "text": "the cat sat"}, {"system": "B", "text": "a cow"}]
    orders = [(0, 1), (0, 1), (0, 1), (1, 0)]
    lines = [
        {
            "segment": f"{i}",
            "references": ["the cat sat down"],
            "better": sides[better],
            "worse": sides[worse],
            "meta": {"lp": "de-en"},
        }
        for i, (better, worse) in enumerate(orders)
    ]
    (tmp_path / "wmt18_darr.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path))
    for given in ({}, {"correlation_measures": [CorrelationMeasures.daRR]}):
        found = metric_human_correlation(
            metrics=["chrf", load_metric("ter", compute_kwargs={"lang": "en"})],
            human_scores=Benchmarks.WMT18,
            **given,
        )
        assert [(row["metric"], row["value"], row["n"]) for row in found] == [
            ("chrf", 0.5, 4),
            ("ter", 0.5, 4),
        ]
    with pytest.raises(ParameterError, match=r"wmt18.*better/worse.*daRR"):
        metric_human_correlation(None, None, ["chrf"], Benchmarks.WMT18, [CorrelationMeasures.Pearson])


def test_a_benchmark_that_is_not_here_says_where_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path))
    with pytest.raises(InputError, match=r"statmt\.org/wmt17"):
        metric_human_correlation(metrics=["chrf"], human_scores=Benchmarks.WMT17)


def test_other_benchmarks_by_name() -> None:
    found = metric_human_correlation(metrics="chrf", human_scores="sample")
    assert found.column("human") == ["relevance", "fluency"]
    assert found.column("n") == [96, 96]


def test_the_calls_draw_on_request(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from tests.show.plots.drawn import check_readable, words

    chosen = ["chrf", "ter", "bleu"]
    found = metric_human_correlation(
        preds, refs, chosen, human, [CorrelationMeasures.Spearman], plot=tmp_path / "people.svg"
    )
    axes = found.plot()
    assert [ax.get_xlabel() for ax in axes] == [
        "chrf",
        "ter (lower is better; negated)",
        "bleu",
    ]
    assert [ax.get_title(loc="left") for ax in axes] == [f"Spearman {row['value']:.2f}" for row in found]
    points = axes[1].get_lines()[0]
    assert points.get_xdata() == pytest.approx(segment_scores("ter", -1))
    assert list(points.get_ydata()) == human
    check_readable(axes)

    between = metrics_correlation(
        preds,
        refs,
        chosen,
        [CorrelationMeasures.Pearson, CorrelationMeasures.KendallTau],
        plot=tmp_path / "metrics.svg",
    )
    results, pvalues = between
    assert len(results) == len(pvalues) == 2
    heatmaps = between.plot()
    for (_, below), matrix in zip(heatmaps, results, strict=True):
        drawn = below.get_images()[0].get_array()
        assert sorted(drawn.ravel()) == pytest.approx(sorted(matrix.ravel()))
    check_readable(heatmaps)

    seconds = nmv.times_correlation(preds, refs, chosen, plot=tmp_path / "times.svg")
    bars = seconds.plot()
    assert [bar.get_width() for bar in bars.patches] == sorted(seconds.values())
    check_readable(bars)
    against = seconds.plot(correlations=found)
    assert "Agreement and cost" in words(against)
    (chrf,) = [line for line in against.get_lines() if line.get_label() == "chrf"]
    assert chrf.get_xdata()[0] == pytest.approx(1000 * seconds["chrf"] / len(preds))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["metrics.svg", "people.svg", "times.svg"]


def test_groups_have_looks_of_their_own_in_a_scatterplot() -> None:
    pytest.importorskip("matplotlib")
    from nlgauge import plots
    from nlgauge.meta import Judgments

    rng = np.random.default_rng(0)
    judged = Judgments.from_arrays(
        rng.normal(size=(3, 8)), {"a": rng.normal(size=(3, 8))}, groups=["x-y"] * 4 + ["y-x"] * 4
    )
    ax = plots.scatter(judged, "a", level="global", coefficient="pearson")
    lines = ax.get_lines()
    assert [line.get_label() for line in lines] == ["x-y", "y-x"]
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == 2
    found = judged.correlate(level="global", coefficient="pearson", interval=None)
    assert ax.get_title(loc="left") == f"Pearson {found[-1]['value']:.2f} (average)"
    with pytest.raises(ParameterError, match=r"level.*'system' or 'global'.*'input'"):
        plots.scatter(judged, "a", level="input")
