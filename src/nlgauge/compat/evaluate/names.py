"""Metrics of evaluate by name, with the functions that compute them, and alternatives to missing ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from nlgauge.compat.evaluate import answers, models, texts


class Shape(NamedTuple):
    """Implementation of a metric of evaluate: a function for its outputs, and the metric of nlgauge.

    `name` is the name of the loaded metric in evaluate, if it differs from the name for loading.
    """

    compute: Callable[..., Any]
    metric: str
    name: str | None = None


SHAPES: Mapping[str, Shape] = {
    "bertscore": Shape(models.bertscore, "bertscore", "bert_score"),
    "bleu": Shape(texts.bleu, "bleu"),
    "cer": Shape(texts.cer, "cer"),
    "character": Shape(texts.character, "character"),
    "chrf": Shape(texts.chrf, "chrf", "chr_f"),
    "comet": Shape(models.comet, "comet"),
    "exact_match": Shape(texts.exact_match, "exact_match"),
    "google_bleu": Shape(texts.google_bleu, "gleu"),
    "mauve": Shape(models.mauve, "mauve"),
    "meteor": Shape(texts.meteor, "meteor"),
    "nist_mt": Shape(texts.nist_mt, "nist"),
    "perplexity": Shape(models.perplexity, "perplexity"),
    "rouge": Shape(texts.rouge, "rouge"),
    "sacrebleu": Shape(texts.sacrebleu, "bleu"),
    "sari": Shape(texts.sari, "sari"),
    "squad": Shape(answers.squad, "squad"),
    "squad_v2": Shape(answers.squad_v2, "squad"),
    "ter": Shape(texts.ter, "ter"),
    "wer": Shape(texts.wer, "wer"),
    "wiki_split": Shape(texts.wiki_split, "sari"),
}

# In evaluate, these metrics compare class labels; in nlgauge, they compare tokens.
OF_LABELS = ("accuracy", "f1", "precision", "recall")

# Metrics of evaluate that nlgauge does not have, with alternatives.
_LATER = "it comes with a later release; until then, the most similar metric is bertscore"
_LABELS = "it compares labels or numbers, not texts; use scikit-learn or SciPy"
MISSING: Mapping[str, str] = {
    "bleurt": (
        "its checkpoints are files of TensorFlow; the most similar metric is bleurt of nlgauge.score, whose default"
        " model is bleurt-20"
    ),
    "frugalscore": _LATER,
    "charcut_mt": "the most similar metric is character, a rate of edited characters with shifts",
    "cuad": "the most similar metric is squad",
    "competition_math": "the most similar metric is exact_match",
    "code_eval": "it runs generated programs, which nlgauge does not do",
    "mcnemar": "it compares two systems; use result.compare(A, B) of nlgauge.score",
    "wilcoxon": "it compares two systems; use result.compare(A, B) of nlgauge.score",
    **dict.fromkeys(
        (
            "brier_score",
            "confusion_matrix",
            "glue",
            "super_glue",
            "indic_glue",
            "xnli",
            "xtreme_s",
            "matthews_correlation",
        ),
        _LABELS,
    ),
    **dict.fromkeys(
        tuple("mae mape mase mse smape r_squared roc_auc pearsonr spearmanr seqeval poseval".split()),
        _LABELS,
    ),
}
