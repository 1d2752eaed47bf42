"""Pairs of texts and the text that people prefer: HATS (transcripts), DEMETR (damaged translations), LLMBar
(outputs for an instruction) and the meta-evaluation of RAGChecker (answers, with the strength of the preference).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError
from nlgauge.io.files import lines_of
from nlgauge.meta.benchmarks.originals.files import Opened, field, mean
from nlgauge.meta.benchmarks.rows import AnyPair, BenchmarkRow, PairLine, Side, rows_of_pairs

_HATS = ["reference", "hypA", "nbrA", "hypB", "nbrB"]
_DEMETR = ("mt_sent", "pert_sent", "eng_sent", "pert_check", "pert_name")
_LLMBAR = ("input", "output_1", "output_2", "label")
_RAGCHECKER = ("correctness_label", "completeness_label", "overall_label")
_STRENGTHS = (-2, -1, 0, 1, 2)
Read = tuple[list[BenchmarkRow], list[AnyPair]]


def knows_hats(opened: Opened) -> bool:
    """Return True if this is hats.txt."""
    if not opened.place.is_file() or opened.place.suffix != ".txt":
        return False
    return opened.text.partition("\n")[0].rstrip("\r").split("\t") == _HATS


def read_hats(opened: Opened) -> Read:
    """Return pairs of transcripts, the better one first: more votes, or the first if the votes are equal."""
    lines = []
    for number, text in enumerate(lines_of(opened.text)[1:], 1):
        cells = text.split("\t")
        if len(cells) != len(_HATS) or not (cells[2].isdecimal() and cells[4].isdecimal()):
            raise InputError(
                f"{opened.place}, line {number + 1} must have a reference, and two transcripts each with its"
                " number of votes; use hats.txt as released."
            )
        sides = [(int(cells[2]), Side("A", cells[1])), (int(cells[4]), Side("B", cells[3]))]
        (most, better), (least, worse) = sides if sides[0][0] >= sides[1][0] else sides[::-1]
        meta = {"lp": "fr", "votes": [most, least], "tie": most == least}
        lines.append(PairLine(str(number), (better, worse), None, (cells[0],), meta))
    return rows_of_pairs(lines)


def knows_demetr(opened: Opened) -> bool:
    """Return True if this is a file of DEMETR, or a directory with such files."""
    return any(one.has(*_DEMETR) for one in _json_files(opened, "*.json")[:1])


def read_demetr(opened: Opened) -> Read:
    """Return pairs of a translation and the damaged translation, which is worse.

    Translations that could not be damaged (`pert_check` is false) are left out.
    """
    lines = []
    for one in _json_files(opened, "*.json"):
        for number, record in enumerate(one.records, 1):
            if not field(record, "pert_check", one.place, number):
                continue
            kind = str(field(record, "pert_name", one.place, number))
            meta = {
                "lp": f"{record['lang_tag']}-en",
                "phenomenon": kind,
                "description": record.get("pert_desc"),
                "severity": record.get("severity"),
                "origin": record.get("data_source"),
            }
            lines.append(
                PairLine(
                    str(field(record, "id", one.place, number)),
                    (Side("mt", record["mt_sent"]), Side(kind, record["pert_sent"])),
                    record["src_sent"],
                    (record["eng_sent"],),
                    meta,
                )
            )
    return rows_of_pairs(lines)


def knows_llmbar(opened: Opened) -> bool:
    """Return True if this is a dataset.json of LLMBar, or a directory with such files."""
    return any(one.has(*_LLMBAR) for one in _json_files(opened, "dataset.json")[:1])


def read_llmbar(opened: Opened) -> Read:
    """Return pairs of outputs; `CaseStudy`, whose pairs are variants of each other, is left out."""
    lines = []
    for one in _json_files(opened, "dataset.json"):
        if "CaseStudy" in one.place.parts:
            continue
        subset = _subset(one.place)
        for number, record in enumerate(one.records):
            label = record.get("label")
            if label not in (1, 2):
                raise InputError(
                    f"{one.place}, record {number + 1}: label must be 1 or 2, got {label!r:.40}."
                )
            outputs = [
                Side(f"output_{k}", str(field(record, f"output_{k}", one.place, number + 1))) for k in (1, 2)
            ]
            better, worse = outputs if label == 1 else outputs[::-1]
            meta = {"subset": subset, "label": label}
            lines.append(PairLine(f"{subset}:{number}", (better, worse), record["input"], (), meta))
    return rows_of_pairs(lines)


def knows_ragchecker(opened: Opened) -> bool:
    """Return True if this is human_labeled_data.json of RAGChecker's meta-evaluation."""
    return opened.place.suffix == ".json" and opened.has("model1", "model2", *_RAGCHECKER)


def read_ragchecker(opened: Opened) -> Read:
    """Return pairs of answers with graded preferences; the file has one record per pair and annotator."""
    grouped: dict[Any, list[tuple[int, Mapping[str, Any]]]] = {}
    for number, record in enumerate(opened.records, 1):
        grouped.setdefault(field(record, "instance_id", opened.place, number), []).append((number, record))
    lines = []
    for records in grouped.values():
        number, first = records[0]
        ratings = {
            name.removesuffix("_label"): _strengths(name, records, opened.place) for name in _RAGCHECKER
        }
        sides = tuple(
            Side(first[model]["model_name"], first[model]["response"]) for model in ("model1", "model2")
        )
        if any(record[model] != first[model] for _, record in records for model in ("model1", "model2")):
            raise InputError(
                f"{opened.place}, record {number}: records of one instance_id have different answers; use the file"
                " as released."
            )
        lines.append(
            PairLine(
                f"{first['dataset']}:{first['query_id']}",
                (sides[0], sides[1]),
                first["query"],
                (first["gt_answer"],),
                {"dataset": first["dataset"]},
                {name: mean(values) for name, values in ratings.items()},
                ratings,
            )
        )
    return rows_of_pairs(lines)


def _strengths(name: str, records: Sequence[tuple[int, Mapping[str, Any]]], place: Path) -> tuple[float, ...]:
    """Return the preferences of the annotators of one pair."""
    for number, record in records:
        if record.get(name) not in _STRENGTHS:
            raise InputError(
                f"{place}, record {number}: {name} must be a whole number from -2 to 2, got {record.get(name)!r:.40}."
            )
    return tuple(float(record[name]) for _, record in records)


def _subset(place: Path) -> str:
    """Return the name of a subset from the directories of its file.

    >>> _subset(Path("Dataset/LLMBar/Adversarial/GPTInst/dataset.json"))
    'Adversarial_GPTInst'
    >>> _subset(Path("Dataset/LLMBar/Natural/dataset.json"))
    'Natural'
    """
    *_, above, folder = place.parent.parts[-2:] if len(place.parts) > 2 else ("", place.parent.name)
    return folder if above in ("LLMBar", "Dataset", "") else f"{above}_{folder}"


def _json_files(opened: Opened, pattern: str) -> list[Opened]:
    if not opened.place.is_dir():
        return [opened] if opened.place.suffix == ".json" else []
    return [Opened(path) for path in sorted(opened.place.rglob(pattern)) if path.is_file()]
