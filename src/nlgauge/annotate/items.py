"""Items: what is on a screen, and the checks among them: repeated, damaged and gold items."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from nlgauge._core.numbers import counted
from nlgauge.annotate import assignment
from nlgauge.annotate.protocols import Protocol
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError

RATE, REPEAT, DAMAGED, GOLD = "rate", "repeat", "damaged", "gold"
# Perturbations of damaged items: errors that a careful reader notices.
_DAMAGES = ("number", "negation", "entity")
_LAST_DAMAGE = "wrong_document"
# Without vowels, so that no key contains a word.
_LETTERS = "bcdfghjkmnpqrstvwxz23456789"
# Field of the corpus with the claims of each output.
CLAIMS = "claims"


class Texts(msgspec.Struct, frozen=True, omit_defaults=True):
    """The texts of a segment, with the outputs of all systems; `unit` is its document, or the segment."""

    segment: str
    unit: str
    outputs: dict[str, str]
    source: str | None = None
    references: list[str] = []
    claims: dict[str, list[str]] = {}


class Item(msgspec.Struct, frozen=True, omit_defaults=True):
    """One screen: the outputs of some systems for a segment.

    `of` is the key of the item that this one repeats or damages. `allowed` has the answers and marks of a gold
    item. In items.jsonl, outputs and sources are only in items whose texts differ from the corpus.
    """

    key: str
    segment: str = ""
    systems: list[str] = []
    kind: str = RATE
    of: str = ""
    unit: str = ""
    outputs: list[str] = []
    source: str | None = None
    references: list[str] = []
    claims: list[str] = []
    allowed: dict[str, Any] = {}

    def stored(self) -> bytes:
        """Return the line of items.jsonl."""
        keep = (
            self
            if self.kind in (DAMAGED, GOLD)
            else msgspec.structs.replace(self, outputs=[], source=None, references=[], claims=[])
        )
        return msgspec.json.encode(keep) + b"\n"

    def filled(self, texts: Mapping[str, Texts]) -> Item:
        """Return the item with the texts of its segment."""
        if self.kind == GOLD:
            return self
        each = texts[self.segment]
        return msgspec.structs.replace(
            self,
            unit=each.unit,
            outputs=self.outputs or [each.outputs[system] for system in self.systems],
            source=each.source,
            references=each.references,
            claims=each.claims.get(self.systems[0], []) if len(self.systems) == 1 else [],
        )


def key() -> str:
    """Return 12 random characters, from which nothing about the item can be inferred.

    They do not depend on the seed: whoever knows it could compute the system of each item.
    """
    return "".join(secrets.choice(_LETTERS) for _ in range(12))


def texts_of(corpus: Corpus, protocol: Protocol) -> dict[str, Texts]:
    """Return the texts of each segment; raise InputError if they do not fit the protocol."""
    needed = 1 if protocol.side_by_side == 1 else 2 if protocol.side_by_side == 2 else 3
    if len(corpus.systems) < needed:
        raise InputError(
            f"the protocol {protocol.name} needs {needed} systems, and the texts have {len(corpus.systems)}."
        )
    has_claims = any(question.kind == "claims" for question in protocol.questions)
    if "context" in protocol.show and corpus.documents is None:
        raise InputError(f"the protocol {protocol.name} shows context, but the texts have no documents.")
    texts = {}
    for identifier, record in zip(corpus.ids, corpus.each_record(), strict=True):
        predictions = record["predictions"]
        if any(len(predictions[system]) != 1 for system in corpus.systems):
            raise InputError(
                f"segment {identifier!r} does not have one prediction per system; rate one prediction each."
            )
        segment = str(identifier)
        if segment in texts:
            raise InputError(f"two segments are called {segment!r}; use different ids.")
        texts[segment] = Texts(
            segment,
            str(record["document"]) if "context" in protocol.show else segment,
            {system: predictions[system][0] for system in corpus.systems},
            record.get("source"),
            list(record.get("references", ())),
            _claims(record, corpus.systems) if has_claims else {},
        )
    if "source" in protocol.show and protocol.spans is not None and "source" in protocol.spans.sides:
        missing = next((segment for segment, each in texts.items() if each.source is None), None)
        if missing is not None:
            raise InputError(
                f"the protocol {protocol.name} marks the source, but segment {missing!r} has none."
            )
    return texts


def _claims(record: Mapping[str, Any], systems: Sequence[str]) -> dict[str, list[str]]:
    shared = record.get("fields", {}).get(CLAIMS)
    by_system = record.get("system_fields", {}).get(CLAIMS, dict.fromkeys(systems, shared))
    for system in systems:
        claims = by_system.get(system)
        if not isinstance(claims, list | tuple) or not all(isinstance(each, str) for each in claims):
            raise InputError(
                f"segment {record['id']!r} of {system} has no list of claims; add the field {CLAIMS!r}."
            )
    return {system: list(by_system[system]) for system in systems}


def items_of(texts: Texts, protocol: Protocol, rng: random.Random) -> list[Item]:
    """Return the items of a segment."""
    return [
        Item(key(), texts.segment, list(screen)).filled({texts.segment: texts})
        for screen in assignment.screens(list(texts.outputs), protocol.side_by_side, rng)
    ]


def repeated(order: Sequence[str], items: Mapping[str, Item], share: float, rng: random.Random) -> list[Item]:
    """Return copies, with new keys, of a share of the items that come early enough in an order."""
    early = [name for name in order[: max(0, len(order) - assignment.DISTANCE)] if items[name].kind == RATE]
    chosen = rng.sample(early, min(len(early), round(share * len(order))))
    return [msgspec.structs.replace(items[name], key=key(), kind=REPEAT, of=name) for name in chosen]


def damaged(order: Sequence[str], items: Mapping[str, Item], share: float, rng: random.Random) -> list[Item]:
    """Return copies, with new keys, of a share of the items, each with an error in an output."""
    if not share:
        return []
    if any(len(items[name].systems) > 2 for name in order):
        raise ParameterError("damaged items need a protocol with one or two outputs on a screen.")
    candidates = [name for name in order if items[name].outputs[0].strip()]
    chosen = rng.sample(candidates, min(len(candidates), round(share * len(order))))
    outputs = [items[name].outputs[0] for name in chosen]
    worse = _worse(outputs, [items[name].outputs[0] for name in order], rng)
    found = []
    for name, output, text in zip(chosen, outputs, worse, strict=True):
        if text != output:
            item = items[name]
            pair = len(item.systems) == 2
            found.append(
                msgspec.structs.replace(
                    item,
                    key=key(),
                    kind=DAMAGED,
                    of=name,
                    # A damaged pair has an output and its damaged form, in this order.
                    systems=[item.systems[0]] * 2 if pair else item.systems,
                    outputs=[output, text] if pair else [text],
                )
            )
    return found


def _worse(outputs: Sequence[str], others: Sequence[str], rng: random.Random) -> list[str]:
    """Return each output with an error; unchanged if there is no way to damage it."""
    from nlgauge.meta.diagnostics.perturbations import perturbation

    seed = rng.randrange(2**31)
    versions = [perturbation(name)(outputs, seed=seed) for name in _DAMAGES]
    # The texts of other items follow, so that another text can be found.
    replaced = perturbation(_LAST_DAMAGE)([*outputs, *others], seed=seed)
    worse = []
    for number, output in enumerate(outputs):
        applied = [version[number].text for version in versions if version[number].changed]
        worse.append(rng.choice(applied) if applied else replaced[number].text if output else output)
    return worse


class _GoldSpan(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    start: int | None = None
    end: int | None = None
    severity: str = ""
    side: str = "target"


class _Gold(msgspec.Struct, forbid_unknown_fields=True):
    predictions: list[str]
    answers: dict[str, Any] = {}
    spans: list[_GoldSpan] | None = None
    source: str | None = None
    references: list[str] = []
    claims: list[str] = []


def gold_of(path: Path, protocol: Protocol) -> list[Item]:
    """Read gold items: JSON lines with predictions, source and the allowed answers.

    An allowed answer is a value, a list of values, or for a scale {"low": 0, "high": 30}. Spans must be marked
    within 3 characters.
    """
    found = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            content = json.loads(line)
            if isinstance(content, dict) and "prediction" in content:
                content["predictions"] = [content.pop("prediction")]
            gold = msgspec.convert(content, _Gold)
        except (ValueError, RecursionError, msgspec.ValidationError) as error:
            raise InputError(f"{where} is not a gold item: {error}.") from None
        if len(gold.predictions) != protocol.side_by_side:
            raise InputError(
                f"{where} has {counted(len(gold.predictions), 'prediction')}; the protocol {protocol.name} shows"
                f" {protocol.side_by_side}."
            )
        if problem := _spans_problem(gold, protocol):
            raise InputError(f"{where}: {problem}.")
        questions = {question.id: question for question in protocol.questions}
        for name, allowed in gold.answers.items():
            if name not in questions:
                raise InputError(
                    f"{where}: the protocol {protocol.name} has no question {name!r}; it has {', '.join(questions)}."
                )
            is_range = isinstance(allowed, dict) and set(allowed) == {"low", "high"}
            is_several = isinstance(allowed, list) and questions[name].kind not in ("claims", "order")
            for value in allowed.values() if is_range else allowed if is_several else [allowed]:
                if problem := questions[name].problem(value, protocol.side_by_side, len(gold.claims)):
                    raise InputError(f"{where}: {problem}.")
        found.append(
            Item(
                key(),
                kind=GOLD,
                unit=f"gold {number}",
                systems=[""] * len(gold.predictions),
                outputs=gold.predictions,
                source=gold.source,
                references=gold.references,
                claims=gold.claims,
                allowed={"answers": gold.answers, "spans": msgspec.to_builtins(gold.spans)},
            )
        )
    return found


def _spans_problem(gold: _Gold, protocol: Protocol) -> str:
    """Return what is wrong with the spans of a gold item; "" if they can be marked."""
    if gold.spans and protocol.spans is None:
        return f"the protocol {protocol.name} has no marks; leave spans out"
    texts = {"target": gold.predictions[0], "source": gold.source}
    for span in gold.spans or []:
        text = texts.get(span.side)
        if text is None:
            return f"a span is in the text {span.side!r:.40}, which the item does not have"
        if (span.start, span.end) != (None, None) and not 0 <= (span.start or 0) < (span.end or 0) <= len(
            text
        ):
            return f"the span {span.start} to {span.end} is not within the text ({counted(len(text), 'character')})"
        if span.severity and protocol.spans is not None and span.severity not in protocol.spans.severities:
            return (
                f"a span has the severity {span.severity!r:.40}; use {', '.join(protocol.spans.severities)}"
            )
    return ""
