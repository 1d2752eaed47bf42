"""Shannon Score against the closed form of the spec's toy model, and against one token at a time."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.metric.registry import parse
from nlgauge.metrics.shannon import Shannon
from nlgauge.models.loader import load

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

# A ratio of two differences of information, which a random model makes small: 4 of 230 nats, so that rounding
# counts fifty times.
TOLERANCE = 2e-4
CHANGED_PARAMETERS = {
    "full": "document",
    "separator": "\n",
    "units": "bits",
    "measure": "blanc_shannon",
    "start": "cat",
}
DOCUMENT = (
    "The cat sat on the mat. It was a big cat, he said. Shares fell by 3.5 % in early trading! Nobody knows"
    " why."
)
SUMMARIES = [
    "The cat sat on a mat and shares fell.",
    "A president met the prime minister on Tuesday, they said.",
]


class CacheModel:
    """p(w | context) = .05 + .5 count(w) / length over ten words, uniform where the context is empty; the
    start token does not count.
    """

    def __call__(self, input_ids: Any) -> Any:
        logits = torch.empty(*input_ids.shape, 11)
        for row, line in enumerate(input_ids.tolist()):
            for place in range(len(line)):
                context = [token for token in line[: place + 1] if token]
                probabilities = [1e-30] + [
                    0.05 + 0.5 * context.count(w) / len(context) if context else 0.1 for w in range(1, 11)
                ]
                logits[row, place] = torch.tensor(probabilities, dtype=torch.float64).log().float()
        return SimpleNamespace(logits=logits)


class LetterTokenizer:
    """Words a to j are 1 to 10; 0 is the start token."""

    bos_token_id = 0

    def __call__(self, text: str, add_special_tokens: bool = True, verbose: bool = True) -> Any:
        return SimpleNamespace(input_ids=["_abcdefghij".index(word) for word in text.split()])

    def decode(self, ids: list[int]) -> str:
        return "_abcdefghij"[ids[0]]


@pytest.fixture
def lines_are_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sentences, "of", lambda self, text: text.split("\n"))


@pytest.mark.usefixtures("lines_are_sentences")
@pytest.mark.parametrize(
    ("full", "given_itself", "score"),
    [("sentence", 7.9028525038, 0.6063764393), ("document", 8.9108238419, 0.7369338324)],
)
def test_toy_model_of_the_spec(full: str, given_itself: float, score: float) -> None:
    metric = Shannon(nlgauge.Model(CacheModel(), LetterTokenizer(), "cache"), full=full)
    found = nlgauge.score(["a c"], sources=["a b c\na d"], metrics=metric)["shannon"]
    assert found["information"] == pytest.approx(13.5923670067, abs=1e-5)
    assert found["information_given_summary"] == pytest.approx(10.1423794608, abs=1e-5)
    assert found["information_given_document"] == pytest.approx(given_itself, abs=1e-5)
    assert found["information_difference"] == pytest.approx(3.4499875458, abs=1e-5)
    assert found["score"] == pytest.approx(score, abs=1e-6)


@pytest.mark.usefixtures("lines_are_sentences")
def test_bits() -> None:
    model = nlgauge.Model(CacheModel(), LetterTokenizer(), "cache")
    found = nlgauge.score(["a c"], sources=["a b c\na d"], metrics=Shannon(model, units="bits"))["shannon"]
    assert found["information_difference"] == pytest.approx(3.4499875458 / math.log(2), abs=1e-5)
    assert found["score"] == pytest.approx(0.6063764393, abs=1e-6)


def _one_token_at_a_time(
    place: Path, document: str, summary: str, upstream: int, separator: str, full: str
) -> tuple[float, float, float, float]:
    """I(D), I(D|S), I(D|D) and BLANC-Shannon by the definition: a forward pass for every token, float64,
    no cache.
    """
    loaded = load(str(place), "causal", "cpu")
    model = transformers.AutoModelForCausalLM.from_pretrained(place).double().eval()
    sentences = Sentences().of(document)

    def ids(text: str) -> list[int]:
        return list(loaded.tokenizer(text, add_special_tokens=False).input_ids)

    def information(prompt: list[int], text: list[int]) -> tuple[float, list[bool]]:
        total, guessed = 0.0, []
        for i, token in enumerate(text):
            with torch.no_grad():
                logits = model(torch.tensor([[0, *prompt, *text[:i]]])).logits[0, -1]
            total -= float(torch.log_softmax(logits, dim=-1)[token])
            guessed.append(int(logits.argmax()) == token)
        return total, guessed

    sums = np.zeros(3)
    gained: list[int] = []
    for j, sentence in enumerate(sentences):
        before = [
            token for other in sentences[max(0, j - upstream) : j] for token in ids(other) + ids(separator)
        ]
        itself = before + ids(sentence)
        if full == "document":
            itself = [
                token
                for i, other in enumerate(sentences)
                for token in (ids(separator) if i else []) + ids(other)
            ]
        prompts = before, ids(summary) + ids(separator) + before, itself + ids(separator) + before
        found = [information(list(prompt), ids(sentence)) for prompt in prompts]
        sums += [total for total, _ in found]
        gained += [helped - alone for alone, helped in zip(found[0][1], found[1][1], strict=True)]
    return (*sums, sum(gained) / len(gained))


@pytest.mark.parametrize(
    ("upstream", "separator", "full"),
    [
        (0, "", "sentence"),
        (2, "", "sentence"),
        (1, "\n", "sentence"),
        (0, "\n", "document"),
        (1, "!", "document"),
    ],
)
def test_equals_one_token_at_a_time(
    upstream: int, separator: str, full: str, tiny_models: dict[str, Path]
) -> None:
    metric = Shannon(str(tiny_models["causal"]), upstream=upstream, separator=separator, full=full)
    result = nlgauge.score({"A": [SUMMARIES[0]], "B": [SUMMARIES[1]]}, sources=[DOCUMENT], metrics=metric)
    for system, summary in zip("AB", SUMMARIES, strict=True):
        base, helped, itself, gain = _one_token_at_a_time(
            tiny_models["causal"], DOCUMENT, summary, upstream, separator, full
        )
        found = result[system][str(metric)]
        assert found["information"] == pytest.approx(base, abs=1e-4)
        assert found["information_given_summary"] == pytest.approx(helped, abs=1e-4)
        assert found["information_given_document"] == pytest.approx(itself, abs=1e-4)
        known = found["information"], found["information_given_summary"], found["information_given_document"]
        # Not of the sums above: what they differ by in their last digits is divided by a small number.
        assert found["score"] == pytest.approx((known[0] - known[1]) / (known[0] - known[2]), rel=1e-9)
        assert found["blanc_shannon"] == pytest.approx(gain, abs=1e-9)


def test_shared_prompts_and_capped_heads_give_the_same_numbers(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from nlgauge.features.language_models import causal_lm, model_halves
    from nlgauge.models.loader import release

    metric = Shannon(str(tiny_models["causal"]))
    expected = nlgauge.score([SUMMARIES[0]], sources=[DOCUMENT], metrics=metric)["shannon"]
    monkeypatch.setattr(causal_lm, "_caches", lambda loaded: False)
    monkeypatch.setattr(model_halves, "_heads", lambda model: iter([]))
    release()
    plain = nlgauge.score([SUMMARIES[0]], sources=[DOCUMENT], metrics=metric)["shannon"]
    release()
    assert plain == pytest.approx(expected, abs=1e-4)


def test_base_and_full_are_read_once_for_all_systems(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from nlgauge.features.language_models.causal_lm import LogProbs

    keys: list[tuple[str, ...]] = []
    compute = LogProbs.compute
    monkeypatch.setattr(
        LogProbs, "compute", lambda self, asked, *rest: keys.extend(asked) or compute(self, asked, *rest)
    )
    nlgauge.score(
        {"A": [SUMMARIES[0]], "B": [SUMMARIES[1]]},
        sources=[DOCUMENT],
        metrics=Shannon(str(tiny_models["causal"])),
    )
    sentences = len(Sentences().of(DOCUMENT))
    assert len(keys) == len(set(keys)) == (1 + 2 + 1) * sentences


def test_empty_summary_tells_nothing_and_empty_document_is_unknown(tiny_models: dict[str, Path]) -> None:
    metric = Shannon(str(tiny_models["causal"]))
    result = nlgauge.score(["", "the cat"], sources=[DOCUMENT, ""], metrics=metric)
    first, second = rows_by_label(result)
    assert first[str(metric)] == 0
    assert math.isnan(second[str(metric)])
    assert second[f"{metric}.information_difference"] == 0
    assert result["shannon"]["score"] == 0


def test_long_prompts_are_cut_counted_and_never_leave_a_sentence_out(tiny_models: dict[str, Path]) -> None:
    metric = Shannon(str(tiny_models["causal"]))
    found = nlgauge.score(["the cat sat on the mat " * 60], sources=[DOCUMENT], metrics=metric)["shannon"]
    plain = nlgauge.score(["the cat"], sources=[DOCUMENT], metrics=metric)["shannon"]
    assert found["truncated"] == 1
    assert found["document_tokens"] == plain["document_tokens"] > 0
    assert plain["truncated"] == 0


def test_a_model_in_training_mode_is_refused(tiny_models: dict[str, Path]) -> None:
    model = transformers.AutoModelForCausalLM.from_pretrained(tiny_models["causal"]).train()
    own = nlgauge.Model(model, transformers.AutoTokenizer.from_pretrained(tiny_models["causal"]))
    with pytest.raises(nlgauge.NlgaugeError, match="training mode"):
        nlgauge.score(["a"], sources=["a b"], metrics=Shannon(own))


def test_token_information_adds_up(tiny_models: dict[str, Path]) -> None:
    metric = Shannon(str(tiny_models["causal"]))
    result = nlgauge.score([SUMMARIES[0]], sources=[DOCUMENT], metrics=metric)
    (shown,) = result.explain("shannon", 0)
    assert "".join(shown.tokens).startswith("The cat sat")
    outputs = {
        "alone": "information",
        "given the summary": "information_given_summary",
        "given itself": "information_given_document",
    }
    for name, output in outputs.items():
        assert sum(shown.values[name]) == pytest.approx(result["shannon"][output])


def test_smollm2_prefers_the_summary_of_the_document() -> None:
    from nlgauge.models.weights import store

    if store.location("smollm2") is None:
        pytest.skip("smollm2 is not in the cache; run: nlgauge models get smollm2")
    assert load("smollm2", "causal", "cpu").start_token == 0
    document = "Jack drove his minivan to the bazaar to purchase milk and honey for his large family."
    result = nlgauge.score(
        {"right": ["Jack bought milk and honey."], "wrong": ["The weather is nice today."]},
        sources=[document],
        metrics="shannon",
    )
    assert 0.2 < result["right"]["shannon"]["score"] < 0.5
    assert abs(result["wrong"]["shannon"]["score"]) < 0.1


@pytest.mark.parametrize(("summary", "gain"), [("b", 0.5), ("a", -0.5), ("", 0.0)])
def test_blanc_shannon_of_a_model_that_repeats_what_it_read(summary: str, gain: float) -> None:
    """It guesses the commonest word so far, of equal ones the first of the alphabet: of "b b" alone the
    second, after "b" both, after "a" none.
    """
    metric = Shannon(nlgauge.Model(CacheModel(), LetterTokenizer(), "cache"), measure="blanc_shannon")
    result = nlgauge.score([summary], sources=["b b"], metrics=metric)
    outputs = result[result.labels[0]]
    assert outputs["score"] == outputs["blanc_shannon"] == gain
    assert rows_by_label(result)[0][result.labels[0]] == gain
    assert parse("blanc_shannon") == Shannon(measure="blanc_shannon")


@pytest.mark.parametrize("batch_size", [None, 1, 2])
def test_an_empty_summary_tells_exactly_nothing(batch_size: int | None, tiny_models: dict[str, Path]) -> None:
    summaries = ["", "the cat", "a dog sat on the mat", "it"]
    documents = [
        DOCUMENT,
        DOCUMENT,
        "a dog ran off.",
        "It was a big cat, he said. He knows why the shares fell in early trading on Tuesday.",
    ]
    metric = Shannon(str(tiny_models["causal"]))
    result = nlgauge.score(summaries, sources=documents, metrics=metric, batch_size=batch_size, cache=False)
    found = next(iter(result._tables.values())).segments()
    assert (found["shannon"][0], found["information_difference"][0], found["blanc_shannon"][0]) == (
        0.0,
        0.0,
        0.0,
    )
    assert found["information_difference"][1] != 0
