"""Claims: the share of the claims of a text that passages support.

    support = (1/K) sum_k s_k        s_k = p(Yes) / (p(Yes) + p(No)), 0 or 1, or the highest P(entailment)

A judge lists the claims of the text, or its sentences are the claims. The judge is then asked about each claim
with the passages, or a classifier of entailment about each claim with each sentence of the passages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.features.encoders.entailment import NLI, label_order, probabilities
from nlgauge.features.encoders.pair_logits import PairLogits
from nlgauge.features.tokens.sentences import Sentences
from nlgauge.features.tokens.text import can_be_seen
from nlgauge.judges.asking import Ask
from nlgauge.judges.prompts import Prompt, passages, ready
from nlgauge.judges.reading import Judgment, ReadReply, judged
from nlgauge.judges.requests import Failure, is_cut, refusal_of, text_of
from nlgauge.metric import Output, View
from nlgauge.metric.domains import require_choice, require_whole
from nlgauge.metrics._shared.judged import COUNTS, NAN, Judged, JudgedRow, texts_at
from nlgauge.metrics._shared.pair_scores import every_pair, require_nli, texts_of
from nlgauge.models import model_facts

_ASKED = "Question that the text answers:\n{question}\n\n"
_CLAIM = re.compile(r"\s*(?:[-*•–]|\d{1,3}[.)])\s+(\S.*)")
_NO_CLAIMS = re.compile(r"[\W_]*no claims?[\W_]*", re.IGNORECASE)
# Number of tokens of a pair that a classifier reads, as in SummaC.
_PAIR_TOKENS = 500
NO_CLAIMS: Failure = "no_claims"


@dataclass(frozen=True)
class ClaimList:
    """Rule for a reply that lists claims, one per line after "- " or a number, or is "no claims"."""

    def claims(self, text: str) -> list[str] | None:
        """Return the distinct claims of a reply; None if a line after the first claim is not a claim."""
        if _NO_CLAIMS.fullmatch(text):
            return []
        lines = [line for line in text.splitlines() if line.strip()]
        matches = [_CLAIM.fullmatch(line) for line in lines]
        first = next((number for number, match in enumerate(matches) if match), None)
        if first is None or None in matches[first:]:
            return None
        return list(dict.fromkeys(match[1].strip() for match in matches if match))

    def read(self, text: str) -> ReadReply | None:
        """Return the number of claims of a reply."""
        claims = self.claims(text)
        return None if claims is None else ReadReply(float(len(claims)), "a list of claims")


class Checked(NamedTuple):
    """Text whose claims are checked, passages that may support them, and the question."""

    text: str
    evidence: tuple[str, ...]
    question: str


class Support(NamedTuple):
    """Share of supported claims (NaN if unknown), number of claims, judgment of their list, and verdicts."""

    share: float
    number: int
    listing: Judgment
    verdicts: tuple[Judgment, ...]

    @property
    def judgments(self) -> tuple[Judgment, ...]:
        """All judgments; the list of claims comes first."""
        is_shown = self.listing.prompt or self.listing.failure
        return (self.listing, *self.verdicts) if is_shown else self.verdicts


@dataclass(frozen=True)
class ClaimSupport(Judged):
    """A metric that checks the claims of a text; `nli` names a classifier that checks them instead of the judge."""

    claims: str = "judge"
    nli: str = ""
    with_question: bool = True
    max_tokens: int = 800

    counts: ClassVar[Mapping[str, str]] = {
        **COUNTS,
        NO_CLAIMS: "rows have no score, because the text to check states no claim",
    }

    def __post_init__(self) -> None:
        require_choice(self, "claims", ("judge", "sentences"))
        self.require(isinstance(self.nli, str), "nli", "the name or the directory of a classifier, or ''")
        require_whole(self, "max_tokens", 1, 32768)
        super().__post_init__()

    def template(self) -> Prompt:
        return ready("supported").filled({"asked": _ASKED * self.with_question})

    def places(self) -> set[str]:
        return {"prediction"} | ({"question"} if self.with_question else set())

    def measures(self) -> tuple[Output, ...]:
        score, *about = super().measures()
        return score, *self.parts(), *about

    def parts(self) -> tuple[Output, ...]:
        """Return the outputs besides the score that are about claims."""
        return (Output("claims", None, 0, nan=NAN),)

    def about_replies(self) -> tuple[Output, ...]:
        return () if self.nli else super().about_replies()

    def facts(self, corpus: Corpus) -> dict[str, str]:
        listing = {"claims_prompt": self._listing().sha[:12]} if self.claims == "judge" else {}
        classifier = (
            {f"nli_{name}": value for name, value in model_facts(self.nli).items()} if self.nli else {}
        )
        return {**super().facts(corpus), **listing, **classifier}

    def facts_of_judge(self) -> dict[str, str]:
        # A judge that is not asked need not be installed.
        is_asked = self.claims == "judge" or not self.nli
        return super().facts_of_judge() if is_asked else {"model": self.judge.name}

    def supports(self, view: View, texts: Sequence[Checked]) -> list[Support]:
        """Return the share of supported claims of each text; a claim without passages is not supported."""
        lists = self._sentences(view, texts) if self.claims == "sentences" else self._listed(view, texts)
        pairs = [
            (number, claim)
            for number, (claims, _) in enumerate(lists)
            for claim in claims or ()
            if any(map(can_be_seen, texts[number].evidence))
        ]
        verify = self._entailed if self.nli else self._verified
        verdicts: list[list[Judgment]] = [[] for _ in texts]
        for (number, _), judgment in zip(pairs, verify(view, texts, pairs), strict=True):
            verdicts[number].append(judgment)
        return [
            _support(claims, judgment, of_claims)
            for (claims, judgment), of_claims in zip(lists, verdicts, strict=True)
        ]

    def row_of(self, support: Support) -> JudgedRow:
        """Return the row of a text: the share of supported claims, and their number."""
        count = float(support.number) if support.number else np.nan
        return JudgedRow((support.share, count, *self.means_about(support.verdicts)), support.judgments)

    def question_of(self, view: View, row: int) -> str:
        """Return the question of a row; "" if the prompts do not show it."""
        return passages(texts_at(view, "question", row)) if self.with_question else ""

    def _listing(self) -> Prompt:
        return ready("claims").filled({"asked": _ASKED * self.with_question})

    def _listed(self, view: View, texts: Sequence[Checked]) -> list[tuple[list[str] | None, Judgment]]:
        """Return the claims that the judge lists; None if its reply cannot be used."""
        prompt, rule = replace(self._listing(), max_tokens=self.max_tokens), ClaimList()
        visible = [number for number, row in enumerate(texts) if can_be_seen(row.text)]
        rendered = [
            prompt.render({"text": texts[number].text, "question": texts[number].question})
            for number in visible
        ]
        replies = self.replies(
            view, Ask(rule, self.max_tokens, seed=self.seed), [(words,) for words in rendered]
        )
        lists: list[tuple[list[str] | None, Judgment]] = [([], Judgment()) for _ in texts]
        for number, words, samples in zip(visible, rendered, replies, strict=True):
            readable = [
                claims
                for reply in samples
                if not ("failure" in reply or is_cut(reply) or refusal_of(reply))
                and (claims := rule.claims(text_of(reply))) is not None
            ]
            lists[number] = (
                readable[0] if readable else None,
                judged(samples, rule, "single", 1, words),
            )
        return lists

    def _sentences(self, view: View, texts: Sequence[Checked]) -> list[tuple[list[str] | None, Judgment]]:
        sentences = _sentences_of(view, [row.text for row in texts])
        return [(list(filter(can_be_seen, texts_of(view, ids))), Judgment()) for ids in sentences]

    def _verified(
        self, view: View, texts: Sequence[Checked], pairs: Sequence[tuple[int, str]]
    ) -> list[Judgment]:
        """Ask the judge about each claim, given by the number of its text and its words."""
        rows = [
            {"evidence": passages(texts[i].evidence), "claim": claim, "question": texts[i].question}
            for i, claim in pairs
        ]
        return self.asked(view, self.template(), rows)

    def _entailed(
        self, view: View, texts: Sequence[Checked], pairs: Sequence[tuple[int, str]]
    ) -> list[Judgment]:
        """Return the highest probability of each claim that a sentence of the passages entails it."""
        if not pairs:
            return []
        order = require_nli(label_order(self.nli, None, NLI, view.features.options.device), "e", self.nli)
        evidence = {
            number: np.concatenate(_sentences_of(view, texts[number].evidence)) for number, _ in pairs
        }
        matrices, _ = every_pair(
            view,
            PairLogits(self.nli, "longest_first", _PAIR_TOKENS),
            len(order),
            [evidence[number] for number, _ in pairs],
            [view.features.ids_of([claim]) for _, claim in pairs],  # type: ignore[misc]
        )
        entailed = [probabilities(logits)[..., order.index("e")].max(initial=0.0) for logits in matrices]
        return [Judgment(float(value), rules=(f"entailment by {self.nli}",)) for value in entailed]


def _sentences_of(view: View, texts: Sequence[str]) -> list[Array]:
    """Return the ids of the sentences of each text."""
    column, places = view.get(Sentences(view.lang or "en"), view.features.ids_of(texts))
    return [column[place] for place in places.tolist()]


def _support(claims: list[str] | None, listing: Judgment, verdicts: Sequence[Judgment]) -> Support:
    """Return the support of a text; claims without verdicts had no passages and are not supported."""
    if claims is None:
        return Support(np.nan, 0, listing, ())
    if not claims:
        return Support(np.nan, 0, replace(listing, failure=NO_CLAIMS, why="the text states no claim"), ())
    share = float(np.mean([verdict.score for verdict in verdicts])) if verdicts else 0.0
    return Support(share, len(claims), listing, tuple(verdicts))
