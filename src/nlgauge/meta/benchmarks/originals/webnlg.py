"""WebNLG/challenge-2020: each team's judgments, by sample and worker, next to its submission; triples and
references from the corpus' XML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import msgspec

from nlgauge.errors import InputError
from nlgauge.io.files import lines_of
from nlgauge.meta.benchmarks.originals.files import Opened, mean
from nlgauge.meta.benchmarks.rows import BenchmarkRow

_RESULTS = Path("evaluation", "human-evaluation", "results", "en")
_SUBMISSIONS = Path("submissions", "rdf2text", "en")


def knows(opened: Opened) -> bool:
    """Return True if this is a clone of the repository."""
    return opened.place.is_dir() and (opened.place / _RESULTS).is_dir()


def read(opened: Opened) -> Iterator[BenchmarkRow]:
    """Yield one row per judged sample and team; teams without a submission (the references themselves) are
    left out.
    """
    entries = _entries(opened.place)
    for team in sorted(path.parent for path in (opened.place / _RESULTS).glob("*/primary.json")):
        submission = opened.place / _SUBMISSIONS / team.name / "primary.en"
        if not submission.is_file():
            continue
        texts = lines_of(submission.read_text("utf-8"))
        judged = msgspec.json.decode(
            (team / "primary.json").read_bytes(), type=dict[str, dict[str, dict[str, float | str]]]
        )
        for sample, by_worker in judged.items():
            ratings = {
                name.lower(): tuple(
                    value
                    for scores in by_worker.values()
                    if not isinstance(value := scores.get(name, ""), str)
                )
                for name in dict.fromkeys(
                    name for scores in by_worker.values() for name in scores if name != "feedback"
                )
            }
            at = int(sample) - 1
            if not 0 <= at < len(texts):
                raise InputError(
                    f"{submission} has {len(texts)} lines, but sample {sample} was judged; use the complete"
                    " released file."
                )
            source, references, category = entries.get(int(sample), (None, (), None))
            human = {name: mean(values) for name, values in ratings.items()}
            meta = {"lang": "en", "category": category, "workers": list(by_worker)}
            yield BenchmarkRow(
                f"en:{sample}", team.name, human, texts[at], source, references, ratings, meta=meta
            )


def _entries(folder: Path) -> dict[int, tuple[str, tuple[str, ...], str | None]]:
    """Return triples, references and category of each sample, from the corpus' file wherever it lies below
    the folder; nothing without it.
    """
    path = next(iter(sorted(folder.rglob("rdf-to-text-generation-test-data-with-refs-en.xml"))), None)
    if path is None:
        return {}
    data = path.read_bytes()
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise InputError(
            f"{path} declares XML entities, which the released file does not; use the released file."
        )
    found = {}
    for entry in ElementTree.fromstring(data).iter("entry"):  # noqa: S314 (entities are refused above)
        triples = [one.text or "" for one in entry.iter("mtriple")]
        references = tuple(one.text.strip() for one in entry.iter("lex") if one.text)
        number = re.search(r"\d+", entry.get("eid", ""))
        if number:
            found[int(number[0])] = " ; ".join(triples), references, entry.get("category")
    return found
