"""The result of compiled metrics is the result of the ordinary way, in every part that can be asked for."""

from __future__ import annotations

import copy
import pickle
import threading
import warnings
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forking import assert_in_child, needs_fork
from strategies import SENTENCES
from twins import needs_native

import nlgauge
from nlgauge._core import ragged
from nlgauge.errors import InputError
from nlgauge.metric import REGISTERED, compiled
from nlgauge.results.compiled import CompiledResult
from nlgauge.results.groups import taken
from nlgauge.results.result import Result

pytestmark = needs_native

METRICS = ["bleu", "chrf(word_order=2)", "rouge", "wer"]
PREDICTIONS = [prediction for prediction, _ in SENTENCES]
REFERENCES = [references[0] for _, references in SENTENCES]
SEVERAL = [references for _, references in SENTENCES]


def both(metrics: Any = METRICS, references: Any = REFERENCES) -> tuple[CompiledResult, Result]:
    """The result of the second call of a scorer, and that of its first call."""
    scorer = nlgauge.Scorer(metrics)
    first, second = (scorer(PREDICTIONS, references) for _ in range(2))
    assert type(first) is Result
    assert type(second) is CompiledResult
    return second, first


def plain(value: Any) -> Any:
    """A value that can be compared, NaN included."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return repr(value) if isinstance(value, float) else value


@pytest.mark.parametrize("references", [REFERENCES, SEVERAL])
def test_scores_and_segments_are_the_same(references: Any) -> None:
    metrics = METRICS if references is REFERENCES else METRICS[1:]
    found, expected = both(metrics, references)
    assert list(found) == list(expected)
    for label in expected:
        assert plain(dict(found[label])) == plain(dict(expected[label]))
    assert plain(found.segments("records")) == plain(expected.segments("records"))
    assert plain(found.scores("records")) == plain(expected.scores("records"))


@pytest.mark.parametrize("references", [REFERENCES, SEVERAL])
def test_blocks_change_no_bit(references: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    times = 300 // len(PREDICTIONS) + 1
    predictions = [f"{text} {number % 7} {number % 11}" for number, text in enumerate(PREDICTIONS * times)]
    whole, ordinary = _compiled_and_ordinary(predictions, references * times)
    monkeypatch.setattr(compiled, "_BLOCK", 64)
    parts, _ = _compiled_and_ordinary(predictions, references * times)
    assert type(parts) is CompiledResult
    assert plain(parts.segments("records")) == plain(whole.segments("records"))
    assert (
        plain(parts.scores("records")) == plain(whole.scores("records")) == plain(ordinary.scores("records"))
    )
    monkeypatch.setattr(ragged, "_BLOCK_ROWS", 32)
    sums = [
        plain(result.scores("records")) for result in _compiled_and_ordinary(predictions, references * times)
    ]
    assert sums[0] == sums[1] != plain(whole.scores("records"))


def _compiled_and_ordinary(predictions: Any, references: Any) -> list[Result]:
    scorer = nlgauge.Scorer("rouge")
    return [scorer(predictions, references), scorer(predictions, tuple(references))]


def test_references_of_all_blocks_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_BLOCK", 200)
    predictions = ["a b"] * 400
    scorer = nlgauge.Scorer("wer")
    assert type(scorer(predictions, ["a c"] * 400)) is CompiledResult
    with pytest.raises(InputError, match=r"references\[200\] is a list"):
        scorer(predictions, ["a c"] * 200 + [["a c"]] * 200)
    with pytest.raises(InputError, match=r"399[^0-9]+400"):
        scorer(predictions, ["a c"] * 399)


def test_everything_else_is_the_same() -> None:
    found, expected = both()
    assert found.signatures == expected.signatures
    assert found.config == expected.config
    assert {**found.environment} == {**expected.environment}
    assert found.corpus.texts.strings == expected.corpus.texts.strings
    assert (found.systems, found.labels, len(found)) == (expected.systems, expected.labels, len(expected))
    assert found.to_text() == expected.to_text()
    assert plain(found.intervals(resamples=50)) == plain(expected.intervals(resamples=50))
    explained = [result.explain("bleu", segment=1)[0].title for result in (found, expected)]
    assert explained[0] == explained[1]


def test_costs_name_the_metrics_and_the_features() -> None:
    found, _ = both(["bleu"])
    assert list(found.costs.metrics) == ["bleu"]
    assert set(found.costs.features) == set(found.costs.reads["bleu"])
    assert any("13a" in name for name in found.costs.features)
    assert found.costs.memory > 0
    assert all(seconds >= 0 for seconds in found.costs.features.values())


def test_a_saved_result_is_the_same(tmp_path: Path) -> None:
    for name, result in zip(("found", "expected"), both(), strict=True):
        result.save(tmp_path / name)
    loaded = [nlgauge.load(tmp_path / name) for name in ("found", "expected")]
    assert loaded[0].to_text() == loaded[1].to_text()
    assert plain(loaded[0].segments("records")) == plain(loaded[1].segments("records"))


def test_copies_are_plain_results() -> None:
    found, expected = both()
    for made in (pickle.loads(pickle.dumps(found)), copy.copy(found), replace(found, has_texts=True)):
        assert isinstance(made, Result)
        assert plain(made.segments("records")) == plain(expected.segments("records"))
        assert {field.name for field in fields(Result)} <= made.__dict__.keys()


def test_parts_of_a_result_are_the_same() -> None:
    parts = [taken(result, np.array([2, 0, 3])) for result in both()]
    assert plain(parts[0].segments("records")) == plain(parts[1].segments("records"))
    assert plain(parts[0].scores("records", resamples=20)) == plain(parts[1].scores("records", resamples=20))


def test_later_changes_of_the_lists_change_nothing() -> None:
    scorer = nlgauge.Scorer("wer")
    predictions, references = ["a b", "c"], [["a x"], ["c"]]
    scorer(predictions, references)
    result = scorer(predictions, references)
    predictions[0] = "other"
    references[0].append("a b")
    references.pop()
    assert result.corpus.texts.strings[0] == "a b"
    assert result["wer"]["score"] == 1 / 3
    assert [row["wer"] for row in result.segments("records")] == [0.5, 0.0]


def test_calls_with_options_and_other_texts_take_the_ordinary_way(tmp_path: Path) -> None:
    scorer = nlgauge.Scorer("wer")
    scorer(["a"], ["a"])
    assert type(scorer(["a"], ["a"])) is CompiledResult
    for arguments, options in [
        ((("a",), ["a"]), {}),
        ((["a"], ("a",)), {}),
        (({"x": ["a"]}, ["a"]), {}),
        ((["a"], ["a"], ["s"]), {}),
        ((["a"], ["a"]), {"ids": ["x"]}),
        ((["a"], [["a", "b"]]), {"reduce_fn": "mean"}),
    ]:
        assert type(scorer(*arguments, **options)) is Result
    with pytest.raises(InputError):
        scorer(["a"], [None])
    assert type(nlgauge.Scorer("wer", executor="serial")(["a"] * 300, ["a"] * 300)) is Result
    saving = nlgauge.Scorer("wer", output=tmp_path / "saved")
    assert type(saving(["a"] * 300, ["a"] * 300)) is Result
    # A metric that takes all references at once is compiled for one of them.
    joint = nlgauge.Scorer("bleu")
    joint(["a"], [["a", "b"]])
    assert type(joint(["a"], [["a", "b"]])) is Result
    assert type(joint(["a"], [["a"]])) is CompiledResult


def test_large_calls_are_compiled_at_once() -> None:
    assert type(nlgauge.Scorer("wer")(["a"] * 256, ["a"] * 256)) is CompiledResult
    assert type(nlgauge.Scorer("wer")(["a"] * 255, ["a"] * 255)) is Result


def test_changed_metrics_of_a_scorer_are_seen() -> None:
    scorer = nlgauge.Scorer("wer")
    for _ in range(2):
        scorer(["a b"], ["a c"])
    scorer.metrics["cer"] = nlgauge.Scorer("cer").metrics["cer"]
    assert list(scorer(["a b"], ["a c"])) == ["wer", "cer"]


def test_warnings_come_with_the_call() -> None:
    scorer = nlgauge.Scorer("wer")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            scorer(["a b"], ["a c"])
    with pytest.warns(UserWarning, match="wer"):
        result = scorer(["我们走吧，今天天气很好。"], ["我们今天走吧，天气很好。"])
    assert type(result) is CompiledResult


@pytest.mark.parametrize("count", [3, 450])
@pytest.mark.parametrize("several", [False, True])
def test_warnings_are_those_of_the_ordinary_way(count: int, several: bool) -> None:
    predictions = [f"猫坐在垫子上{number}。" if number % 4 else "The cat sat." for number in range(count)]
    references: list[Any] = [[text, "狗在叫。"] for text in predictions] if several else predictions
    scorer = nlgauge.Scorer(["wer"])
    messages = []
    for options in ({"lang": None}, {}):
        with pytest.warns(UserWarning, match="wer") as caught:
            scorer(predictions, references, **options)
        messages.append([(str(warning.message), warning.filename) for warning in caught])
    assert messages[0] == messages[1]


def test_score_makes_a_metric_once_but_sees_a_new_one(registered: None) -> None:
    first = nlgauge.score(["a b"], ["a c"], metrics="wer")
    second = nlgauge.score(["a b"], ["a c"], metrics="wer")
    assert second["wer"] == first["wer"]
    assert type(second) is CompiledResult

    class Other(REGISTERED.classes["cer"]):  # type: ignore[misc]
        """Another metric under the name."""

    REGISTERED.classes["wer"] = Other
    assert "characters" in str(nlgauge.score(["a b"], ["a c"], metrics="wer").costs.features)


@needs_fork
def test_a_forked_child_scores_while_threads_do() -> None:
    """The child scores although other threads were in the middle of a call when it was made."""
    scorer = nlgauge.Scorer(METRICS)

    def scores() -> list[dict[str, Any]]:
        return [dict(each) for each in scorer(PREDICTIONS, REFERENCES).segments("records")]

    expected = scores()
    ended = threading.Event()

    def work() -> None:
        while not ended.is_set():
            scorer(PREDICTIONS, REFERENCES)["bleu"]

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            assert_in_child(lambda: plain(scores()) == plain(expected))
    finally:
        ended.set()
        for thread in threads:
            thread.join()
