"""Request: the texts of one call of `compute`, scored by a metric of nlgauge."""

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
    """Texts to score in one call of `compute`, with the options of the run."""

    predictions: list[Any]
    references: list[Any] | None = None
    sources: list[Any] | None = None
    reduce_fn: ReduceFn = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def table(self, name: str, ours: Mapping[str, Any] | None = None, **parameters: Any) -> Table:
        """Return the statistics of a metric.

        `ours` are parameters of the user under the names of nlgauge; they take precedence over `parameters`.
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
        """Return the corpus score of a metric; the arguments are those for `table`."""
        return float(self.table(name, ours, **parameters).scores()["score"])

    def changed(self, change: Callable[[str], str]) -> Request:
        """Return the request with `change` applied to every prediction and reference."""
        references = None if self.references is None else [_each(change, item) for item in self.references]
        return replace(
            self, predictions=[_each(change, item) for item in self.predictions], references=references
        )

    def split_by(self, tokenizer: Callable[[str], Iterable[str]], *, lines: bool = False) -> Request:
        """Return the request with each token of a tokenizer replaced by one word.

        Splitting at white space then restores the tokens. With `lines`, the tokenizer gets one line at a time, and the
        lines remain separate.
        """
        numbers: dict[str, int] = {}

        def words(text: str) -> str:
            return " ".join(f"t{numbers.setdefault(token, len(numbers))}" for token in tokenizer(text))

        return self.changed(
            (lambda text: "\n".join(words(line) for line in text.split("\n") if line)) if lines else words
        )


def _each(change: Callable[[str], str], item: Any) -> Any:
    return change(item) if isinstance(item, str) else [change(text) for text in item]
