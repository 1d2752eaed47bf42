"""Measures of predicted and expected spans: vectors of brute force, two real sets, and what must always hold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from span_cases import vectors, wmt24_people
from test_span_scores import mqm_data

from nlgauge import spans
from nlgauge.errors import InputError, ParameterError
from nlgauge.spans import Span, Spans, SpanTexts
from nlgauge.spans.combining import first_of, union_of
from nlgauge.spans.measures import MEASURES, Rules, counts, precision_recall_f
from nlgauge.spans.sentinels import at_random, everything, not_in_the_reference, nothing

PUBLISHED = ("em", "mp", "mpp", "char")


def voice(lists: Sequence[Sequence[Span]], who: str = "x") -> Spans:
    cells = {(0, n): each for n, each in enumerate(lists)}
    return Spans.of_cells(who, "people", ["A"], list(range(len(lists))), cells)


def one(
    predicted: Sequence[Span], expected: Sequence[Span], measure: str = "mpp", **rules: Any
) -> list[float]:
    return counts(voice([predicted]), voice([expected]), [measure], Rules(**rules))[measure][0, 0].tolist()


def of_vector(case: Sequence[Any]) -> list[Span]:
    return [
        Span(start, end, severity, side=side) if end > start else Span(None, None, severity, side=side)
        for side, start, end, severity in case
    ]


@pytest.mark.parametrize("penalty", [0.0, 0.5, 1.0])
def test_small_cases_equal_brute_force(penalty: float):
    data = vectors("spans_small.json")
    cases = data["cases"]
    predicted = voice([of_vector(case["predicted"]) for case in cases])
    expected = voice([of_vector(case["expected"]) for case in cases])
    computed = counts(predicted, expected, PUBLISHED, Rules(penalty))
    corpus = data["all cases as one corpus"][f"penalty {penalty}"]
    for measure in PUBLISHED:
        values = computed[measure][0]
        for row, case in zip(values, cases, strict=True):
            vector = case[f"penalty {penalty}"][measure]
            assert row == pytest.approx(vector["counts"], abs=1e-9), case["name"]
            assert precision_recall_f(row) == pytest.approx(vector["prf"], abs=1e-9), case["name"]
        assert precision_recall_f(values.sum(axis=0)) == pytest.approx(corpus[measure]["micro"], abs=1e-9)
        assert precision_recall_f(values).mean(axis=0) == pytest.approx(corpus[measure]["macro"], abs=1e-9)


@pytest.mark.slow
def test_real_spans_of_people_and_sentinels():
    data = vectors("spans_wmt24_esa.json")
    people = wmt24_people()
    for group, vector in data.items():
        chosen = [n for n, segment in enumerate(people.segments) if str(segment).startswith(group)]
        expected = people.take(np.array(chosen))
        texts = expected.texts
        assert texts is not None
        assert int(expected.looked.sum()) == vector["texts"]
        assert int((expected.start >= 0).sum()) == vector["spans"]
        detectors = {
            "nothing": nothing(texts, expected.looked),
            "everything": everything(texts, expected.looked),
            "not in the reference": not_in_the_reference(texts, expected.looked),
            "at random places": at_random(expected, seed=1),
        }
        for name, predicted in detectors.items():
            computed = counts(predicted, expected, PUBLISHED)
            for measure in PUBLISHED:
                rows = computed[measure][expected.looked]
                found = vector["detectors"][name][measure]
                exact = name != "at random places"
                if exact:
                    assert rows.sum(axis=0) == pytest.approx(found["counts"], abs=1e-6)
                tolerance = 1e-6 if exact else 0.02
                assert precision_recall_f(rows.sum(axis=0)) == pytest.approx(found["micro"], abs=tolerance)
                assert precision_recall_f(rows).mean(axis=0) == pytest.approx(found["macro"], abs=tolerance)


def test_real_spans_of_several_annotators():
    data = vectors("spans_sxs_ende.json")
    file = spans.read(mqm_data("sxs_mqm_generalMT2023_ende.3ratingsPerSegment.tsv"))
    by_name = {each.who: each for each in file}
    assert sorted(by_name) == data["raters"]
    for penalty in (0.0, 0.5):
        rows: dict[str, list[Any]] = {measure: [] for measure in PUBLISHED}
        for first, second in combinations(sorted(by_name), 2):
            computed = counts(by_name[first], by_name[second], PUBLISHED, Rules(penalty))
            both = by_name[first].looked & by_name[second].looked
            for measure in PUBLISHED:
                rows[measure].append(computed[measure][both])
        for measure in PUBLISHED:
            pairs = np.concatenate(rows[measure])
            vector = data["agreement"][f"penalty {penalty}"][measure]
            assert len(pairs) == data["pairs of raters"]
            assert pairs.sum(axis=0) == pytest.approx(vector["counts"], abs=1e-6)
            assert precision_recall_f(pairs.sum(axis=0)) == pytest.approx(vector["micro"], abs=1e-6)
            assert precision_recall_f(pairs).mean(axis=0) == pytest.approx(vector["macro"], abs=1e-6)


def test_critical_errors_are_major_errors_unless_severities_are_exact():
    critical, major = [Span(0, 4, "critical")], [Span(0, 4, "major")]
    assert one(critical, major) == [1, 1, 1, 1]
    assert one(critical, major, severity="exact") == [0.5, 1, 0.5, 1]
    assert one(critical, [Span(0, 4, "minor")], severity="ignore") == [1, 1, 1, 1]


def test_categories_restrict_pairs():
    first, second = Span(0, 4, "minor", "accuracy/addition"), Span(0, 4, "minor", "accuracy/omission")
    for measure in MEASURES:
        assert one([first], [second], measure)[0] > 0
        assert one([first], [second], measure, category="first")[0] > 0
        assert one([first], [second], measure, category="all")[0] == 0


@pytest.mark.parametrize("measure", MEASURES)
def test_omissions_are_dropped_or_matched_in_order(measure: str):
    predicted = [
        Span(None, None, "major"),
        Span(None, None, "minor"),
        Span(None, None, "minor", side="source"),
    ]
    expected = [Span(None, None, "major"), Span(None, None, "major")]
    assert one(predicted, expected, measure) == [0, 0, 0, 0]
    # The third is on another side.
    assert one(predicted, expected, measure, omissions="match") == [1.5, 3, 1.5, 2]


def test_char23_counts_every_character_once():
    twice = [Span(0, 10, "minor"), Span(4, 8, "major")]
    assert one(twice, [Span(0, 10, "minor")], "char") == [10, 14, 10, 10]
    # Six characters are minor in both; four are major in the first.
    assert one(twice, [Span(0, 10, "minor")], "char23") == [8, 10, 8, 10]


def test_an_unread_text_has_no_counts():
    read = Spans.of_cells("a", "people", ["A"], [0, 1], {(0, 0): []})
    both = counts(read, voice([[], []]))["em"]
    assert both[0, 0].tolist() == [0, 0, 0, 0] and np.isnan(both[0, 1]).all()
    assert np.isnan(precision_recall_f(both)[0, 1]).all()
    with pytest.raises(InputError, match="same systems and segments"):
        counts(read, voice([[]]))


@pytest.mark.parametrize(
    "options", [{"penalty": 1.5}, {"penalty": True}, {"severity": "x"}, {"category": "x"}, {"omissions": "x"}]
)
def test_rules_are_checked(options: dict[str, Any]):
    with pytest.raises(ParameterError):
        Rules(**options)
    with pytest.raises(ParameterError, match="measure"):
        counts(voice([[]]), voice([[]]), ["emm"])


def test_unions_join_spans_of_equal_severity():
    ana = voice([[Span(0, 5, "minor", "style"), Span(None, None, "major")]])
    ben = voice([[Span(3, 9, "minor"), Span(4, 6, "major"), Span(9, 12, "minor")]])
    assert union_of([ana, ben]).at(0, 0) == [
        Span(0, 9, "minor"),
        Span(4, 6, "major"),
        Span(9, 12, "minor"),
        Span(None, None, "major"),
    ]
    assert first_of([ana, ben]).at(0, 0) == ana.at(0, 0)


def test_random_places_stay_in_their_texts():
    texts = SpanTexts(("A",), tuple(range(50)), np.array([["x" * 12] * 50], object))
    marked = {
        (0, n): [Span(0, 12, "major"), Span(3, 7, "minor"), Span(None, None, "minor")] for n in range(50)
    }
    expected = Spans.of_cells("a", "people", ["A"], texts.segments, marked, texts)
    moved = at_random(expected, seed=3)
    placed = moved.start >= 0
    assert (moved.end - moved.start)[placed].tolist() == (expected.end - expected.start)[placed].tolist()
    assert moved.end.max() <= 12 and len(set(moved.start[placed].tolist())) == 9
    assert (at_random(expected, seed=3).start == moved.start).all()


SPAN = st.builds(
    lambda start, length, severity, side: Span(start, start + length, severity, side=side),
    st.integers(0, 30),
    st.integers(1, 12),
    st.sampled_from(["minor", "major", "critical"]),
    st.sampled_from(["target", "target", "source"]),
)
LISTS = st.lists(SPAN, max_size=5)


def brute_force_char(predicted: list[Span], expected: list[Span], penalty: float) -> float:
    """Return the true positives of char, one character at a time."""
    total = 0.0
    for side in ("target", "source"):
        for place in range(45):
            covering = [
                [
                    "major" if span.severity == "critical" else span.severity
                    for span in marked
                    if span.side == side and (span.start or 0) <= place < (span.end or 0)
                ]
                for marked in (predicted, expected)
            ]
            shared = sum(min(covering[0].count(s), covering[1].count(s)) for s in ("minor", "major"))
            rest = min(len(covering[0]), len(covering[1])) - shared
            total += shared + (1 - penalty) * rest
    return total


@given(LISTS, LISTS, st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.randoms())
def test_properties_of_all_measures(predicted: list[Span], expected: list[Span], penalty: float, rng: Any):
    rules = Rules(penalty)
    ours, theirs = voice([predicted]), voice([expected])
    forward, back = counts(ours, theirs, rules=rules), counts(theirs, ours, rules=rules)
    shuffled = list(predicted), list(expected)
    for each in shuffled:
        rng.shuffle(each)
    again = counts(voice([shuffled[0]]), voice([shuffled[1]]), rules=rules)
    more = counts(voice([[*predicted, Span(100, 103, "minor")]]), theirs, rules=rules)
    for measure in MEASURES:
        row = forward[measure][0, 0]
        p, r, f = precision_recall_f(row)
        assert 0 <= f <= 1 and 0 <= p <= 1 + 1e-12 and 0 <= r <= 1 + 1e-12
        if measure != "mpp":  # equal sums of weights may belong to different matchings
            assert precision_recall_f(back[measure][0, 0])[2] == pytest.approx(f)
        assert again[measure][0, 0] == pytest.approx(row)
        # A span that matches nothing lowers precision only.
        p_more, r_more, _ = precision_recall_f(more[measure][0, 0])
        assert r_more == pytest.approx(r) and (p_more < p or p == 0)
    assert forward["char"][0, 0, 0] == pytest.approx(brute_force_char(predicted, expected, penalty))
    if penalty == 0:
        assert forward["em"][0, 0, 0] <= forward["mp"][0, 0, 0]
        assert (forward["mpp"][0, 0, [0, 2]] <= forward["mp"][0, 0, 0] + 1e-9).all()


@given(st.lists(LISTS, min_size=1, max_size=4))
def test_spans_agree_with_themselves(lists: list[list[Span]]):
    spans_of_all = voice(lists)
    for sums in counts(spans_of_all, spans_of_all).values():
        assert precision_recall_f(sums)[..., 2] == pytest.approx(1.0)
