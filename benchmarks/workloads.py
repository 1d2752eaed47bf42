"""The texts that are scored: human-judgment sets if they are available, else deterministic pseudo-text of
the same shapes.

The sets are looked for in the directory that NLGAUGE_BENCHMARKS names, else in ../shared/benchmarks beside
the repository.
"""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Iterator
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, NamedTuple


class Workload(NamedTuple):
    """Predictions by system, references, and for metrics that read it a source; `origin` says where the
    texts are from.
    """

    origin: str
    systems: dict[str, list[str]]
    references: list[list[str]]
    sources: list[str] | None = None

    @property
    def predictions(self) -> list[str]:
        return next(iter(self.systems.values()))

    def first(self, count: int) -> Workload:
        return self._taking(slice(count))

    def every(self, step: int) -> Workload:
        return self._taking(slice(None, None, step))

    def _taking(self, part: slice) -> Workload:
        systems = {system: texts[part] for system, texts in self.systems.items()}
        return Workload(self.origin, systems, self.references[part], self.sources and self.sources[part])


def l1(count: int = 10_000) -> Workload:
    """Distinct pairs of short news translations with one reference."""
    return (
        _as_workload("wmt19_darr", list(islice(_translation_pairs(), count)))
        if _find("wmt19_darr")
        else generated(count)
    )


def l2(count: int = 1_600) -> Workload:
    """News summaries with eleven references each."""
    path = _find("summeval")
    if path is None:
        return generated(count, references=11, words=60)
    rows = [row for row in _lines(path) if not row["meta"].get("human_reference")][:count]
    return Workload(
        "summeval", {"peer": [row["prediction"] for row in rows]}, [row["references"] for row in rows]
    )


def l3(count: int = 200_000) -> Workload:
    """L1 with words dropped and replaced on both sides, until there are as many pairs as wanted."""
    base, chance = l1(), random.Random(3)
    pairs = []
    for i in range(count):
        prediction, (reference,) = (
            base.predictions[i % len(base.predictions)],
            base.references[i % len(base.references)],
        )
        pairs.append(
            (_perturbed(prediction, chance), _perturbed(reference, chance))
            if i >= len(base.predictions)
            else (prediction, reference)
        )
    return _as_workload(f"{base.origin}, perturbed", pairs)


def four_systems(count: int = 2_000) -> Workload:
    """Two systems on the same segments, and a worn copy of each."""
    base = two_systems(count)
    worn = {
        f"worn {name}": [_perturbed(text, random.Random(i)) for i, text in enumerate(texts)]
        for name, texts in base.systems.items()
    }
    return base._replace(systems={**base.systems, **worn})


def summaries(count: int = 400) -> Workload:
    """News summaries with their sources, without references."""
    path = _find("summeval")
    if path is None:
        base = generated(count, words=60)
        return base._replace(
            references=[],
            sources=[" ".join(text for (text,) in base.references[i : i + 6]) for i in range(count)],
        )
    rows = [row for row in _lines(path) if not row["meta"].get("human_reference")][:count]
    return Workload(
        "summeval", {"peer": [row["prediction"] for row in rows]}, [], [row["source"] for row in rows]
    )


def shared_documents(documents: int = 3, systems: int = 4) -> Workload:
    """News summaries of several systems for the same few documents."""
    path = _find("summeval")
    if path is None:
        base = summaries(documents)
        others = {
            f"worn {i}": [_perturbed(text, random.Random(i)) for text in base.predictions]
            for i in range(1, systems)
        }
        return base._replace(systems={**base.systems, **others})
    found: dict[str, dict[str, Any]] = {}
    for row in _lines(path):
        if not row["meta"].get("human_reference"):
            found.setdefault(row["segment"], {})[row["system"]] = row
    rows = list(islice(found.values(), documents))
    names = list(islice(rows[0], systems))
    return Workload(
        "summeval",
        {name: [row[name]["prediction"] for row in rows] for name in names},
        [],
        [row[names[0]]["source"] for row in rows],
    )


def two_systems(count: int = 2_000) -> Workload:
    """Two systems on the same segments."""
    path = _find("wmt19_darr")
    if path is None:
        base = generated(count)
        other = [_perturbed(text, random.Random(i)) for i, text in enumerate(base.predictions)]
        return base._replace(systems={"first": base.predictions, "second": other})
    rows = list(islice({row["segment"]: row for row in _lines(path)}.values(), count))
    systems = {
        "first": [row["better"]["text"] for row in rows],
        "second": [row["worse"]["text"] for row in rows],
    }
    return Workload("wmt19_darr", systems, [row["references"] for row in rows])


