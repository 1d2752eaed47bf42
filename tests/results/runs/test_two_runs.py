"""Two runs: what is common, what is refused, and tests that are those of a comparison of the same texts."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.errors import InputError, ResultError
from nlgauge.results.joined import joined
from nlgauge.results.result import Result
from nlgauge.results.runs.alignment import aligned
from nlgauge.results.runs.testing import RunTests, compare_runs
from nlgauge.stats.corrections import holm

_WORDS = (
    "the ferry leaves at ten and old letters lie under the stairs of a small museum near the river".split()
)


def _texts(count: int, seed: int = 1) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(_WORDS, k=6 + i % 9)) for i in range(count)]


def _spoiled(text: str, share: float, seed: int) -> str:
    draw = random.Random(f"{text} {seed}")
    return " ".join("x" if draw.random() < share else word for word in text.split())


def run(count: int = 60, worse: float = 0.1, law: float | None = None, **changes: Any) -> Result:
    """Score a run in which every word is lost with the chance `worse`, or `law` in the domain of law."""
    texts = _texts(count)
    rows: list[dict[str, Any]] = []
    for i, text in enumerate(texts):
        domain = ("news", "law")[i % 2]
        share = law if law is not None and domain == "law" else worse
        for system in changes.get("systems", ("A",)):
            rows.append(
                {
                    "id": f"s{i}",
                    "system": system,
                    "prediction": _spoiled(text, share, changes.get("seed", 0)),
                    "references": [changes.get("references", {}).get(i, text)],
                    "domain": domain,
                    **({"human.quality": 5.0 * (1 - share) + i % 3} if changes.get("rated") else {}),
                }
            )
    kept = [row for row in rows if row["id"] not in changes.get("without", ())]
    return nlgauge.score(kept, metrics=changes.get("metrics", ["bleu", "chrf", "ter"]))


def test_segments_are_aligned_by_id_whatever_their_order() -> None:
    new = run(without=("s0", "s1"), references={5: "another reference"})
    old = run(without=("s9",))
    order = np.random.default_rng(3).permutation(len(old.corpus))
    from nlgauge.results.groups import taken

    for shuffled in (old, taken(old, order)):
        runs = aligned(new, shuffled)
        assert runs.only_new == ("s9",)
        assert sorted(runs.only_old) == ["s0", "s1"]
        assert runs.changed == {"s5": "references"}
        ids = [str(segment) for segment in runs.both.corpus.ids]
        assert ids == [f"s{i}" for i in range(2, 60) if i not in (5, 9)]
        assert [str(new.corpus.ids[i]) for i in runs.common] == ids
        assert [str(shuffled.corpus.ids[i]) for i in runs.places] == ids
        rows = compare_runs(runs, resamples=50).rows
        assert {(row.first, row.second) for row in rows} == {("A (old)", "A")}
        assert all(row.gain == 0 and row.p == 1 for row in rows)


def test_tests_are_those_of_one_result_with_both_systems() -> None:
    new, old = run(worse=0.25, seed=1), run(seed=2)
    ours = compare_runs(aligned(new, old), resamples=200)
    one = joined(new, old, "A", "old").compare("A", "old", baseline="old", resamples=200)
    for row, other in zip(ours.rows, one, strict=True):
        assert (row.label, row.gain, row.p) == (other.label, other.gain, other.p)
        assert (row.gain_low, row.gain_high) == (other.gain_low, other.gain_high)
        assert row.p_holm == other.p_holm
    assert all(row.gain < 0 for row in ours.rows)
    assert all(ours.is_significant(row) for row in ours.rows)


def test_slices_are_corrected_over_all_columns_and_few_units_are_not_tested() -> None:
    new, old = run(law=0.5), run()
    found = compare_runs(aligned(new, old), resamples=200)
    by = {(one.field, one.value, one.row.label): one for one in found.slices}
    law, news = by["domain", "law", "chrf"], by["domain", "news", "chrf"]
    assert found.is_significant(law.row)
    assert law.row.gain < -5
    assert (news.row.gain, news.row.p_holm) == (0, 1)
    family = [one for one in found.slices if one.row.label == "chrf"]
    assert {one.field for one in family} == {"domain", "length"}
    assert [one.row.p_holm for one in family] == pytest.approx(
        holm([one.row.p for one in family]), nan_ok=True
    )
    few = [one for one in family if one.segments < 20]
    assert few
    assert all(math.isnan(one.row.p_holm) and "fewer than 20" in one.row.reason for one in few)
    # A slice is a result of only its segments.
    part = new.where(domain="law")["A"]["chrf"]["score"]
    assert law.row.second_score == pytest.approx(part)


def test_metrics_with_other_parameters_are_refused_and_other_versions_are_remarked() -> None:
    new, old = run(), run()
    signatures = {**old.signatures, "bleu": old.signatures["bleu"].replace("tok:13a", "tok:char")}
    signatures["ter"] = signatures["ter"].replace("nlgauge:", "nlgauge:9.")
    runs = aligned(new, replace(old, signatures=signatures))
    assert runs.refused == {"bleu": (new.signatures["bleu"], signatures["bleu"])}
    ((ours, theirs),) = runs.versions.values()
    assert theirs == f"9.{ours}"
    assert list(runs.both.labels) == ["chrf", "ter"]
    other = run(metrics=["rouge"])
    with pytest.raises(ResultError, match="no common metric"):
        aligned(new, other)


def test_systems_are_paired_by_name_or_as_told() -> None:
    new, old = run(systems=("A", "B")), run(systems=("B", "C"))
    runs = aligned(new, old)
    assert [(pair.new, pair.old) for pair in runs.pairs] == [("B", "B")]
    assert (runs.only_new_systems, runs.only_old_systems) == (("A",), ("C",))
    named = aligned(new, old, {"A": "C", "B": "C"})
    assert [pair.name for pair in named.pairs] == ["A against C", "B against C"]
    assert len(set(named.both.systems)) == 4
    single = aligned(run(systems=("mine",)), run(systems=("theirs",)))
    assert single.pairs[0].name == "mine against theirs"
    with pytest.raises(ResultError, match="no system of the same name"):
        aligned(run(systems=("A", "B")), run(systems=("C", "D")))
    with pytest.raises(InputError, match="the old run has no system 'D'"):
        aligned(new, old, {"A": "D"})


def test_numbered_segments_need_equal_texts() -> None:
    def numbered(count: int, shift: int = 0) -> Result:
        texts = _texts(count + shift)[shift:]
        return nlgauge.score([f"{text} x" for text in texts], [[text] for text in texts], metrics=["bleu"])

    runs = aligned(numbered(30), numbered(25))
    assert (len(runs.common), runs.only_new) == (25, tuple(map(str, range(25, 30))))
    with pytest.raises(ResultError, match="no ids and their references or sources differ") as error:
        aligned(numbered(30), numbered(30, 3))
    assert "--ids" in error.value.for_cli()


def test_composed_and_decomposed_texts_are_equal() -> None:
    one, other = (
        nlgauge.score([{"id": "a", "system": "S", "prediction": "x", "references": [text]}], metrics=["bleu"])
        for text in ("caf\u00e9", "cafe\u0301")
    )
    assert aligned(one, other).changed == {}


def test_human_scores_take_part_or_are_named() -> None:
    rated, unrated = run(rated=True, worse=0.4), run()
    assert aligned(rated, unrated).unrated == {"quality": "old"}
    assert aligned(unrated, rated).unrated == {"quality": "new"}
    both = aligned(rated, run(rated=True))
    assert both.people == ("quality",)
    row = next(row for row in compare_runs(both, resamples=100).rows if row.label == "quality")
    assert row.gain == pytest.approx(-1.5)
    assert row.p < 0.05


def test_equal_runs_with_missing_scores_one_segment_and_one_system() -> None:
    one = nlgauge.score(
        [{"id": "a", "system": "S", "prediction": "", "references": ["b"]}], metrics=["bleu", "mattr"]
    )
    found: RunTests = compare_runs(aligned(one, one), resamples=20)
    assert all(math.isnan(row.p) for row in found.rows)
    assert not any(map(found.is_significant, found.rows))
    assert found.slices == ()


def test_no_common_segment_is_an_error() -> None:
    new = run(20)
    with pytest.raises(ResultError, match="no common segment id"):
        aligned(new, replace(new, corpus=replace(new.corpus, ids=[f"t{i}" for i in range(20)])))
    changed = run(20, references={i: f"other {i}" for i in range(20)})
    with pytest.raises(ResultError, match="no common segment with the same source"):
        aligned(new, changed)
