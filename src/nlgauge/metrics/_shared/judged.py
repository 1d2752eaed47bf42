"""Judged: what every judge metric shares. Its corpus score is the mean over the rows that have a score;
all others are counted by their reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.explanations import Explanation, Verdict
from nlgauge.features.tokens.text import can_be_seen
from nlgauge.judges.asking import Ask, ChatReplies, Judge, decoded
from nlgauge.judges.calls import Calls
from nlgauge.judges.clients import Client
from nlgauge.judges.endpoint import checked_url, host_of
from nlgauge.judges.prompts import TEXTS, Prompt, passages
from nlgauge.judges.reading import Judgment, Reads, judged
from nlgauge.judges.requests import FIRST_TOKENS
from nlgauge.metric import Arrays, Output, Takes, View
from nlgauge.metric.domains import require_choice, require_number, require_whole
from nlgauge.metric.mean import MeanMetric, Measured, worst_of
from nlgauge.models import Model, is_model_spec, model_facts

SCORINGS = ("probabilities", "samples", "single")
# The base_url that stays on this machine although NLGAUGE_JUDGE_URL names an endpoint.
HERE = "local"
NAN = "no reply could be used; unparsed, refused, too_long and failed show the reason"
NOT_SENT = "this was a dry run, and nothing was sent"
COVERED = Output(
    "covered",
    None,
    0,
    1,
    warn_below=0.9,
    warning=(
        "of the judge's probability is on the permitted levels; the score ignores the rest."
        " Check the prompt and the levels"
    ),
)
COUNTS = {
    "unparsed": "rows have no score, because the reply has the wrong form or was cut off",
    "refused": "rows have no score, because the judge refused to answer",
    "too_long": "rows have no score, because prompt and texts are longer than the judge reads",
    "failed": "rows have no score, because the judge gave no reply",
    "empty": "predictions were empty, and got the worst score without being shown to the judge",
}
# The reason for a missing score of each count.
_MISSING = {"failed": "error", "empty": "empty"}


class JudgedRow(NamedTuple):
    """The finding for one row: the value of each measure, the reason if it is missing, and the judgments."""

    values: tuple[float, ...]
    judgments: tuple[Judgment, ...]
    empty: bool = False

    @property
    def failure(self) -> str:
        """The first reason for which there is no score."""
        found = next((one.failure for one in self.judgments if one.failure), "")
        return "failed" if found == "not_asked" else found


@dataclass(frozen=True)
class Judged(MeanMetric):
    """A metric that asks a judge: `model` at `base_url`, through a `Client`, or on this machine.

    scoring: "probabilities" (the expected level), "samples" (the mean of `n` replies at `temperature`) or
    "single" (one reply at temperature 0).
    """

    model: str | Model | Client = "smollm2"
    base_url: str = ""
    scoring: str = "probabilities"
    n: int = 20
    temperature: float = 1.0
    seed: int = 0
    calls: str | Calls = ""

    takes: ClassVar[Takes] = "alone"
    # Every reply is cached already, and a row without a reply must be asked again: `nlgauge.judges.cache`.
    costly: ClassVar[bool] = False
    # The ways in which the metric may score; numbers that are not single tokens have no probabilities.
    scorings: ClassVar[tuple[str, ...]] = SCORINGS
    # The counted rows, by reason.
    counts: ClassVar[Mapping[str, str]] = COUNTS

    def __post_init__(self) -> None:
        whole = is_model_spec(self.model) or isinstance(self.model, Client)
        self.require(
            whole,
            "model",
            "a name, a directory, nlgauge.Model(model, tokenizer) or nlgauge.judges.Client(client)",
        )
        require_choice(self, "scoring", self.scorings)
        require_whole(self, "n", 1, 1000)
        require_number(self, "temperature", 0, 2)
        require_whole(self, "seed", 0, 2**53)
        self._set("base_url", self._address())
        self._set("calls", Calls.of(self.calls).text())
        self.take_sides(self.places())
        self._set("record_fields", tuple(sorted(self.places() - set(TEXTS))))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def require_field(self, parameter: str) -> None:
        """Raise ParameterError if a parameter is not the name of a field."""
        name = getattr(self, parameter)
        self.require(
            isinstance(name, str) and bool(name.strip()), parameter, "the name of a field of the records"
        )

    def _address(self) -> str:
        """Return the endpoint that is asked; "" for none."""
        if isinstance(self.model, Model | Client) and self.base_url not in ("", HERE):
            self.require(False, "base_url", "omitted if model is an object")
        given = self.base_url or (
            "" if isinstance(self.model, Model | Client) else os.environ.get("NLGAUGE_JUDGE_URL", "")
        )
        self.require(isinstance(given, str), "base_url", "an address such as 'http://localhost:8000/v1'")
        return given if given in ("", HERE) else checked_url(given)

    def template(self) -> Prompt:
        """Return the template, with everything filled in that is the same for every row."""
        raise NotImplementedError

    def places(self) -> set[str]:
        """Return the names of the texts of a row that the judge sees: usual columns and fields of records."""
        return self.template().places

    @property
    def judge(self) -> Judge:
        """The judge that is asked."""
        return Judge(self.model, "" if self.base_url == HERE else self.base_url, str(self.calls))

    def may_leave(self) -> bool:
        # Limits are counted in one process; a model on this machine has none.
        return self.judge.is_here

    def measures(self) -> tuple[Output, ...]:
        """Return the outputs that are means over rows, in the order of a row's values."""
        scale = self.template().expects.scale
        score = Output(self.name, self.template().higher_is_better, scale.low, scale.high, nan=NAN)
        return score, *self.about_replies()

    def about_replies(self) -> tuple[Output, ...]:
        """Return the outputs besides the score: the covered probability, or the spread of the samples of one
        row.
        """
        if self.scoring == "probabilities":
            return (COVERED,)
        spread = Output("sd_within", None, 0, nan="no row has two samples that can be read")
        return (spread,) if self.scoring == "samples" and self.n > 1 else ()

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        if not Calls.of(self.calls).dry_run:
            return super().outputs()
        measures = tuple(
            replace(output, nan=NOT_SENT) if output.nan == NAN else output for output in self.measures()
        )
        failed = f"rows have no score: {NOT_SENT}"
        return {
            self.name: (
                *measures,
                *(
                    replace(output, note=failed) if output.name == "failed" else output
                    for output in self.counted()
                ),
            )
        }

    def counted(self) -> tuple[Output, ...]:
        return tuple(
            Output(name, None, 0, note=note, missing=_MISSING.get(name, "unreadable"))
            for name, note in self.counts.items()
        )

    def facts(self, corpus: Corpus) -> dict[str, str]:
        own = {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if f.name not in {g.name for g in fields(Judged)}
        }
        shown = {
            name: value
            for name, value in own.items()
            if not isinstance(value, str) or (len(value) <= 40 and value.isprintable() and "|" not in value)
        }
        drawn = {"n": self.n, "temperature": self.temperature} if self.scoring == "samples" else {}
        seeded = {} if self.scoring == "probabilities" else {"seed": self.seed}
        prompt = {"template": self.template().version, "prompt": self.template().sha[:12]}
        said = {**shown, "scoring": self.scoring, **drawn, **seeded}
        return {
            "metric": self.name,
            **self.facts_of_judge(),
            **{name: str(value) for name, value in said.items()},
            **prompt,
            **self._fingerprints(corpus),
        }

    def facts_of_judge(self) -> dict[str, str]:
        """Return the facts about the judge that signatures show."""
        if isinstance(self.model, str | Model) and self.judge.is_here:
            return model_facts(self.model)
        where = {"host": host_of(self.base_url)} if self.judge.base_url else {}
        return {"model": self.judge.name, **where}

    def _fingerprints(self, corpus: Corpus) -> dict[str, str]:
        """Return the fingerprint that the endpoint reported in the replies for this corpus, after it was
        asked.
        """
        asked = [
            known.memory
            for feature, known in corpus.texts.kept.items()
            if isinstance(feature, ChatReplies) and feature.judge == self.judge
        ]
        found = sorted({fingerprint for ledger in asked for fingerprint in ledger.fingerprints})
        return {"fingerprint": ",".join(found)} if found else {}

    def rows(self, view: View) -> list[JudgedRow]:
        """Return the replies of the judge for every row."""
        texts = texts_of(view)
        asked = [i for i, row in enumerate(texts) if can_be_seen(row["prediction"])]
        found = self.asked(view, self.template(), [texts[i] for i in asked])
        rows = [self.empty_row() for _ in texts]
        for i, judgment in zip(asked, found, strict=True):
            rows[i] = JudgedRow(self.values_of(judgment), (judgment,))
        return rows

    def empty_row(self) -> JudgedRow:
        """Return the row of an empty prediction: the lowest score, without a request to a judge."""
        return JudgedRow((worst_of(self.measures()[0]), *(np.nan,) * (len(self.measures()) - 1)), (), True)

    def values_of(self, judgment: Judgment) -> tuple[float, ...]:
        """Return the values of the measures."""
        about = {"covered": judgment.covered, "sd_within": judgment.variance}
        return judgment.score, *(about[output.name] for output in self.about_replies())

    def means_about(self, judgments: Iterable[Judgment]) -> list[float]:
        """Return the means of the outputs about replies over the judgments of a row that have them."""
        rows = [self.values_of(judgment)[1:] for judgment in judgments]
        columns = [[row[i] for row in rows if not np.isnan(row[i])] for i in range(len(self.about_replies()))]
        return [float(np.mean(column)) if column else np.nan for column in columns]

    def asked(
        self, view: View, prompt: Prompt, texts: Sequence[Mapping[str, str]], expects: Reads | None = None
    ) -> list[Judgment]:
        """Return the judgment of each of these texts by one prompt; `expects` reads the replies if the prompt
        itself does not.
        """
        rendered = [prompt.render(row) for row in texts]
        ask = self.ask(prompt, expects)
        replies = self.replies(view, ask, [(words,) for words in rendered])
        return [
            judged(found, ask.expects, self.scoring, ask.n, words)
            for words, found in zip(rendered, replies, strict=True)
        ]

    def ask(self, prompt: Prompt, expects: Reads | None = None) -> Ask:
        """Return the settings of the judge with this prompt."""
        expected, scoring = expects or prompt.expects, self.scoring
        if scoring == "samples":
            return Ask(expected, prompt.max_tokens, prompt.before, self.n, self.temperature, self.seed)
        if scoring == "single":
            return Ask(expected, prompt.max_tokens, prompt.before, 1, 0.0, self.seed)
        levels, marked = prompt.expects.scale.names, bool(prompt.expects.mark)
        length = prompt.max_tokens if marked else FIRST_TOKENS
        return Ask(expected, length, prompt.before, 1, 0.0, self.seed, True, levels, again=marked)

    def replies(
        self, view: View, ask: Ask, conversations: Sequence[tuple[str, ...]]
    ) -> list[list[dict[str, Any]]]:
        """Return the raw replies to conversations."""
        if not conversations:
            return []
        column, places = view.get(ChatReplies(self.judge, ask), view.features.ids_of(conversations))
        return [decoded(column, place) for place in places.tolist()]

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        return {self.name: self._statistics(self.rows(view))}

    def _statistics(self, rows: Sequence[JudgedRow]) -> Array:
        values = np.array([row.values for row in rows], dtype=np.float64).reshape(
            len(rows), len(self.measures())
        )
        counts = [
            [row.failure == name or (row.empty and name == "empty") for name in self.counts] for row in rows
        ]
        columns = np.array(counts, dtype=np.float64).reshape(len(rows), len(self.counts))
        return self.rows_of(Measured(values, columns=[columns]))

    def score(self, part: str, statistics: Array) -> Arrays:
        scores = super().score(part, statistics)
        if "sd_within" in scores:
            scores["sd_within"] = np.sqrt(scores["sd_within"])
        return scores

    def explain(self, view: View, fitted: Arrays) -> Iterator[Explanation]:
        rows = self.rows(view)
        for row, statistics in zip(rows, self._statistics(rows), strict=True):
            yield self._verdict(row, {self.name: statistics})

    def _verdict(self, row: JudgedRow, statistics: Arrays) -> Verdict:
        score = row.values[0]
        title = f"{self.name} {'n/a' if np.isnan(score) else f'{score:.4g}'}"
        first = row.judgments[0] if row.judgments else Judgment()
        why = (
            "the prediction is empty, and was not shown to the judge"
            if row.empty
            else next((one.why for one in row.judgments if one.why), "")
        )
        return Verdict(
            title,
            statistics,
            self.template().title or self.name,
            score,
            dict(first.levels),
            first.covered,
            f"{row.failure}: {why}" if row.failure else why,
            [one.prompt for one in row.judgments],
            [list(one.replies) for one in row.judgments],
            "; ".join(dict.fromkeys(rule for judgment in row.judgments for rule in judgment.rules)),
        )


def texts_of(view: View) -> list[dict[str, str]]:
    """Return the texts of each row by role, and of each field by name."""
    columns = {"prediction": view.predictions}
    if view.references is not None:
        columns["reference"] = view.reference
    if view.sources is not None:
        columns["source"] = view.source
    return [
        {
            **{name: passages(view.texts_of(name, i)) for name in view.fields},
            **{name: view.text(int(column[i])) for name, column in columns.items()},
        }
        for i in range(len(view))
    ]


def texts_at(view: View, name: str, row: int) -> tuple[str, ...]:
    """Return the texts of a row by the name of a usual column or of a field."""
    if name in view.fields:
        return tuple(view.texts_of(name, row))
    columns = {"prediction": view.predictions, "source": view.sources}
    column = view.reference if name == "reference" else columns[name]
    assert column is not None
    return (view.text(int(column[row])),)
