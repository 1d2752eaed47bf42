"""Views of a result: scores and segments as frames, the worst segments, disagreements, parts and groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas
import polars
import pytest
from messages import mentions

import nlgauge
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import ParameterError, ResultError, UnknownNameError
from nlgauge.features import RunOptions
from nlgauge.metric import Arrays, Fit, Metric, Output, View
from nlgauge.metrics._shared.mutual_information import MutualInformation
from nlgauge.results.groups import Groups
from nlgauge.results.result import Result
from nlgauge.results.segments import fractional_ranks
from nlgauge.stats.corrections import holm

PREDICTIONS = {
    "A": ["the cat sat on the mat", "a dog ran", "", "x y z", "one two three four", "the end"],
    "B": ["the cat sat", "the dog ran off", "a b c", "x y", "one two three", "an end"],
}
REFERENCES = [
    "the cat sat on the mat",
    "the dog ran away",
    "a b c d",
    "x y z w",
    "one two three four five",
    "the end",
]
DOMAINS = ["news", "ted", "news", "ted", "news", "ted"]


def scored(metrics: Any, fields: dict[str, Any] | None = None, **options: Any) -> Result:
    corpus = Corpus.read(
        PREDICTIONS, REFERENCES, fields={"domain": DOMAINS} if fields is None else fields, **options
    )
    return nlgauge.Scorer(metrics).score_corpus(corpus, None, RunOptions())


@pytest.fixture(scope="module")
def result() -> Result:
    return scored(["bleu", "chrf(word_order=2)", "wer", "rouge", "distinct", "flesch_reading_ease"])


def test_scores_are_one_row_per_system_metric_and_output(result: Result) -> None:
    rows = result.scores("records")
    assert [(row["system"], row["metric"], row["output"]) for row in rows] == [
        (system, label, output.name)
        for (system, label), table in result._tables.items()
        for output in table.outputs()
    ]
    intervals = result.intervals()
    for row in rows:
        interval = intervals[row["system"]][row["metric"]][row["output"]]
        assert row["score"] == result[row["system"]][row["metric"]][row["output"]] == interval.score
        assert (row["low"], row["high"]) == (interval.low, interval.high)
    by_key = {(row["system"], row["output"]): row for row in rows}
    assert by_key["A", "wer"]["higher_is_better"] is False
    assert by_key["A", "bleu"]["higher_is_better"] is True
    assert by_key["A", "hits"]["higher_is_better"] is None
    assert by_key["A", "flesch_reading_ease"]["undefined"] == 1
    assert "low" not in result.scores("records", intervals=False)[0]
    assert isinstance(result.scores("pandas"), pandas.DataFrame)
    assert isinstance(result.scores("polars"), polars.DataFrame)


def test_scores_say_why_they_are_nan() -> None:
    rows = nlgauge.score({"A": ["one two"], "B": ["one"]}, metrics="distinct").scores("records")
    found = {(row["system"], row["output"]): row["reason"] for row in rows}
    assert found["B", "distinct2"] == "no text is long enough to have such an n-gram"
    assert found["A", "distinct1"] == "only one segment (or document): nothing to resample"


def test_frames_have_short_names(result: Result) -> None:
    columns = list(result.segments(frame="records")[0])
    assert columns[:4] == ["segment", "system", "domain", "bleu"]
    assert {
        "bleu.precision1",
        "chrf",
        "wer",
        "wer.hits",
        "rouge.rougeL",
        "rouge.rouge1_recall",
        "flesch_reading_ease",
    } <= set(columns)
    both = scored(
        ["chrf", "chrf(word_order=2)", {"path": "bleu", "resulting_name": "bleu_1", "max_order": 1}]
    ).segments(frame="records")[0]
    assert {"chrf", "chrf(word_order=2)", "bleu_1", "bleu_1.precision1"} <= set(both)


def test_a_long_frame_has_the_scores_of_segments(result: Result) -> None:
    rows = result.segments("records")
    assert [(row["segment"], row["system"]) for row in rows] == [
        (segment, system) for system in result.systems for segment in result.corpus.ids
    ]
    scores = [value for system in "AB" for value in result._tables[system, "rouge"].segments()["rougeL"]]
    assert [row["rouge.rougeL"] for row in rows] == scores
    assert [row["domain"] for row in rows] == DOMAINS * 2
    assert isinstance(result.segments(), pandas.DataFrame)
    assert "prediction" not in rows[0]


def test_a_wide_frame_has_systems_side_by_side_and_texts_on_request(result: Result) -> None:
    rows = result.segments(wide=True, texts=True, frame="records")
    assert len(rows) == 6
    assert [row["A/prediction"] for row in rows] == PREDICTIONS["A"]
    assert [row["reference"] for row in rows] == REFERENCES
    long = result.segments(frame="records")
    assert [row["B/wer"] for row in rows] == [row["wer"] for row in long if row["system"] == "B"]
    assert "A/prediction" not in result.segments(wide=True, frame="records")[0]


def test_frames_of_every_kind_are_equal(result: Result) -> None:
    for options in ({}, {"wide": True}, {"texts": True}):
        records = result.segments(**options, frame="records")
        assert repr(result.segments(**options, frame="polars").to_dicts()) == repr(records)
        assert list(result.segments(**options, frame="pandas").columns) == list(records[0])
    with pytest.raises(ParameterError, match=r"frame.*'pandas', 'polars' or 'records'.*'arrow'"):
        result.segments(frame="arrow")


def test_several_references_and_fields_of_systems_are_kept_in_frames() -> None:
    records = [
        {
            "id": i,
            "system": system,
            "prediction": "a b",
            "references": ["a b", "a"],
            "human": i + (system == "B"),
            "reference_count": 2,
            "source": "q",
        }
        for i in range(2)
        for system in "AB"
    ]
    rows = nlgauge.score(records, metrics="wer").segments(texts=True, frame="records")
    assert rows[0]["references"] == ["a b", "a"]
    assert rows[0]["source"] == "q"
    assert rows[0]["reference_count"] == 2
    assert [row["human"] for row in rows] == [0, 1, 1, 2]
    assert [row["segment"] for row in rows] == [0, 1, 0, 1]


def test_a_system_without_a_field_has_none_there() -> None:
    records = [
        {"id": i, "system": "A", "prediction": "a b", "reference": "a b", "human": i} for i in range(2)
    ]
    records += [{**record, "system": "B", "human": 5} for record in records]
    added = nlgauge.score(records, metrics="wer").add(predictions={"C": ["a", "b"]})
    assert [row["human"] for row in added.segments(frame="records")] == [0, 1, 5, 5, None, None]
    assert "C/human" not in added.segments(wide=True, frame="records")[0]


@pytest.mark.parametrize("method", ["to_text", "to_latex", "to_csv", "_page"])
def test_an_unknown_option_is_named(result: Result, method: str) -> None:
    for shown in (result, result.by("domain")):
        with pytest.raises(
            ParameterError,
            match=(r"'interval'.*'intervals'"),
        ):
            getattr(shown, method)(interval=False)


def test_a_field_that_is_called_like_a_column_of_ours_gets_another_name() -> None:
    row = scored(["wer"], {"system": DOMAINS}).segments(frame="records")[0]
    assert (row["system"], row["field.system"]) == ("A", "news")
    assert (
        scored(["wer"], {"system": DOMAINS})
        .by("system")
        .to_csv(tests=False)
        .startswith("field.system,segments,system,metric,")
    )


def test_texts_that_were_not_saved_cannot_be_shown(result: Result, tmp_path: Path) -> None:
    result.save(tmp_path / "out", texts=False)
    saved = nlgauge.load(tmp_path / "out")
    with pytest.raises(ResultError, match=r"texts.*result"):
        saved.segments(texts=True)
    assert "prediction" not in saved.worst("bleu", 1)[0]
    assert saved.segments(frame="records")[0]["wer"] == 0


def test_the_worst_segments_come_first_whatever_the_direction(result: Result) -> None:
    segments = result.segments("records")
    best_bleu = sorted(segments, key=lambda row: row["bleu"])
    best_wer = sorted(segments, key=lambda row: -row["wer"])
    assert [(row["segment"], row["system"]) for row in result.worst("bleu", 4)] == [
        (row["segment"], row["system"]) for row in best_bleu[:4]
    ]
    assert [(row["segment"], row["system"]) for row in result.worst("wer", 4)] == [
        (row["segment"], row["system"]) for row in best_wer[:4]
    ]
    only = result.worst("rouge.rouge2", 20, system="B")
    assert len(only) == 6
    assert {row["system"] for row in only} == {"B"}
    first = result.worst("wer", 1)[0]
    assert (first["prediction"], first["reference"], first["domain"]) == ("", "a b c d", "news")
    shown = str(result.worst("wer", 2))
    assert "reference: a b c d" in shown
    assert f"prediction: {result.worst('wer', 2)[1]['prediction']}" in shown


def test_segments_without_a_value_are_left_out_and_counted(result: Result) -> None:
    found = result.worst("flesch_reading_ease", 20)
    assert len(found) == 11
    assert found.note == "1 segment without a value was left out."
    assert found.note in str(found)
    assert found.note in found._repr_html_()
    assert (
        result.worst("flesch_reading_ease", 3).frame("records")
        == result.worst("flesch_reading_ease", 3).records()
        == list(result.worst("flesch_reading_ease", 3))
    )
    assert isinstance(result.worst("wer").frame("pandas"), pandas.DataFrame)
    assert not result.worst("wer").note
    assert len(result.disagreements("flesch_reading_ease", "wer", 20)) == 11


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("distinct",), ParameterError, "distinct ... segment"),
        (("wer.hits",), ParameterError, "hits ... wer"),
        (("wer", 0), ParameterError, "n must ... got 0"),
        (("wer", 2, "C"), UnknownNameError, "system ... 'C'"),
        (("ter",), UnknownNameError, "metric ... 'ter'"),
        (("wer.hit",), UnknownNameError, "wer ... 'hit'"),
    ],
)
def test_what_has_no_worst_segment_says_so(
    result: Result, arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        result.worst(*arguments)
    assert mentions(str(caught.value), message)


def test_fractional_ranks_share_ties() -> None:
    assert fractional_ranks(np.array([3.0, 1.0, 2.0])).tolist() == pytest.approx([1, 1 / 3, 2 / 3])
    assert fractional_ranks(np.array([1.0, 1.0, 2.0, -math.inf])).tolist() == pytest.approx(
        [2.5 / 4, 2.5 / 4, 1, 1 / 4]
    )
    assert fractional_ranks(np.array([])).tolist() == []


def test_disagreements_are_differences_of_ranks_by_direction(result: Result) -> None:
    frame = result.segments("pandas")
    ours = frame["bleu"].rank(pct=True)
    theirs = (-frame["wer"]).rank(pct=True)
    order = (ours - theirs).abs().sort_values(ascending=False, kind="stable").index
    found = result.disagreements("bleu", "wer", 5)
    assert [(row["segment"], row["system"]) for row in found] == [
        (frame["segment"][i], frame["system"][i]) for i in order[:5]
    ]
    assert [row["rank of bleu"] for row in found] == pytest.approx([ours[i] for i in order[:5]])
    assert [row["rank of wer"] for row in found] == pytest.approx([theirs[i] for i in order[:5]])
    assert found[0]["wer"] == frame["wer"][order[0]]
    assert "prediction" in found[0]
    # A metric agrees with itself, whatever its direction.
    assert {row["rank of wer"] for row in result.disagreements("wer", "wer", 3)}
    assert len(result.disagreements("bleu", "wer", 50, system="A")) == 6


def by_hand(domain: str, metrics: Any) -> Result:
    kept = [i for i, name in enumerate(DOMAINS) if name == domain]
    predictions = {system: [texts[i] for i in kept] for system, texts in PREDICTIONS.items()}
    return nlgauge.score(predictions, [REFERENCES[i] for i in kept], metrics=metrics)


@pytest.mark.parametrize("domain", ["news", "ted"])
def test_a_part_has_the_scores_of_its_texts_scored_alone(result: Result, domain: str) -> None:
    part = result.where(domain=domain)
    expected = by_hand(
        domain, ["bleu", "chrf(word_order=2)", "wer", "rouge", "distinct", "flesch_reading_ease"]
    )
    assert dict(part["A"]) == dict(expected["A"])
    assert dict(part["B"]) == dict(expected["B"])
    assert [row["wer"] for row in part.segments("records")] == [
        row["wer"] for row in expected.segments("records")
    ]
    assert part.intervals()["B"]["bleu"] == expected.intervals()["B"]["bleu"]
    assert repr(part.intervals()["A"]["distinct"]) == repr(expected.intervals()["A"]["distinct"])
    assert part.compare()["bleu"].p == expected.compare()["bleu"].p
    assert part.compare()["distinct"].p == expected.compare()["distinct"].p
    assert len(part.corpus) == 3
    # The whole is as it was.
    assert len(result.corpus) == 6


def test_a_part_can_be_explained_extended_and_saved(result: Result, tmp_path: Path) -> None:
    part = result.where(domain="ted")
    assert part.explain("bleu", 3, "A")[0].title == result.explain("bleu", 3, "A")[0].title
    assert part.add("cer")["A"]["cer"] == by_hand("ted", "cer")["A"]["cer"]
    part.save(tmp_path / "part")
    assert dict(nlgauge.load(tmp_path / "part")["A"]) == dict(part["A"])


def test_weights_and_documents_go_with_their_segments() -> None:
    options = {"weights": [1, 2, 3, 4, 5, 6], "documents": list("aabbcc")}
    part = scored(["wer"], **options).where(domain="ted")
    kept = [1, 3, 5]
    predictions = {system: [texts[i] for i in kept] for system, texts in PREDICTIONS.items()}
    expected = nlgauge.score(
        predictions,
        [REFERENCES[i] for i in kept],
        metrics=["wer"],
        weights=[2, 4, 6],
        documents=["a", "b", "c"],
    )
    assert part.intervals() == expected.intervals()


def test_a_corpus_metric_of_a_part_needs_the_texts(tmp_path: Path) -> None:
    scored(["wer", "distinct"], {"year": [2020, 2021] * 3}).save(tmp_path / "out", texts=False)
    part = nlgauge.load(tmp_path / "out").where(year=2020)
    assert math.isnan(part["A"]["distinct"]["score"])
    assert (
        part.reasons()["A", "distinct", "distinct1"]
        == "not computed from per-segment statistics, and the texts to recompute it were not saved"
    )
    assert "the texts to recompute it were not saved" in " ".join(
        part.to_text(intervals=False, tests=False).split()
    )
    assert part["A"]["wer"] == by_hand("news", "wer")["A"]["wer"]


def test_groups_are_a_mapping_from_values_to_results(result: Result) -> None:
    groups = result.by("domain")
    assert isinstance(groups, Groups)
    assert list(groups) == ["news", "ted"]
    assert len(groups) == 2
    assert dict(groups["ted"]["B"]) == dict(result.where(domain="ted")["B"])
    with pytest.raises(KeyError, match=r"'law' of 'domain'.*'news', 'ted'"):
        groups["law"]
    years = scored(["wer"], {"year": [2020, 2021, 2020, 2021, 2020, 2020]}).by("year")
    assert list(years) == [2020, 2021]
    assert years[2021].corpus is years["2021"].corpus


def test_groups_are_corrected_together() -> None:
    predictions = {"A": ["a b c", "d e f"] * 20, "B": ["a b", "d e f"] * 20}
    corpus = Corpus.read(predictions, ["a b c", "d e f"] * 20, fields={"half": [1] * 20 + [2] * 20})
    groups = nlgauge.Scorer(["wer", "chrf"]).score_corpus(corpus, None, RunOptions()).by("half")
    found = groups.compare(resamples=200)
    raw = [row.p for value in groups for row in groups[value].compare(resamples=200)]
    assert [row.p for comparison in found.values() for row in comparison] == raw
    assert [row.p_holm for comparison in found.values() for row in comparison] == holm(raw)
    assert found[1]["wer"].p_holm == pytest.approx(2 * groups[1].compare(resamples=200)["wer"].p_holm)


def test_groups_show_themselves_as_one_table(result: Result) -> None:
    groups = result.by("domain")
    text = groups.to_text(resamples=50)
    lines = text.split("\n")
    assert next(line for line in lines if "domain" in line).split()[:3] == ["domain", "metric", "system"]
    assert [
        line.split()[0] for line in lines if line[:4].strip() and line[:4] in ("news", "ted ", "n=3 ")
    ] == ["news", "n=3", "ted", "n=3"]
    assert "p (Holm): corrected for the 14 tests shown" in " ".join(lines)
    assert "too narrow: news, ted." in " ".join(lines)
    assert max(len(line) for line in lines[: text[: text.index("gain:")].count("\n")]) <= 80
    row = groups.compare(resamples=50)["ted"]["bleu"]
    assert f"{row.gain:+.2f}  {row.p:.4f}  {row.p_holm:.4f}" in text
    rows = groups.scores("records")
    assert {(row["domain"], row["segments"]) for row in rows} == {("news", 3), ("ted", 3)}
    assert rows[0]["score"] == groups["news"]["A"]["bleu"]["score"]
    assert "low" in rows[0]
    assert groups.to_csv().startswith(
        "domain,segments,system,metric,output,score,low,high,gain,gain_low,gain_high,p,p_holm,baseline,"
    )
    assert r"\toprule" in groups.to_latex()
    assert "| news n=3 | bleu | ↑ | **A** |" in groups.to_markdown()
    assert "interval" not in str(groups)
    assert "<table" in groups._repr_html_()


def test_one_system_in_groups_has_no_tests() -> None:
    corpus = Corpus.read(["a b", "c", "d"], ["a b", "d", "d"], fields={"domain": ["x", "y", "x"]})
    text = nlgauge.Scorer(["wer"]).score_corpus(corpus, None, RunOptions()).by("domain").to_text()
    assert "p-values" not in text
    assert "Holm" not in text


@dataclass(frozen=True)
class Lengths(Fit):
    """One number per prediction."""

    over: ClassVar = "system"

    def partial(self, view: View) -> Arrays:
        return {
            "rows": np.array([len(view.text(text)) for text in view.predictions.tolist()], dtype=np.float64)
        }

    def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
        return {"rows": np.concatenate([part["rows"] for part in partials])}

    def taken(self, fitted: Arrays, predictions: Array) -> Arrays:
        return {"rows": fitted["rows"][predictions]}


@dataclass(frozen=True)
class Length(Metric):
    """The mean of what was fitted."""

    scale: float = 1.0

    name: ClassVar[str] = "fitted_length"
    takes: ClassVar = "alone"

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"length": (Output("length", True, 0),)}

    def fit(self) -> Fit:
        return Lengths()

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        return {"length": np.column_stack([self.scale * fitted["rows"][view.positions], np.ones(len(view))])}

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"length": statistics[..., 0] / statistics[..., 1]}


def test_fits_of_a_part_belong_to_its_predictions() -> None:
    part = scored([Length()]).where(domain="ted")
    lengths = [len(text) for text in PREDICTIONS["A"][1::2]]
    assert part["A"]["fitted_length"]["length"] == pytest.approx(np.mean(lengths))
    # A metric that shares the fit reads the rows of the part.
    assert part.add(Length(2.0))["A"]["fitted_length(scale=2.0)"]["length"] == pytest.approx(
        2 * np.mean(lengths)
    )


def test_mutual_information_keeps_the_rows_of_predictions_that_are_left() -> None:
    fitted = {"summary_entropy": np.arange(4.0), "summary_fit_width": np.array(3), "truncated": np.arange(4)}
    found = MutualInformation("minilm", True, ("summary",), None).taken(fitted, np.array([2, 0]))  # type: ignore[arg-type]
    assert {name: values.tolist() for name, values in found.items()} == {
        "summary_entropy": [2, 0],
        "summary_fit_width": 3,
        "truncated": [2, 0],
    }


def test_a_table_of_groups_says_what_was_fitted_on_all_segments():
    assert (
        "cider: fitted on all segments of the run, not on each group."
        in scored(["cider", "wer"]).by("domain")._page().notes
    )
    assert not any("fitted" in note for note in scored(["wer"]).by("domain")._page().notes)
