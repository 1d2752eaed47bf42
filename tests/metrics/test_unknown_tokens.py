"""Texts that a model's vocabulary does not know: counted, warned about, and never the best."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge._core.ragged import Ragged
from nlgauge.features.vocabulary import unknown_counts
from nlgauge.models.loader import Loaded, load

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

Models = dict[str, Path]
# One unknown token for each sign in the tiny models' vocabulary.
UNKNOWN, OTHER = "猫狗", "鳥魚"
SIMILARITIES = {"bertscore": ("encoder", "layer=2"), "embedding_similarity": ("encoder", "")}
DISTANCES = {
    "baryscore": ("encoder", "layers=1"),
    "depthscore": ("encoder", "layer=2"),
    "infolm": ("masked", ""),
}
PAIRS = {**SIMILARITIES, **DISTANCES}
quietly = pytest.mark.filterwarnings(
    "ignore:.*unknown to the model", "ignore:.*far too high", "ignore:.*unreliable"
)


def spec(name: str, models: Models) -> str:
    kind, parameters = PAIRS[name]
    return f"{name}(model={str(models[kind])!r}{', ' + parameters if parameters else ''})"


def outputs(metric: Any, *texts: Any, **options: Any) -> dict[str, float]:
    result = nlgauge.score(*texts, metrics=metric, **options)
    return result[result.labels[0]]


@quietly
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("pair", [(UNKNOWN, OTHER), (UNKNOWN, UNKNOWN), (UNKNOWN, ""), ("", UNKNOWN)])
def test_a_pair_without_a_known_token_is_never_the_best(
    name: str, pair: tuple[str, str], tiny_models: Models
) -> None:
    found = outputs(spec(name, tiny_models), [pair[0]], [pair[1]])
    assert found["score"] == 0 if name in SIMILARITIES else math.isnan(found["score"])
    assert found["unknown_tokens"] == 1


@quietly
@pytest.mark.parametrize("name", PAIRS)
def test_a_text_without_a_known_token_scores_as_an_empty_one(name: str, tiny_models: Models) -> None:
    metric = spec(name, tiny_models)
    for unknown, empty in (((UNKNOWN, "the cat"), ("", "the cat")), (("the cat", UNKNOWN), ("the cat", ""))):
        found, expected = (outputs(metric, [pair[0]], [pair[1]])["score"] for pair in (unknown, empty))
        assert found == pytest.approx(expected, abs=1e-6)
    many = nlgauge.score([UNKNOWN, "the cat", "a mat"], ["the cat", "the cat", OTHER], metrics=metric)
    alone = outputs(metric, ["the cat"], ["the cat"])["score"]
    assert rows_by_label(many)[1][metric] == pytest.approx(alone, abs=1e-6)


@quietly
@pytest.mark.parametrize("name", PAIRS)
def test_the_share_is_of_all_tokens_of_both_texts(name: str, tiny_models: Models) -> None:
    metric = spec(name, tiny_models)
    assert outputs(metric, ["猫 cat"], ["the cat"])["unknown_tokens"] == 1 / 4
    # Six tokens in the first pair, three in the second: the corpus has two of nine, not the mean of the
    # shares.
    assert (
        outputs(metric, ["猫 cat sat on", "a"], ["the cat", UNKNOWN[:1] + " mat"])["unknown_tokens"] == 2 / 9
    )
    assert outputs(metric, [""], [""])["unknown_tokens"] == 0


@quietly
@pytest.mark.parametrize("name", ["blanc", "estime"])
def test_documents_and_summaries_are_read_as_empty_ones(name: str, tiny_models: Models) -> None:
    parameters = "layer=2, window=50, margin=5" if name == "estime" else "shortest_word=1"
    metric = f"{name}(model={str(tiny_models['masked'])!r}, {parameters})"
    document = "the cat sat on the mat."
    unknown = outputs(metric, ["the cat"], sources=[UNKNOWN])
    assert math.isnan(unknown["score"])
    assert unknown["unknown_tokens"] == 2 / 4
    pairs = [outputs(metric, [summary], sources=[document]) for summary in (UNKNOWN, "")]
    for one in pairs:
        one.pop("unknown_tokens")
    assert pairs[0] == pytest.approx(pairs[1], abs=1e-6, nan_ok=True)


class _Tokenizer:
    """One token per letter: a, b, and 2 for all others."""

    bos_token_id, unk_token_id = 3, 2

    def __call__(self, text: str, **_: Any) -> Any:
        return SimpleNamespace(input_ids=["ab".index(letter) if letter in "ab" else 2 for letter in text])

    def decode(self, ids: list[int]) -> str:
        return "ab?^"[ids[0]]


def _model(input_ids: Any) -> Any:
    return SimpleNamespace(logits=torch.zeros((*input_ids.shape, 4)))


@quietly
def test_perplexity_and_shannon_of_a_text_without_a_known_token() -> None:
    model = nlgauge.Model(_model, _Tokenizer(), "letters")
    from nlgauge.metrics.perplexity import Perplexity
    from nlgauge.metrics.shannon import Shannon

    found = outputs(Perplexity(model), ["xyz", "ab"])
    assert (found["score"], found["tokens"], found["unknown_tokens"]) == (pytest.approx(4), 2, 3 / 5)
    assert math.isnan(outputs(Perplexity(model), ["xyz"])["score"])
    found = outputs(Shannon(model), ["ab"], sources=["xy"])
    assert math.isnan(found["score"]) and found["document_tokens"] == 0 and found["unknown_tokens"] == 1 / 2


@quietly
@pytest.mark.parametrize("name", ["frechet", "mauve"])
def test_a_side_of_unknown_texts_is_undefined(name: str, tiny_models: Models) -> None:
    parameters = ", features='embedding'" if name == "mauve" else ""
    metric = f"{name}(model={str(tiny_models['encoder'])!r}{parameters})"
    references = ["the cat", "a mat", "sat on"]
    found = outputs(metric, ["猫", "狗", "鳥"], references)
    assert math.isnan(found["score"])
    assert found["unknown_tokens"] == 3 / 9
    assert not math.isnan(outputs(metric, ["猫", "狗", "the"], references)["score"])


def test_bytes_are_all_known(tiny_models: Models) -> None:
    for metric in ("perplexity", "shannon"):
        assert (
            outputs(f"{metric}(model={str(tiny_models['causal'])!r})", [UNKNOWN], sources=[UNKNOWN])[
                "unknown_tokens"
            ]
            == 0
        )


def test_a_run_warns_once_for_each_metric_where_many_tokens_are_unknown(tiny_models: Models) -> None:
    metrics = [spec("bertscore", tiny_models), spec("embedding_similarity", tiny_models)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = nlgauge.score(
            {"A": [UNKNOWN, "the cat"], "B": [OTHER, "a cat"]}, [OTHER, "the cat"], metrics=metrics
        )
        nlgauge.score(["the cat sat on the mat. " * 3 + "猫"], ["the cat sat on the mat"], metrics=metrics)
    assert len(caught) == 2
    assert all("xlm-roberta-base" in str(warning.message) for warning in caught)
    with pytest.warns(UserWarning, match="50%.*tokens"):
        result.add(spec("baryscore", tiny_models))


@pytest.mark.parametrize("unknown", ["</s>", None])
def test_a_token_with_another_meaning_is_not_the_unknown_one(unknown: str | None) -> None:
    tokenizer = SimpleNamespace(
        unk_token_id=None if unknown is None else 2, eos_token_id=2, convert_tokens_to_ids=lambda piece: None
    )
    assert unknown_counts(Loaded("bytes", None, tokenizer, "cpu"), Ragged.of([[2, 5], []])).tolist() == [
        [0, 2],
        [0, 0],
    ]


def test_the_space_before_an_unknown_word_is_not_a_known_token(tiny_models: Models) -> None:
    tokenizer = SimpleNamespace(unk_token_id=3, convert_tokens_to_ids=lambda piece: 6 if piece == "▁" else 3)
    assert unknown_counts(Loaded("pieces", None, tokenizer, "cpu"), Ragged.of([[6, 3], [6, 7]])).tolist() == [
        [1, 1],
        [0, 1],
    ]
    bert = load(str(tiny_models["encoder"]), "encoder", None)
    ids = Ragged.of([bert.tokenizer("the 猫").input_ids])
    assert unknown_counts(bert, ids, np.array([True, False, False, True])).tolist() == [[1, 2]]


@quietly
def test_cosmic_leaves_out_pairs_with_a_text_that_the_model_does_not_know(tiny_models: Models) -> None:
    metric = f"cosmic(model={str(tiny_models['encoder'])!r}, estimator='gaussian', components=2, seeds=1)"
    sources = [f"the cat {letter} sat on {other}" for letter in "abcdef" for other in "ghij"]
    summaries = [text[4:] for text in sources]
    unknown, empty = (outputs(metric, [lost, *summaries[1:]], sources=sources) for lost in (UNKNOWN, ""))
    assert unknown["cosmic"] == empty["cosmic"]
    assert unknown["scored_pairs"] == len(sources) - 1
    assert 0 == empty["unknown_tokens"] < unknown["unknown_tokens"] < 0.1
