"""Given: the texts of one call, scored by a metric of nlgauge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from nlgauge.compat.scoring import scored
from nlgauge.metric.reduction import ReduceFn
from nlgauge.metric.registry import find, make, spelt
from nlgauge.metric.table import Table


@dataclass(frozen=True)
class Request:
    """What one call of `compute` is to score, with the options of the run."""

    predictions: list[Any]
    references: list[Any] | None = None
    sources: list[Any] | None = None
    reduce_fn: ReduceFn = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def table(self, name: str, ours: Mapping[str, Any] | None = None, **parameters: Any) -> Table:
        """The statistics of a metric with these parameters, of which `ours`, what the user gave in
        nlgauge's words, replace others.
        """
        metric = make(name, {**parameters, **spelt(find(name), ours or {})})
        result = scored(
            {name: metric},
            self.predictions,
            self.references,
            self.sources,
            reduce_fn=self.reduce_fn,
            arguments=self.options,
        )
        return result._tables[result.systems[0], result.labels[0]]

    def score(self, name: str, ours: Mapping[str, Any] | None = None, **parameters: Any) -> float:
        """The corpus score of a metric with the same parameters."""
        return float(self.table(name, ours, **parameters).scores()["score"])

    def changed(self, change: Callable[[str], str]) -> Request:
        """The same with every prediction and reference changed."""
        references = None if self.references is None else [_each(change, given) for given in self.references]
        return replace(
            self, predictions=[_each(change, given) for given in self.predictions], references=references
        )

    def split_by(self, tokenizer: Callable[[str], Iterable[str]], *, lines: bool = False) -> Request:
        """The same with each token of a tokeniser written as one word, so that splitting at white space gives
        the tokens back.

        `lines`: the tokeniser gets one line at a time, and lines stay lines.
        """
        numbers: dict[str, int] = {}

        def words(text: str) -> str:
            return " ".join(f"t{numbers.setdefault(token, len(numbers))}" for token in tokenizer(text))

        return self.changed(
            (lambda text: "\n".join(words(line) for line in text.split("\n") if line)) if lines else words
        )


def _each(change: Callable[[str], str], given: Any) -> Any:
    return change(given) if isinstance(given, str) else [change(text) for text in given]
