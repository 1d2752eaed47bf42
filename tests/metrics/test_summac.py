"""SummaC against the authors' package on the same weights, the spec's vectors, and where it differs on
purpose.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.explanations import Entailment
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.metrics.summac import SummaC, convolved, zero_shot

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

CHANGED_PARAMETERS = {
    "variant": "conv",
    "granularity": "paragraph-sentence",
    "labels": ("e", "n", "c"),
    "splitter": "punkt",
    "max_length": 20,
    "compat": "summac",
}
DOCUMENTS = [
    (
        "The cat sat on the mat. It won't happen again, he said. Shares fell by 3.5 % in early trading.\n\nOn"
        " Tuesday the minister met the president."
    ),
    "Nothing was said here about the cat, the mat or the president. " * 3 + "\nIt costs some 20% more.",
    " ".join(f"The cat sat on mat number {i}." for i in range(120)),
    "Short. No. Yes.",
]
SUMMARIES = [
    (
        "The cat is on the mat. Shares fell. The minister met the president on Tuesday.\nNever again, he"
        " said. Not so bad."
    ),
    "It costs 20% more. " + " ".join(f"Nothing was said by minister {letter}." for letter in "abcdefghijkl"),
    "The cat sat on the mat. " + "The mat was sat on by the cat and by the president. " * 3,
    "Well! Not much.",
]
GRANULARITIES = ["sentence", "2sents", "paragraph", "document", "paragraph-sentence"]


@pytest.fixture(scope="module")
def peer(tiny_models: dict[str, Path]) -> Any:
    """The authors' package with our model under the name of theirs, our sentences, and what Transformers
    5 took away.
    """
    module = pytest.importorskip("summac.model_summac")
    patch = pytest.MonkeyPatch()

    def batch_encode_plus(
        self: Any, pairs: list[tuple[str, str]], truncation_strategy: str | None = None, **options: Any
    ) -> Any:
        return self([first for first, _ in pairs], [second for _, second in pairs], **options)

    patch.setattr(transformers.PreTrainedTokenizerBase, "batch_encode_plus", batch_encode_plus, raising=False)
    patch.setattr(module.nltk.tokenize, "sent_tokenize", lambda text: Sentences().of(text))
    # Contradiction, neutral, entailment, as the tiny model has them; vitc is e, c, n.
    patch.setitem(
        module.model_map,
        "vitc",
        {"model_card": str(tiny_models["pair"]), "entailment_idx": 2, "contradiction_idx": 0},
    )
    yield module
    patch.undo()


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_zero_shot_equals_the_authors_package(
    granularity: str, peer: Any, tiny_models: dict[str, Path]
) -> None:
    official = peer.SummaCZS(
        granularity=granularity, model_name="vitc", imager_load_cache=False, device="cpu"
    )
    official.imager.max_input_length = 100
    expected = official.score(DOCUMENTS, SUMMARIES)["scores"]
    metric = SummaC(str(tiny_models["pair"]), granularity=granularity, max_length=100, compat="summac")
    result = nlgauge.score(SUMMARIES, sources=DOCUMENTS, metrics=metric)
    assert [row[result.labels[0]] for row in rows_by_label(result)] == pytest.approx(expected, abs=5e-6)
    assert np.ptp(expected) > 0.01


@pytest.mark.filterwarnings("ignore:Creating a tensor from a list")
def test_conv_equals_the_authors_package(peer: Any, tiny_models: dict[str, Path]) -> None:
    from nlgauge.metrics import summac as ours

    official = peer.SummaCConv(
        models=["vitc"],
        bins="percentile",
        granularity="sentence",
        nli_labels="e",
        device="cpu",
        imager_load_cache=False,
    )
    official.imagers[0].max_input_length = 100
    official.mlp.weight.data[:] = torch.tensor(ours._WEIGHTS)
    official.mlp.bias.data[:] = ours._BIAS
    # Its last layer is two rows of three numbers, all of the same mean: P(consistent) is the sigmoid of a
    # difference.
    official.layer_final.weight.data = torch.tensor([[0.0] * 3, [ours._SLOPE / 3] * 3])
    official.layer_final.bias.data = torch.tensor([0.0, ours._SHIFT])
    expected = official.score(DOCUMENTS, SUMMARIES)["scores"]
    result = nlgauge.score(
        SUMMARIES,
        sources=DOCUMENTS,
        metrics=SummaC(str(tiny_models["pair"]), "conv", max_length=100, compat="summac"),
    )
    assert [row[result.labels[0]] for row in rows_by_label(result)] == pytest.approx(expected, abs=5e-6)
    assert np.ptp(expected) > 0.01
    assert next(iter(result.values()))["truncated"] == 2


def test_spec_vectors() -> None:
    assert zero_shot(np.array([[0.9, 0.2], [0.1, 0.3]]), np.array([[0.0, 0.5], [0.6, 0.1]])) == pytest.approx(
        0.05
    )
    assert convolved(np.zeros((3, 1))) == pytest.approx(0.2024612579, abs=1e-9)
    # The last bin is closed: a certain entailment counts in it.
    assert convolved(np.ones((1, 1))) == pytest.approx(
        1 / (1 + math.exp(1.6173016577 * (0.6317588091 - 2.3670299053) + 0.3711860701))
    )


def test_short_sentences_count(tiny_models: dict[str, Path]) -> None:
    """The authors' package drops sentences of ten characters."""
    for compat, same in ((None, False), ("summac", True)):
        metric = SummaC(str(tiny_models["pair"]), compat=compat)
        result = nlgauge.score(
            ["The cat sat on the mat.", "The cat sat on the mat. No way."],
            sources=[DOCUMENTS[0]] * 2,
            metrics=metric,
        )
        one, other = (row[result.labels[0]] for row in rows_by_label(result))
        assert (one == pytest.approx(other, abs=1e-9)) == same


