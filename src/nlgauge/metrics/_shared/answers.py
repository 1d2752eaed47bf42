"""The base of metrics that ask a model a question about texts and read its answer from the first token:
UniEval, MetricX, SEAHORSE.

A question is a template with {prediction}, {source} or {reference} in it. A prediction that is empty, or has
no token that the model knows, is shown to the model if the authors' program does that (`shows_empty`), and
otherwise has the worst value. If another of these texts is empty, there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus import Corpus
from nlgauge.explanations import Explanation, TokenScores
from nlgauge.features.language_models.first_token import FirstTokenLogits
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.metric import Arrays, View
from nlgauge.metric.mean import Measured, worst_of
from nlgauge.metrics._shared.model_means import ModelMeans, measured, read_sides, with_mean
from nlgauge.metrics._shared.unknown_tokens import ReadableTexts
from nlgauge.models import ModelSpec, model_facts

_SIDES = ("prediction", "source", "reference")


class Question(NamedTuple):
    """A template, and whether it is asked of the whole prediction, or of its sentences, whose answers are
    averaged or added up.
    """

    template: str
    over: Literal["text", "mean", "sum"] = "text"

    @property
    def sides(self) -> list[str]:
        """The texts that the question contains."""
        return [side for side in _SIDES if f"{{{side}}}" in self.template]


class _Asked(NamedTuple):
    """The answers to one question: row by row those of the units asked of, the units (text ids), and
    whether a prompt was cut.
    """

    answers: Ragged
    units: Ragged
    truncated: Array


class AnswerMetric(ModelMeans):
    """Questions whose answers are numbers; if there are several, the first output is their mean."""

    tokens: ClassVar[tuple[str | int, ...]]
    drop_eos: ClassVar[bool] = False
    # Splitter of a prediction into sentences, if a question is asked about each; a parameter of UniEval.
    splitter: str = "sentencex"

    def prompts(self) -> Mapping[str, Question]:
        """Return the question of each output."""
        raise NotImplementedError

    def model_of(self, question: str) -> ModelSpec:
        """Return the model that is asked a question."""
        raise NotImplementedError

    def max_tokens(self) -> int:
        """Return the number of tokens of a prompt that are read."""
        raise NotImplementedError

    def answer(self, logits: Array) -> Array:
        """Return the answer as a number from the logits of the tokens, one row per prompt."""
        raise NotImplementedError

    def sides(self) -> set[str]:
        """Return the texts that the questions contain."""
        return {side for question in self.prompts().values() for side in question.sides}

    def facts(self, corpus: Corpus) -> dict[str, str]:
        models = [model_facts(model) for model in dict.fromkeys(map(self.model_of, self.prompts()))]
        joined = {name: ",".join(dict.fromkeys(model[name] for model in models)) for name in models[0]}
        splits = any(question.over != "text" for question in self.prompts().values())
        return {
            **super().facts(corpus),
            **joined,
            **({"sentences": f"{self.splitter}-{corpus.lang or 'en'}"} if splits else {}),
        }

    def measured(self, view: View) -> Measured:
        columns, cut, counts = [], np.zeros(len(view), dtype=np.int64), np.zeros((len(view), 2))
        empty = np.ones(len(view), dtype=bool)
        outputs = {output.name: output for output in self.measures()}
        for name, question in self.prompts().items():
            read = self._read(view, name)
            asked = self._asked(view, name, {side: reading.ids for side, reading in read.items()})
            sums = np.bincount(asked.answers.owners, asked.answers.values, len(view))
            lengths = asked.answers.lengths
            values = sums / np.maximum(lengths, 1) if question.over == "mean" else sums
            scored, without = self.scored(view, read)
            columns.append(
                np.where(scored & (lengths > 0), values, np.where(without, worst_of(outputs[name]), np.nan))
            )
            empty &= without
            cut |= asked.truncated
            counts += np.sum([reading.counts for reading in read.values()], axis=0)
        return measured(with_mean(np.column_stack(columns)), cut, empty, counts)

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        asked = {
            name: self._asked(
                view, name, {side: reading.ids for side, reading in self._read(view, name).items()}
            )
            for name in self.prompts()
        }
        for i, row in enumerate(self.statistics(view, fitted)[self.name]):
            by_units: dict[tuple[int, ...], dict[str, list[float]]] = {}
            for name, found in asked.items():
                by_units.setdefault(tuple(found.units[i].tolist()), {})[name] = found.answers[i].tolist()
            for units, values in by_units.items():
                yield TokenScores(
                    self.title(row), {self.name: row}, [view.text(unit) for unit in units], values
                )

    def _read(self, view: View, name: str) -> dict[str, ReadableTexts]:
        """Return the texts that a question contains, as its model can read them."""
        return read_sides(view, self.model_of(name), "seq2seq", self.prompts()[name].sides)

    def _asked(self, view: View, name: str, ids: dict[str, Array]) -> _Asked:
        question, texts = self.prompts()[name], view.features.texts
        if question.over == "text":
            units = Ragged.single(ids["prediction"])
        else:
            column, rows = view.get(Sentences(view.lang or "en", self.splitter), ids["prediction"])
            units = column.take(rows)
        prompts = [
            texts.intern(
                question.template.format(
                    prediction=view.text(unit),
                    **{side: view.text(ids[side][row]) for side in question.sides[1:]},
                )
            )
            for row, unit in zip(units.owners.tolist(), units.values.tolist(), strict=True)
        ]
        feature = FirstTokenLogits(self.model_of(name), self.tokens, self.max_tokens(), self.drop_eos)
        found, places = view.get(feature, np.array(prompts, dtype=np.int64))
        answers = self.answer(found.logits.values[places])
        truncated = np.bincount(units.owners, found.truncated.values[places], len(view)) > 0
        return _Asked(Ragged(answers, units.offsets), units, truncated.astype(np.int64))


def probability_of_first(logits: Array) -> Array:
    """Return the probability of the first of two tokens, of the two: sigmoid of the difference of their
    logits.
    """
    found: Array = 1 / (1 + np.exp(np.clip(logits[:, 1] - logits[:, 0], -700, 700)))
    return found
