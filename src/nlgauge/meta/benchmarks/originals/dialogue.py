"""USR: tc_usr_data.json and pc_usr_data.json with each rater's judgment, and UniEval's topical_chat.json
with their means.
"""

from __future__ import annotations

from collections.abc import Iterator

from nlgauge.meta.benchmarks.originals.files import Opened, field, mean, number
from nlgauge.meta.benchmarks.rows import BenchmarkRow

_DIMENSIONS = {
    "Understandable": "understandability",
    "Natural": "naturalness",
    "Maintains Context": "coherence",
    "Engaging": "engagingness",
    "Uses Knowledge": "groundedness",
    "Overall": "overall",
}
_ORIGINAL = "Original Ground Truth"
_BY_PEOPLE = (_ORIGINAL, "New Human Generated")


def knows(opened: Opened) -> bool:
    """Return True if this is a file of USR's authors."""
    return opened.has("context", "responses")


def name(opened: Opened) -> str | None:
    """Return the benchmark, by the first letters of the file's name."""
    return {"tc": "usr_topicalchat", "pc": "usr_personachat"}.get(opened.place.name[:2])


def read(opened: Opened) -> Iterator[BenchmarkRow]:
    """Yield one row per context and response; the original response is the reference."""
    for i, record in enumerate(opened.records):
        responses = {one["model"].strip(): one for one in record["responses"]}
        references = (responses[_ORIGINAL]["response"].strip(),) if _ORIGINAL in responses else ()
        for system, one in responses.items():
            ratings = {
                ours: tuple(
                    number(value, opened.place, i + 1) for value in field(one, theirs, opened.place, i + 1)
                )
                for theirs, ours in _DIMENSIONS.items()
                if theirs in one
            }
            human = {dimension: mean(values) for dimension, values in ratings.items()}
            meta = {"context_fact": record.get("fact"), "human_reference": system in _BY_PEOPLE}
            yield BenchmarkRow(
                str(i),
                system,
                human,
                one["response"].strip(),
                record["context"].strip(),
                references,
                ratings,
                meta=meta,
            )


def knows_pooled(opened: Opened) -> bool:
    """Return True if this is UniEval's file."""
    return opened.has("system_output", "system_id", "scores")


def read_pooled(opened: Opened) -> Iterator[BenchmarkRow]:
    """Yield one row per record; records with the same source are one segment."""
    sources: dict[str, str] = {}
    originals = {
        record["source"]: record["system_output"].strip()
        for record in opened.records
        if record["system_id"] == _ORIGINAL
    }
    for record in opened.records:
        source = record["source"]
        segment = sources.setdefault(source, str(len(sources)))
        references = (originals[source],) if source in originals else ()
        meta = {"context_fact": record.get("context"), "human_reference": record["system_id"] in _BY_PEOPLE}
        yield BenchmarkRow(
            segment,
            record["system_id"],
            dict(record["scores"]),
            record["system_output"].strip(),
            source.strip(),
            references,
            meta=meta,
        )
