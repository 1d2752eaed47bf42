"""Small campaigns of human ratings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.creating import new
from nlgauge.annotate.protocols import protocol_of
from nlgauge.corpus import Corpus

SYSTEMS = ("alpha", "beta", "gamma")


def corpus(segments: int = 30, systems: tuple[str, ...] = SYSTEMS) -> Corpus:
    return Corpus.read(
        {
            system: [f"text {number} of {place}" for number in range(segments)]
            for place, system in enumerate(systems)
        },
        [[f"reference {number}"] for number in range(segments)],
        [f"source {number}" for number in range(segments)],
        ids=[f"seg-{number}" for number in range(segments)],
    )


def made(
    tmp_path: Path, protocol: str = "da", annotators: tuple[str, ...] = ("ana", "ben"), **options: Any
) -> Campaign:
    return new(tmp_path / "campaign", corpus(), protocol_of(protocol), annotators, **options)


def rated(campaign: Campaign, annotator: str, answers: Any, count: int | None = None) -> None:
    with campaign.rating() as rater:
        for key in campaign.order(annotator)[:count]:
            rater.rate(annotator, key, answers(campaign.items[key]) if callable(answers) else answers)
