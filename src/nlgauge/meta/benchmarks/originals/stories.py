"""HANNA's hanna_stories_annotations.csv, one row per story and rater; Primer's DailyNews_300_aspects.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nlgauge.meta.benchmarks.originals.files import Opened, field, mean, number
from nlgauge.meta.benchmarks.rows import BenchmarkRow

_CRITERIA = ("Relevance", "Coherence", "Empathy", "Surprise", "Engagement", "Complexity")


def knows_hanna(opened: Opened) -> bool:
    """Return True if this is HANNA's file."""
    return opened.has("Story ID", "Prompt", "Human", "Story", "Model", *_CRITERIA)


def read_hanna(opened: Opened) -> Iterator[BenchmarkRow]:
    """Yield one row per story; the human story of a prompt is its reference."""
    stories: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    for i, record in enumerate(opened.records, 1):
        stories.setdefault(record["Story ID"], []).append((i, record))
    prompts: dict[str, str] = {}
    for rated in stories.values():
        first = rated[0][1]
        segment = prompts.setdefault(first["Prompt"], str(len(prompts)))
        ratings = {
            name.lower(): tuple(number(record[name], opened.place, i) for i, record in rated)
            for name in _CRITERIA
        }
        human = {name: mean(values) for name, values in ratings.items()}
        meta = {"human_reference": first["Model"] == "Human"}
        yield BenchmarkRow(
            segment,
            first["Model"],
            human,
            first["Story"],
            first["Prompt"],
            (first["Human"],),
            ratings,
            meta=meta,
        )


def knows_primer(opened: Opened) -> bool:
    """Return True if this is Primer's file."""
    return opened.has("map_quality_scores", "summary", "text")


def read_primer(opened: Opened) -> Iterator[BenchmarkRow]:
    """Yield one row per text and summary, of systems that are not named."""
    for i, record in enumerate(opened.records):
        aspects: Mapping[str, Any] = record["map_quality_scores"]
        ratings = {
            name.lower(): tuple(map(float, field(one, "scores", opened.place, i + 1)))
            for name, one in aspects.items()
        }
        yield BenchmarkRow(
            str(i),
            "mixed",
            {name: mean(values) for name, values in ratings.items()},
            record["summary"],
            record["text"],
            (),
            ratings,
        )
