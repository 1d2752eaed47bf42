"""The calls of Hugging Face evaluate: load, combine, compute, add and add_batch; results are plain dictionaries of nlgauge's outputs.

Names and scales of outputs are those of nlgauge: BLEU is 0 to 100, a corpus score is a number and not a list, and several references are given as
one list per prediction. evaluate's METEOR is NLTK's, with other weights and alignments than nlgauge's default, so `load("meteor")` is NLTK's too
unless its version or `compat` is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from nlgauge.compat.scoring import plain, scored, split
from nlgauge.errors import InputError, ParameterError
from nlgauge.metric import AnyMetric
from nlgauge.metric.registry import find, make, spelt
from nlgauge.run.reduction import ReduceFn

# The parameters with which a metric is what evaluate calls by its name, where the default is something else.
_THEIRS = {"meteor": {"version": "2005", "compat": "nltk", "tokenizer": "punctuated"}}


class Evaluation:
    """One metric, or several combined, with the texts that were added so far."""

    def __init__(
        self, metrics: Mapping[str, AnyMetric], options: Mapping[str, Any] | None = None, *, combined: bool = False, force_prefix: bool = False
    ) -> None:
        self.metrics = dict(metrics)
        self.options = dict(options or {})
        self._combined = combined
        self._force_prefix = force_prefix
        self._texts: dict[str, list[Any]] = {}

    def add(self, *, prediction: Any = None, reference: Any = None, source: Any = None) -> None:
        """Adds one segment; `reference` may be a list of references."""
        given = {"predictions": prediction, "references": reference, "sources": source}
        self.add_batch(**{name: None if text is None else [text] for name, text in given.items()})

    def add_batch(self, *, predictions: Any = None, references: Any = None, sources: Any = None) -> None:
        """Adds segments, which the next `compute` scores."""
        batch = {"predictions": predictions, "references": references, "sources": sources}
        given = {name: list(texts) for name, texts in batch.items() if texts is not None}
        if "predictions" not in given:
            raise InputError("no predictions were given; add prediction=... or predictions=[...].")
        if self._texts and given.keys() != self._texts.keys():
            raise InputError(f"this batch has {', '.join(given)}, those before have {', '.join(self._texts)}; give the same in every batch.")
        for name, texts in given.items():
            if len(texts) != len(given["predictions"]):
                raise InputError(f"{name} has {len(texts)} items, predictions has {len(given['predictions'])}; give one for each prediction.")
        if "references" in given:  # some batches may have one reference per segment, others several
            given["references"] = [[reference] if isinstance(reference, str) else reference for reference in given["references"]]
        for name, texts in given.items():
            self._texts.setdefault(name, []).extend(texts)

    def compute(
        self, *, predictions: Any = None, references: Any = None, sources: Any = None, reduce_fn: ReduceFn = None, **arguments: Any
    ) -> dict[str, Any]:
        """Every output for all texts added and given, which are then forgotten; `arguments` go to every metric that has such a parameter."""
        if predictions is not None:
            self.add_batch(predictions=predictions, references=references, sources=sources)
        if not self._texts:
            raise InputError("there is nothing to score; give predictions=[...], or add them first.")
        texts = [self._texts.get(name) for name in ("predictions", "references", "sources")]
        result = scored(self.metrics, *texts, reduce_fn=reduce_fn, arguments={**self.options, **arguments})
        self._texts = {}
        outputs = plain(result, self.metrics)
        if not self._combined:
            return dict(next(iter(outputs.values())))
        times = Counter(name for values in outputs.values() for name in values)
        return {
            f"{label}_{name}" if self._force_prefix or times[name] > 1 else name: value
            for label, values in outputs.items()
            for name, value in values.items()
        }


def load(path: str, **arguments: Any) -> Evaluation:
    """A metric by name, with parameters.

    >>> load("exact_match").compute(predictions=["a", "b"], references=["a", "c"])["exact_match"]
    0.5
    """
    parameters, options = split(arguments)
    if not parameters.keys() & {"version", "compat"}:
        parameters = {**_THEIRS.get(path, {}), **spelt(find(path), parameters)}
    return Evaluation({path: make(path, parameters)}, options)


def combine(evaluations: Iterable[str | Evaluation] | Mapping[str, str | Evaluation], force_prefix: bool = False) -> Evaluation:
    """Several metrics in one; outputs of the same name are prefixed with the metric's name and an underscore.

    >>> combine(["wer", "cer"]).compute(predictions=["a cut"], references=["a cat"])["cer_score"]
    0.2
    """
    metrics: dict[str, AnyMetric] = {}
    options: dict[str, Any] = {}
    named = evaluations.items() if isinstance(evaluations, Mapping) else [(None, evaluation) for evaluation in evaluations]
    for name, given in named:
        evaluation = load(given) if isinstance(given, str) else given
        if name is not None and len(evaluation.metrics) > 1:
            raise ParameterError(f"{name!r} names several metrics ({', '.join(evaluation.metrics)}); combine them one by one.")
        for label, metric in evaluation.metrics.items():
            if (name or label) in metrics:
                raise ParameterError(f"{name or label!r} is combined twice; give them names, combine({{name: metric, ...}}).")
            metrics[name or label] = metric
        options |= evaluation.options
    return Evaluation(metrics, options, combined=True, force_prefix=force_prefix)
