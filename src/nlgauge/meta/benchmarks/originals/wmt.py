"""The WMT metrics tasks: DA-seglevel.csv (direct assessment), RR-seglevel.csv (better and worse), and test
sets with texts in one table.

Texts are looked for anywhere below the folder: newstest2017-csen-src.cs, newstest2017-csen-ref.en,
newstest2017.online-A.0.cs-en.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError
from nlgauge.io.files import decoded, lines_of, read_bytes
from nlgauge.meta.benchmarks.originals.files import Opened, number
from nlgauge.meta.benchmarks.rows import AnyPair, BenchmarkRow, Pair

_ASSESSMENTS = "DA-seglevel.csv"
_RANKINGS = ("RR-seglevel.csv", "DArr-seglevel.csv")


def knows_assessments(opened: Opened) -> bool:
    """Return True if this is DA-seglevel.csv or a directory with it."""
    return opened.has("LP", "DATA", "SYSTEM", "SID", "HUMAN") or _within(opened, (_ASSESSMENTS,)) is not None


def knows_rankings(opened: Opened) -> bool:
    """Return True if this is RR-seglevel.csv or a directory with it."""
    return opened.has("LP", "DATA", "SID", "BETTER", "WORSE") or _within(opened, _RANKINGS) is not None


def knows_testset(opened: Opened) -> bool:
    """Return True if this is a table of translations with their human scores."""
    return opened.has("LP", "source", "translation", "reference", "HUMAN_score")


def read_testset(opened: Opened) -> Iterator[BenchmarkRow]:
    """Yield one row per judged translation; its system is not named."""
    for i, record in enumerate(opened.records, 1):
        pair = record["LP"]
        human = {"da_z": number(record["HUMAN_score"], opened.place, i)}
        yield BenchmarkRow(
            f"{pair}:{i}",
            "mixed",
            human,
            record["translation"],
            record["source"],
            (record["reference"],),
            meta={"lp": pair},
        )


def read_assessments(opened: Opened) -> Iterator[BenchmarkRow]:
    """Yield one row per judged translation whose texts exist."""
    table = _table(opened, (_ASSESSMENTS,))
    texts = _Texts(table.place.parent)
    for i, record in enumerate(table.records, 1):
        human = {"da_z": number(record["HUMAN"], table.place, i)}
        found = texts.row(record, record["SYSTEM"], human)
        if found is not None:
            yield found
    texts.check(table.place)


def read_rankings(opened: Opened) -> tuple[list[BenchmarkRow], list[AnyPair]]:
    """Return the pairs whose two translations exist, and those translations."""
    table = _table(opened, _RANKINGS)
    texts = _Texts(table.place.parent)
    rows: dict[tuple[str, str], BenchmarkRow] = {}
    pairs: list[AnyPair] = []
    for record in table.records:
        sides = [texts.row(record, record[side], {}) for side in ("BETTER", "WORSE")]
        if sides[0] is not None and sides[1] is not None:
            pairs.append(Pair(sides[0].segment, record["BETTER"], record["WORSE"], record["LP"]))
            rows |= {(row.segment, row.system): row for row in sides if row is not None}
    texts.check(table.place)
    return list(rows.values()), pairs


def name_of_rankings(opened: Opened) -> str | None:
    """Return the benchmark, by the test set that the table names."""
    data = _table(opened, _RANKINGS).records[0]["DATA"]
    return {"newstest2018": "wmt18_darr", "newstest2019": "wmt19_darr"}.get(data)


def _within(opened: Opened, names: tuple[str, ...]) -> Path | None:
    if not opened.place.is_dir():
        return None
    return next((path for name in names for path in sorted(opened.place.rglob(name))), None)


def _table(opened: Opened, names: tuple[str, ...]) -> Opened:
    path = _within(opened, names)
    return opened if path is None else Opened(path)


class _Texts:
    """The texts below a folder, by the names that WMT gives their files."""

    def __init__(self, folder: Path) -> None:
        self.files = {path.name: path for path in sorted(folder.rglob("*")) if path.is_file()}
        self.lines: dict[str, list[str] | None] = {}
        self.found = 0

    def row(self, record: Mapping[str, Any], system: str, human: Mapping[str, float]) -> BenchmarkRow | None:
        """Return the row of a system's translation; None if its texts are missing."""
        pair, data = record["LP"], record["DATA"]
        source, target = pair.split("-")
        # Systems with one output are joined by +; each has a file.
        candidates = [self._of(f"{data}.{one}.{pair}") for one in system.split("+")]
        prediction = next((lines for lines in candidates if lines is not None), None)
        reference = self._of(f"{data}-{source}{target}-ref.{target}")
        if prediction is None or reference is None:
            return None
        at = int(record["SID"]) - 1
        for lines in (prediction, reference):
            if not 0 <= at < len(lines):
                raise InputError(
                    f"a file of {data} {pair} has {len(lines)} lines, but segment {record['SID']} was judged; use"
                    " the complete released file."
                )
        self.found += 1
        sources = self._of(f"{data}-{source}{target}-src.{source}")
        text = None if sources is None else sources[at]
        meta = {"lp": pair, "testset": data, "sid": at + 1}
        return BenchmarkRow(
            f"{pair}:{at + 1}", system, human, prediction[at], text, (reference[at],), meta=meta
        )

    def check(self, table: Path) -> None:
        """Raise if no text at all was read."""
        if not self.found:
            raise InputError(
                f"{table.parent} has no translations of {table.name}; add the files of translations, such as"
                " newstest2017.online-A.0.cs-en, and of references, such as newstest2017-csen-ref.en."
            )

    def _of(self, name: str) -> list[str] | None:
        if name not in self.lines:
            path = self.files.get(name)
            self.lines[name] = (
                None
                if path is None
                else [html.unescape(line) for line in lines_of(decoded(read_bytes(str(path)), str(path)))]
            )
        return self.lines[name]