def distinct_pairs(count: int = 16) -> Workload:
    """One pair per segment, so that almost all texts are different."""
    base = two_systems(count)
    return base._replace(systems={"peer": base.systems["first"]})


def translations(count: int = 60) -> Workload:
    """Four systems on the same segments, with sources; the sets have none in another language, so that
    worn references stand for them.
    """
    base = four_systems(count)
    return base._replace(
        sources=[_perturbed(row[0], random.Random(-i)) for i, row in enumerate(base.references, 1)]
    )


def document() -> Workload:
    """One document of five sentences under two summaries."""
    sentences = [
        (
            "The harbour of Norrvik was closed on Monday after a cargo ship ran aground at its entrance"
            " during the night."
        ),
        (
            "Nobody was hurt, but about forty containers with furniture fell into the water and drifted"
            " towards the beach."
        ),
        "The port authority said that the captain had ignored two warnings about the wind.",
        (
            "Divers will examine the hull before a tug from the neighbouring town tries to pull the vessel"
            " free on Wednesday."
        ),
        (
            "Fishermen asked the government for help, because their boats cannot leave until the channel is"
            " open again."
        ),
    ]
    summaries = [
        (
            "A cargo ship ran aground at Norrvik and closed the harbour; containers fell into the sea, and"
            " fishermen ask for help."
        ),
        "The town council of Norrvik met on Monday to talk about the price of furniture.",
    ]
    return Workload(
        "written for this",
        {"peer": summaries},
        [[text] for text in summaries],
        [" ".join(sentences)] * len(summaries),
    )


WORKLOADS = {
    "L1": l1,
    "L2": l2,
    "L3": l3,
    "four systems": four_systems,
    "summaries": summaries,
    "6 summaries": lambda: summaries().every(67),
    "summaries without sources": lambda: summaries()._replace(sources=None),
    "2,000 pairs": lambda: l1(2_000),
    "1,000 pairs": lambda: l1(1_000),
    "300 pairs": lambda: l1(300),
    "100 pairs": lambda: l1(100),
    "16 pairs": distinct_pairs,
    "translations": translations,
    "1 document": document,
    "3 documents, 4 systems": shared_documents,
}


def generated(count: int, references: int = 1, words: int = 25, seed: int = 1) -> Workload:
    """Pseudo-text with a Zipf vocabulary: each prediction is a worn copy of one of its references, each
    reference of another.
    """
    chance = random.Random(seed)
    vocabulary, weights = _vocabulary(20_000)
    predictions, expected = [], []
    for _ in range(count):
        length = chance.randint(words // 3, words * 5 // 3)
        text = " ".join(chance.choices(vocabulary, cum_weights=weights, k=max(length, 1))).capitalize() + "."
        expected.append([text, *(_perturbed(text, chance, 0.5) for _ in range(references - 1))])
        predictions.append(_perturbed(text, chance, 0.4))
    return Workload("generated", {"peer": predictions}, expected)


def _vocabulary(size: int) -> tuple[list[str], list[float]]:
    chance = random.Random(0)
    syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
    words: dict[str, None] = {}
    while len(words) < size:
        words["".join(chance.choices(syllables, k=chance.randint(1, 4)))] = None
    return list(words), list(accumulate(1 / rank for rank in range(1, size + 1)))


def _perturbed(text: str, chance: random.Random, rate: float = 0.15) -> str:
    """The text with some words dropped and some replaced by others of it."""
    words = text.split(" ")
    kept = []
    for word in words:
        draw = chance.random()
        if draw < rate / 2:
            continue
        kept.append(chance.choice(words) if draw < rate else word)
    return " ".join(kept or words)


def _as_workload(origin: str, pairs: list[tuple[str, str]]) -> Workload:
    return Workload(
        origin, {"peer": [prediction for prediction, _ in pairs]}, [[reference] for _, reference in pairs]
    )


def _translation_pairs() -> Iterator[tuple[str, str]]:
    path = _find("wmt19_darr")
    assert path is not None
    seen = set()
    for row in _lines(path):
        for side in ("better", "worse"):
            pair = row[side]["text"], row["references"][0]
            if pair not in seen:
                seen.add(pair)
                yield pair


def rows_of(name: str) -> list[dict[str, Any]]:
    """The rows of a human-judgment set; none if it is not available."""
    path = _find(name)
    return [] if path is None else list(_lines(path))


def _find(name: str) -> Path | None:
    given = os.environ.get("NLGAUGE_BENCHMARKS")
    directory = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "benchmarks"
    path = directory / f"{name}.jsonl.gz"
    return path if path.is_file() else None


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
