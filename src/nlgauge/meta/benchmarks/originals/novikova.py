"""emnlp_data_medians.csv of Novikova et al. 2017: BAGEL, SF restaurants and SF hotels in one table, with
metric scores and no references.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from nlgauge.meta.benchmarks.originals.files import Opened, number
from nlgauge.meta.benchmarks.rows import BenchmarkRow

_DIMENSIONS = ("informativeness", "naturalness", "quality")
_METRICS = tuple("TER Bleu_1 Bleu_2 Bleu_3 Bleu_4 ROUGE_L NIST LEPOR CIDEr METEOR sim.mr.sys".split())


def knows(opened: Opened) -> bool:
    """Return True if this is the table of medians."""
    return opened.has("dataset", "system", "mr", "sys_ref", *_DIMENSIONS)


def name(opened: Opened) -> str | None:
    """Return the benchmark if the table has rows of one of the three, else None."""
    datasets = {record["dataset"] for record in opened.records}
    return datasets.pop().lower() if len(datasets) == 1 else None


def read(opened: Opened) -> Iterator[BenchmarkRow]:
    """Return its rows: a meaning representation is a segment, a further output of a system for it has a
    number behind.
    """
    times: Counter[tuple[str, str, str]] = Counter()
    for i, record in enumerate(opened.records, 1):
        key = record["dataset"], record["system"], record["mr"]
        times[key] += 1
        metrics = {}
        for metric in _METRICS:
            with suppress(KeyError, ValueError):
                metrics[metric] = float(record[metric])
        human = {dimension: number(record[dimension], opened.place, i) for dimension in _DIMENSIONS}
        meta = {"mr_type": record.get("mr_type"), "dataset": record["dataset"].lower()}
        segment = record["mr"] + (f".{times[key]}" if times[key] > 1 else "")
        references = (record["orig_ref"],) if record.get("orig_ref") else ()
        yield BenchmarkRow(
            f"{meta['dataset']}:{segment}",
            record["system"],
            human,
            record["sys_ref"],
            record["mr"],
            references,
            metrics=metrics,
            meta=meta,
        )
