"""Plots of a result: what they draw is what the result says."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("matplotlib")


import nlgauge
from nlgauge import plots
from nlgauge._core.numbers import number, ties
from nlgauge.errors import InputError, ParameterError, UnknownNameError
from nlgauge.meta import Findings, Judgments
from nlgauge.meta.papers.shannon import Separation
from nlgauge.metric import Output
from nlgauge.results.result import Result
from tests.show.plots.drawn import check_readable, lines, words

WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "saw", "two", "dogs", "run", "away", "from", "it"]
METRICS = ["bleu", "chrf", "ter", "novelty(max_order=1)"]


def scored(systems: int = 3, segments: int = 12, metrics: list[str] | None = None) -> Result:
    rng = np.random.default_rng(0)
    references = [" ".join(rng.choice(WORDS, 9)) for _ in range(segments)]

    def spoilt(text: str, share: float) -> str:
        return " ".join(str(rng.choice(WORDS)) if rng.random() < share else word for word in text.split())

    predictions = {
        f"sys_{i}$x$": [spoilt(text, 0.1 + 0.3 * i / max(1, systems - 1)) for text in references]
        for i in range(systems)
    }
    return nlgauge.score(predictions, references, references, metrics=metrics or METRICS)


@pytest.fixture(scope="module")
def result() -> Result:
    return scored()


def judged() -> Judgments:
    rng = np.random.default_rng(0)
    quality = rng.normal(size=(8, 1))
    humans = {name: quality + rng.normal(size=(8, 12)) for name in ("fluency_$1$", "adequacy")}
    return Judgments.from_arrays(humans, {f"m_{i}": quality * i + rng.normal(size=(8, 12)) for i in range(4)})


def test_intervals_have_scores_bounds_letters_and_the_band_of_the_best(result):
    axes = plots.intervals(result, resamples=200, seed=1)
    found, ranks = result.intervals(resamples=200, seed=1), result.ranks(resamples=200, seed=1)
    assert [ax.get_title(loc="left") for ax in axes] == [
        "bleu \u2191",
        "chrf \u2191",
        "ter \u2193",
        "novelty.novelty1",
    ]
    for ax, label in zip(axes, result.labels, strict=True):
        outputs = [next(iter(found[system][label].values())) for system in result.systems]
        assert [lines(ax, system)[0][0].tolist() for system in result.systems] == [
            [one.score, place] for place, one in enumerate(outputs)
        ]
        assert [line[:, 0].tolist() for line in lines(ax, "interval")] == [
            [one.low, one.high] for one in outputs
        ]
        letters = [text.get_text() for text in ax.texts]
        assert letters == [letter for letter in ranks[label].letters if letter is not None]
        bands = [patch for patch in ax.patches if patch.get_label() == "best"]
        if label.startswith("novelty"):
            assert bands == []
            continue
        scores = [one.score for one in outputs]
        best = outputs[int(np.argmin(scores) if label == "ter" else np.argmax(scores))]
        assert (bands[0].get_x(), bands[0].get_x() + bands[0].get_width()) == pytest.approx(
            (best.low, best.high)
        )


def test_intervals_of_many_systems_have_ranks_and_of_one_neither(result):
    many = scored(10, metrics=["chrf"])
    ranks = many.ranks(resamples=100)["chrf"].ranks
    marks = [text.get_text() for text in plots.intervals(many, resamples=100).texts]
    assert marks == [str(low) if low == high else f"{low}\u2013{high}" for low, high in ranks]
    alone = plots.intervals(scored(1, metrics=["chrf"]), resamples=20)
    assert len(alone.texts) == 0
    assert not any(patch.get_label() == "best" for patch in alone.patches)
    assert plots.intervals(result, "ter", resamples=20).get_title(loc="left") == "ter \u2193"
    with pytest.raises(UnknownNameError):
        plots.intervals(result, "rouge")
    with pytest.raises(UnknownNameError, match=r"chrf.*'x'"):
        plots.intervals(result, "chrf.x")


def test_an_output_of_a_metric_is_named_with_a_dot():
    result = scored(2, metrics=["rouge(rouge_types=['rougeL', 'rouge1'])", "chrf(beta=0.5)"])
    axes = plots.intervals(result, ["rouge.rouge1", "rouge", "chrf(beta=0.5)"], resamples=20)
    assert [ax.get_title(loc="left") for ax in axes] == [
        "rouge.rouge1 \u2191",
        "rouge.rougeL \u2191",
        "chrf \u2191",
    ]
    label = result.labels[0]
    for ax, output in zip(axes, ("rouge1", "rougeL"), strict=False):
        for place, system in enumerate(result.systems):
            assert lines(ax, system)[0].tolist() == [[result[system][label][output], place]]


def test_a_forest_draws_the_gain_of_the_second_system_over_the_first(result):
    first, second = result.systems[0], result.systems[2]
    compared = result.compare(first, second, resamples=200)
    for ax, sign in ((plots.forest(compared), 1), (plots.forest(compared, second, first), -1)):
        for place, row in enumerate(compared.rows):
            value = sign * row.gain
            (point,) = lines(ax, ["bleu", "chrf", "ter", "novelty.novelty1"][place])
            assert np.sign(point[0][0]) == np.sign(value)
            numbers = [text.get_text() for text in ax.texts][place]
            assert numbers.startswith(f"{number(value, row.output, sign=True)} [")
            ends = lines(ax, "interval")[place][:, 0]
            assert np.abs([*ends, point[0][0]]).max() == pytest.approx(1.0)
    filled = {
        line.get_label(): line.get_markerfacecolor() != "white"
        for line in plots.forest(compared).get_lines()
        if line.get_marker() == "o"
    }
    assert list(filled.values()) == [row.p_holm <= 0.05 for row in compared.rows]
    assert len(set(filled.values())) == 2


def test_a_forest_says_na_for_the_interval_of_a_score_of_the_whole_corpus():
    texts = ["a red car", "the dog sleeps", "we sing songs"]
    systems = {"a": texts, "b": list(texts), "c": ["a red car", "a dog", "songs"]}
    result = nlgauge.score(systems, [[text] for text in texts], metrics=["self_bleu", "ter"])
    for other in ("b", "c"):
        ax = plots.forest(result, "a", other, resamples=50)
        shown = [text.get_text() for text in ax.texts]
        assert "nan" not in " ".join([*shown, plots.alt(ax)]).casefold()
        gain = (
            result["a"]["self_bleu"]["self_bleu"] - result["c"]["self_bleu"]["self_bleu"]
            if other == "c"
            else 0.0
        )
        assert shown[0] == f"{gain:+.2f} n/a"
        assert shown[1].startswith("+" if other == "b" else "-")


def test_a_forest_of_coefficients_is_that_of_meta_evaluation():
    found = judged().correlate(level="system", coefficient="kendall", resamples=20)
    axes = np.atleast_1d(plots.forest(found))
    assert (
        next(label.get_text() for label in axes[0].get_yticklabels())
        == max(found.rows, key=lambda row: row["value"])["metric"]
    )


def test_a_waterfall_has_every_difference_sorted(result):
    first, second = result.systems[:2]
    scores = [result._tables[system, "ter"].segments()["ter"] for system in (first, second)]
    gains = np.sort(scores[0] - scores[1])[::-1]
    ax = plots.waterfall(result, "ter")
    wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
    assert (
        f"{second} better on {wins}, tie on {len(gains) - wins - losses}, {first} better on {losses}"
        in plots.alt(ax)
    )
    heights = np.concatenate([collection.get_paths()[0].vertices[:, 1] for collection in ax.collections])
    assert heights.max() == pytest.approx(max(0, gains.max()))
    assert heights.min() == pytest.approx(min(0, gains.min()))
    with pytest.raises(InputError, match=r"systems.*result"):
        plots.waterfall(scored(1, metrics=["chrf"]), "chrf")
    with pytest.raises(InputError, match="twice"):
        plots.waterfall(result, "chrf", first, first)


def test_a_waterfall_counts_scores_that_print_the_same_as_ties():
    output = Output("score", True, 0, 100)
    rows = {
        "a": [50.001, 50.004, 50.006, 20.0, math.nan, -0.001],
        "b": [50.004, 50.006, 50.002, 20.0, math.nan, 0.001],
    }
    assert ties(*map(np.array, rows.values()), output).tolist() == [True, False, False, True, False, True]
    metric = nlgauge.metric_from(
        lambda prediction, reference: float(prediction), name="given", low=0, high=100
    )
    result = nlgauge.score(
        {"a": ["50.001", "50.004", "20"], "b": ["50.004", "50.006", "10"]}, [["x"]] * 3, metrics=[metric]
    )
    ax = plots.waterfall(result, "given")
    assert ax.get_title(loc="left") == "b better on 1, tie on 1, a better on 1"


def test_distributions_are_of_systems_spoilt_texts_and_groups(result):
    ax = plots.distributions(result, "chrf")
    assert ax.get_xlabel() == "chrf"
    for system in result.systems:
        median = np.median(result._tables[system, "chrf"].segments()["chrf"])
        assert lines(ax, f"median {system}")[0][0][0] == pytest.approx(median)
    lower = Separation({"original": np.array([0.1, 0.2]), "wrong": np.array([0.8, 0.9])}, False)
    assert "n = 2, AUC 1.000" in " ".join(words(plots.distributions(lower).figure)).replace("\n", " ")
    with pytest.raises(InputError, match=r"distributions.*self_bleu"):
        plots.distributions(scored(2, metrics=["self_bleu"]))


def test_a_heatmap_pools_turned_scores_with_numbers_that_came_with_the_texts(result):
    from scipy.stats import spearmanr

    axes = plots.heatmap(result)
    names = [label.get_text() for label in axes[1].get_xticklabels()]
    assert sorted(names) == ["bleu", "chrf", "novelty.novelty1", "ter"]
    pooled = {
        label: np.concatenate(
            [next(iter(result._tables[system, full].segments().values())) for system in result.systems]
        )
        for label, full in zip(["bleu", "chrf", "ter", "novelty.novelty1"], result.labels, strict=True)
    }
    pooled["ter"] = -pooled["ter"]
    image = axes[1].images[0].get_array()
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            assert image[i, j] == pytest.approx(spearmanr(pooled[one], pooled[other])[0])
    with pytest.raises(ParameterError, match=r"coefficient.*spearman"):
        plots.heatmap(result, "x")
    with pytest.raises(InputError, match=r"metrics.*segment"):
        plots.heatmap(scored(2, metrics=["chrf"]))


def test_a_map_of_people_has_every_dimension():
    given = judged()
    found = given.correlate(level="system", coefficient="kendall", interval=None)
    ax = plots.human_map(given)
    rows = {(row["metric"], row["human"]): row["value"] for row in found.rows}
    shown = ax.images[0].get_array()
    metrics, people = (
        [label.get_text() for label in labels] for labels in (ax.get_yticklabels(), ax.get_xticklabels())
    )
    assert {
        (m, h): shown[i, j] for i, m in enumerate(metrics) for j, h in enumerate(people)
    } == pytest.approx(rows)
    biased = plots.human_map({"rouge": {"length": 0.3}, "bleu": {"novelty": -0.9}})
    assert np.ma.filled(biased.images[0].get_array(), np.nan) == pytest.approx(
        np.array([[0.3, np.nan], [np.nan, -0.9]]), nan_ok=True
    )
    with pytest.raises(InputError, match="human is missing"):
        plots.human_map(Findings([{"metric": "a", "value": 1.0}]))


def title(ax):
    return ax.get_title(loc="left").replace("\n", " ")


def test_a_map_of_people_is_titled_by_its_table_and_refuses_several():
    given = judged()
    assert title(plots.human_map(given)) == "Kendall, system level, n = 8 systems"
    assert (
        title(plots.human_map(given.correlate(level="global", coefficient="pearson", interval=None)))
        == "Pearson, global level, n = 96 texts"
    )
    every = given.correlate(interval=None)
    with pytest.raises(
        InputError,
        match=(r"system.*level=..., coefficient="),
    ):
        plots.human_map(every)
    with pytest.raises(InputError, match=r"choose one: level=...[.]"):
        plots.human_map(every, coefficient="kendall")
    ax = plots.human_map(every, "input", "spearman")
    assert title(ax) == "Spearman, input level, mean of 12 inputs"
    rows = every.where(level="input", coefficient="spearman", metric="m_3").rows
    assert ax.images[0].get_array()[3].tolist() == pytest.approx([row["value"] for row in rows])
    with pytest.raises(InputError, match=r"level.*'by_system'"):
        plots.human_map(every, "by_system")
    grouped = Judgments.joined({"x": given, "y": judged()})
    assert title(plots.human_map(grouped, coefficient="pearson")) == "Pearson, system level, mean of 2 groups"
    with pytest.raises(InputError, match=r"group x, y, average.*[.]where\(group=...\)"):
        plots.human_map(grouped.correlate(level="system", coefficient="pearson", interval=None))
    with pytest.raises(InputError, match=r"several rows.*\ba\b.*\bh\b"):
        plots.human_map(Findings([{"metric": "a", "human": "h", "value": 1.0}] * 2))


def people_of(systems: int, **fields: list[float]) -> Result:
    texts = ["a red car", "two dogs", "the cat sat", "we sing", "they run away", "it rains"]
    names = [f"s{i}" for i in range(systems)]
    records = [
        {
            "id": str(i),
            "system": name,
            "prediction": f"{text} {'x' * (i % 3)}",
            "references": [text],
            **{key: values[i] for key, values in fields.items()},
        }
        for name in names
        for i, text in enumerate(texts)
    ]
    return nlgauge.score(records, metrics=["chrf", "ter"])


def test_a_map_of_people_takes_a_result_also_of_one_system():
    scores = {
        "coherence": [5.0, 3, 2, 4, None, 1],
        "fluency": [1.0, 2, 3, 3, 2, 1],
        "year": [2001.0, 2002, 2003, 2001, 2002, 2003],
    }
    result = people_of(1, **scores)
    with pytest.raises(InputError, match=r"human=.FIELD"):
        plots.human_map(result)
    ax = plots.human_map(result, coefficient="pearson", human=["coherence", "fluency"])
    assert title(ax) == "Pearson, global level, n = 5 to 6 texts of one system"
    chrf = result._tables["s0", "chrf"].segments()["chrf"]
    assert ax.images[0].get_array()[0, 1] == pytest.approx(np.corrcoef(chrf, scores["fluency"])[0, 1])
    with pytest.raises(InputError, match=r"system.*level"):
        plots.human_map(result, "system", human="fluency")
    named = people_of(1, **{"human.fluency": scores["fluency"]})
    assert [label.get_text() for label in plots.human_map(named).get_xticklabels()] == ["fluency"]
    with pytest.raises(InputError, match="human_map needs human scores"):
        plots.human_map(scored(2, metrics=["chrf"]))


def test_profiles_have_a_line_for_each_metric():
    rows = [
        {"metric": name, "group": group, "value": float(i + j)}
        for i, name in enumerate("ab")
        for j, group in enumerate("xyz")
    ]
    ax = plots.profiles(Findings(rows), highlight=["a"])
    assert lines(ax, "b")[0][:, 1].tolist() == [1.0, 2.0, 3.0]
    widths = {line.get_label(): line.get_linewidth() for line in ax.get_lines()}
    assert widths["a"] > widths["b"]
    check_readable(ax.figure)
    with pytest.raises(ParameterError, match=r"metric.*'c'"):
        plots.profiles(Findings(rows), highlight=["c"])
    with pytest.raises(InputError, match="task"):
        plots.profiles(Findings(rows), "task")
