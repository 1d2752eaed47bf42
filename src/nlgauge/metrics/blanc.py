"""BLANC: how many more hidden words of a document a masked language model guesses with the help of the
summary.

    S_ij = number of hidden tokens guessed (1) or not (0) without the summary (i) and with it (j)
    relative = (S_01 - S_10) / (S_00 + S_01 + S_10 + S_11)          the share of hidden tokens that the summary gains, less those that it loses
    improve  = S_01 / (S_00 + S_01 + S_11)

BLANC-help (`mode="help"`) reads [CLS] summary, separator, sentence [SEP], against as many dots in the
summary's place. BLANC-tune (`mode="tune"`) trains a copy of the model on the summary, and reads [CLS]
sentence [SEP] before and after. In each sentence every `gap`-th token is hidden, at each offset in turn;
words under four letters and continuation pieces of words never are. A guess is right if the likeliest token
is the hidden token.

The corpus score is the mean over segments, as in the paper; accuracies and counts are of all tokens together.
The authors' program gives 0 if nothing could be hidden; it cuts a long summary always at its end, and a
single long sentence at its start, because the change of sides that it means to make in the second half of a
document never happens. `compat="blanc"` does both. A text without any token that the model knows is read as
an empty text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array, Ragged
from nlgauge.corpus import Corpus
from nlgauge.explanations import Explanation, WordGroups
from nlgauge.features.language_models.cloze import ClozeAnswers, ClozeReader, HelpedGuesses, Hiding
from nlgauge.features.language_models.tuning import TunedGuesses, Tuning
from nlgauge.metric import TRUNCATED, Arrays, Metric, Output, Takes, View, register
from nlgauge.metric.domains import require_choice, require_number, require_whole
from nlgauge.metric.mean import share
from nlgauge.metrics._shared.model_means import UsesModel
from nlgauge.metrics._shared.unknown_tokens import UNKNOWN_TOKENS, read_pairs, unknown_share
from nlgauge.models import ModelSpec
from nlgauge.models.loader import load

_COUNTS = ("guessed_neither", "gained", "lost", "guessed_both")


@register
@dataclass(frozen=True)
class Blanc(UsesModel, Metric):
    """BLANC-help or BLANC-tune (the score), the model's accuracy without and with the summary, and what
    became of the hidden tokens.
    """

    model: ModelSpec = "bert-base-uncased"
    mode: str = "help"
    measure: str = "relative"
    gap: int = 2
    gap_mask: int = 1
    shortest_word: int = 4
    shortest_lead: int = 2
    shortest_followup: int = 100
    masking: str = "even"
    p_mask: float = 0.15
    separator: str = ""
    sentence_kept: int = 100
    chunk: int = 64
    stride: int = 32
    epochs: int = 10
    learning_rate: float = 5e-5
    p_token_replace: float = 0.1
    p_token_original: float = 0.1
    compat: str | None = None

    name: ClassVar[str] = "blanc"
    revision: ClassVar[int] = 2
    aliases: ClassVar[dict[str, dict[str, object]]] = {"blanc_help": {}, "blanc_tune": {"mode": "tune"}}
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True
    seeded: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, "mode", ("help", "tune"))
        require_choice(self, "measure", ("relative", "improve"))
        require_choice(self, "masking", ("even", "random"))
        for whole in (
            "gap",
            "gap_mask",
            "shortest_word",
            "shortest_lead",
            "shortest_followup",
            "sentence_kept",
            "chunk",
            "stride",
            "epochs",
        ):
            require_whole(self, whole)
        self.require(self.gap_mask <= self.gap, "gap_mask", f"at most gap, which is {self.gap}")
        self.require(isinstance(self.separator, str), "separator", "a string")
        require_number(self, "learning_rate", above=True)
        require_number(self, "p_mask", most=1, above=True)
        require_number(self, "p_token_replace", most=1)
        require_number(self, "p_token_original", most=1 - self.p_token_replace)
        require_choice(self, "compat", (None, "blanc"))

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        nan = "the document has no token long enough to be hidden, or none that the model knows"
        score = Output("blanc", True, -1 if self.measure == "relative" else 0, 1, nan=nan)
        accuracies = [Output(name, None, 0, 1, nan=nan) for name in ("accuracy_alone", "accuracy_helped")]
        return {
            "blanc": (
                score,
                *accuracies,
                *(Output(name, None, 0) for name in (*_COUNTS, "masked_tokens")),
                TRUNCATED,
                UNKNOWN_TOKENS,
            )
        }

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {
            **super().facts(corpus),
            "sentences": f"sentencex-{corpus.lang or 'en'}",
        }

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        answers, rows, tokens = self._answers(view)
        both = 2 * answers.without_summary.values + answers.with_summary.values
        counts = np.column_stack(
            [np.bincount(answers.ids.owners, both == kind, len(answers.ids)) for kind in range(4)]
        )[rows]
        neither, gained, lost, known = counts.T
        if self.measure == "relative":
            score = (gained - lost) / np.maximum(counts.sum(axis=1), 1)
        else:
            score = gained / np.maximum(neither + gained + known, 1)
        defined = (counts.sum(axis=1) > 0) | (self.compat == "blanc")
        return {"blanc": np.column_stack([score, defined, counts, answers.truncated.values[rows], tokens])}

    def score(self, part: str, statistics: Array) -> Arrays:
        neither, gained, lost, known = (statistics[..., 2 + i] for i in range(4))
        total = neither + gained + lost + known
        return {
            "blanc": share(statistics[..., 0], statistics[..., 1]),
            "accuracy_alone": share(lost + known, total),
            "accuracy_helped": share(gained + known, total),
            **dict(zip(_COUNTS, (neither, gained, lost, known), strict=True)),
            "masked_tokens": total,
            "truncated": statistics[..., 6],
            **unknown_share(statistics),
        }

    def _answers(self, view: View) -> tuple[ClozeAnswers, Array, Array]:
        """Return the answers, the places of each row's answers, and each row's unknown and all tokens."""
        shortest = self.shortest_word, self.shortest_lead, self.shortest_followup
        hiding = Hiding(self.gap, self.gap_mask, shortest, self.p_mask if self.masking == "random" else None)
        reader = ClozeReader(
            hiding, view.lang or "en", self.separator, self.sentence_kept, self.compat == "blanc"
        )
        read = read_pairs(view.features, self.model, "masked", view.predictions, view.source)
        pairs = Ragged.of(np.column_stack([read.first.ids, read.second.ids]).tolist())
        if self.mode == "help":
            found = view.get(HelpedGuesses(self.model, reader), pairs)
        else:
            tuning = Tuning(
                self.chunk,
                self.stride,
                self.epochs,
                self.learning_rate,
                self.p_token_replace,
                self.p_token_original,
            )
            found = view.get(TunedGuesses(self.model, reader, tuning), pairs)
        return found[0], found[1], read.counts

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        answers, rows, _ = self._answers(view)
        tokenizer = load(self.model, "masked", view.features.options.device).tokenizer
        for row, statistics in zip(rows, self.statistics(view, fitted)["blanc"], strict=True):
            tokens = tokenizer.convert_ids_to_tokens(answers.ids[row].tolist())
            kinds = (2 * answers.without_summary[row] + answers.with_summary[row]).tolist()
            names = {
                "gained with the summary": 1,
                "lost with it": 2,
                "guessed either way": 3,
                "never guessed": 0,
            }
            groups = {
                name: [token for token, kind in zip(tokens, kinds, strict=True) if kind == wanted]
                for name, wanted in names.items()
            }
            score = self.score("blanc", statistics)
            total = counted(float(score["masked_tokens"]), "hidden token", spec="g")
            title = (
                f"BLANC-{self.mode} {score['blanc']:.4f}: {score['gained']:g} of {total} gained,"
                f" {score['lost']:g} lost"
            )
            yield WordGroups(title, {"blanc": statistics}, groups, against=["lost with it"])