def test_late_sentences_count() -> None:
    """The authors' package lets Conv ignore the eleventh sentence and those after it."""
    matrix = np.repeat([[0.0] * 10 + [0.99, 0.5]], 3, axis=0)
    found = {"entail": matrix, "contradict": 1 - matrix}
    assert SummaC(variant="conv")._values(found)[0] == pytest.approx(convolved(matrix))
    assert SummaC(variant="conv", compat="summac")._values(found)[0] == pytest.approx(
        convolved(matrix[:, :10])
    )
    assert convolved(matrix) != pytest.approx(convolved(matrix[:, :10]), abs=1e-3)


@pytest.mark.parametrize(("variant", "expected"), [("zs", 0.0), ("conv", convolved(np.zeros((1, 1))))])
def test_nothing_to_check_is_not_a_score(variant: str, expected: float, tiny_models: dict[str, Path]) -> None:
    texts = {"sources": ["The cat sat.", "", "The cat sat."]}
    for compat in (None, "summac"):
        result = nlgauge.score(
            ["", "The cat sat.", "The mat."],
            **texts,
            metrics=SummaC(str(tiny_models["pair"]), variant, compat=compat),
        )
        rows = [row[result.labels[0]] for row in rows_by_label(result)]
        worst = -1 if variant == "zs" else 0
        assert rows[:2] == pytest.approx(
            [expected if compat else worst, expected if compat else math.nan], nan_ok=True
        )
        assert next(iter(result.values()))["empty"] == 1


def test_explanation_has_the_matrix(tiny_models: dict[str, Path]) -> None:
    result = nlgauge.score(SUMMARIES[:1], sources=DOCUMENTS[:1], metrics=SummaC(str(tiny_models["pair"])))
    (shown,) = result.explain(result.labels[0], 0)
    assert isinstance(shown, Entailment)
    assert shown.entail is not None and shown.contradict is not None and shown.neutral is not None
    assert (shown.premises, shown.hypotheses) == (Sentences().of(DOCUMENTS[0]), Sentences().of(SUMMARIES[0]))
    assert np.allclose(shown.entail + shown.contradict + shown.neutral, 1)
    assert shown.best == shown.entail.argmax(axis=0).tolist()
    assert next(iter(result.values()))["score"] == pytest.approx(zero_shot(shown.entail, shown.contradict))


@pytest.mark.parametrize("granularity", ["word", "sentence-", "sentence-sentence-sentence", 3])
def test_a_granularity_must_be_known(granularity: Any) -> None:
    with pytest.raises(
        ParameterError,
        match=r"granularity.*'sentence', '2sents', 'paragraph', 'document'",
    ):
        SummaC(granularity=granularity)
