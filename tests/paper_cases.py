"""Benchmarks of random texts in the place of those of the papers."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec

WORDS = "the boat stops for two weeks in march and a small ferry takes over while cars wait".split()
DIMENSIONS = {
    "webnlg2020_en": ("correctness", "datacoverage", "fluency", "relevance", "textstructure"),
    "realsumm": ("litepyramid_recall",),
    "summeval": ("coherence", "consistency", "fluency", "relevance"),
}


def made_up(folder: Path, name: str, systems: int = 6, segments: int = 8) -> None:
    """Write a benchmark of random texts; better systems repeat more of the reference."""
    draw = random.Random(3)
    lines = []
    for segment in range(segments):
        reference = draw.choices(WORDS, k=14)
        for system in range(systems):
            text = [
                word if draw.random() < (system + 1) / systems else draw.choice(WORDS) for word in reference
            ]
            lines.append(
                {
                    "segment": f"s{segment}",
                    "system": f"M{system}",
                    "source": " ".join(reference * 2),
                    "prediction": " ".join(text) + " . " + " ".join(text[:3]) + " .",
                    "references": [" ".join(reference) + ".", " ".join(reference[::-1]) + "."],
                    "human": {name: system + draw.random() for name in DIMENSIONS[name]},
                }
            )
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, lines)))
