"""Metrics of Hugging Face's `Trainer`: a function for its argument `compute_metrics`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from nlgauge.engine.prepare import MetricSpec
from nlgauge.errors import InputError
from nlgauge.results.labels import output_names
from nlgauge.scoring import Scorer

# The label of tokens that the loss ignores.
IGNORED = -100


def compute_metrics(
    tokenizer: Any,
    metrics: MetricSpec | Iterable[MetricSpec] = "chrf",
    *,
    sources: bool = False,
    postprocess: Callable[[str], str] = str.strip,
    **options: Any,
) -> Callable[[Any], dict[str, float]]:
    """Return a function that decodes the texts of an evaluation and scores them.

    Parameters
    ----------
    tokenizer : tokenizer or processor of transformers
        Object with `batch_decode` and `pad_token_id`.
    metrics : str, metric, mapping or iterable of these
        Metrics, as in `nlgauge.score`.
    sources : bool, default False
        Decode the inputs as sources, for metrics that need them; set `include_for_metrics=["inputs"]` in the arguments
        of the trainer.
    postprocess : callable, optional
        Function of every decoded text. Default: remove blanks at both ends.
    **options
        Options of `Scorer.__call__`, such as `lang`, `device` and `batch_size`.

    Returns
    -------
    callable
        Function for `Trainer(compute_metrics=...)`: scores by name, such as "chrf" and "rouge.rougeL".

    Notes
    -----
    Labels of -100 are padding. Predictions are the tokens that `Seq2SeqTrainer` generates
    (`predict_with_generate=True`); scores of the vocabulary are reduced to the most probable tokens, which are not a
    generation, because every token is predicted after the correct text.

    Examples
    --------
    >>> class Tokenizer:
    ...     pad_token_id = 0
    ...     def batch_decode(self, rows, skip_special_tokens):
    ...         return [" ".join(chr(96 + token) for token in row if token) for row in rows]
    >>> function = compute_metrics(Tokenizer(), "exact_match")
    >>> function(([[1, 2, 0], [3, 0, 0]], [[1, 2, -100], [4, -100, -100]]))
    {'exact_match': 0.5}
    """
    scorer = Scorer(metrics)

    def compute(evaluated: Any) -> dict[str, float]:
        predictions, labels, inputs = _fields(evaluated)
        if sources and inputs is None:
            raise InputError(
                "the inputs are missing; set include_for_metrics=['inputs'] in the arguments of the trainer."
            )
        texts = [
            [postprocess(text) for text in _decoded(tokenizer, rows)]
            for rows in (predictions, labels, *((inputs,) if sources else ()))
        ]
        result = scorer(*texts, **options)
        table = result._tables
        return {
            name: float(table[result.systems[0], label].scores()[output])
            for (label, output), name in output_names(result).items()
            if output in {each.name for each in table[result.systems[0], label].leading()}
        }

    return compute


def _fields(evaluated: Any) -> tuple[Any, Any, Any]:
    """Return predictions, labels and inputs of an `EvalPrediction`, or of a pair."""
    if hasattr(evaluated, "predictions"):
        return evaluated.predictions, evaluated.label_ids, getattr(evaluated, "inputs", None)
    predictions, labels, *inputs = evaluated
    return predictions, labels, inputs[0] if inputs else None


def _decoded(tokenizer: Any, rows: Any) -> list[str]:
    """Return the texts of rows of tokens; ignored labels are padding, and scores of the vocabulary are reduced."""
    if isinstance(rows, Mapping):
        rows = rows["input_ids"]
    if isinstance(rows, tuple):  # the model returned further arrays
        rows = rows[0]
    tokens = np.asarray(rows)
    if tokens.ndim == 3:
        tokens = tokens.argmax(axis=-1)
    if tokens.ndim != 2 or not np.issubdtype(tokens.dtype, np.number):
        raise InputError(f"texts must be rows of tokens, got an array of shape {tokens.shape}.")
    owner = getattr(tokenizer, "tokenizer", tokenizer)  # a processor has a tokenizer
    padding = next(
        (
            token
            for name in ("pad_token_id", "eos_token_id")
            if (token := getattr(owner, name, None)) is not None
        ),
        0,
    )
    filled = np.where(tokens < 0, padding, tokens).astype(np.int64)
    texts: list[str] = tokenizer.batch_decode(filled, skip_special_tokens=True)
    return texts
