"""The evidence of `nlgauge choose`: the values of all tables as JSON, and the needs of every metric.

    {"format": 1, "version": "0.1.0",
     "metrics": {"chrf": {"references": true, "source": false, "weights": false, "languages": "any", "unsplit": []},
                 ...},
     "sets": [{"benchmark": "summeval", "task": "summarization", "languages": ["en"], "year": 2020,
               "dimension": "relevance", "main": true, "sample": null, "systems": 17, "inputs": 100, "texts": 1700,
               "coefficient": {"texts": "Kendall's tau-b", ...}, "ceiling": {"texts": 0.42, ...},
               "metrics": {"chrf": {"texts": {"value": 0.23, "low": 0.14, "high": 0.32, "cluster": 1,
                                              "unbeaten": true, "beats": ["wer", ...],
                                              "above": ["random numbers", ...], "below": []},
                                    "systems": {...}, "seconds": 0.086}, ...}}, ...]}

Metrics were tested against each other on one dimension of a benchmark: other sets have no `cluster`, `unbeaten`,
`beats`, `above` and `below`. `above` names the controls, BLEU and best metric of its class that a metric beats in the
planned comparisons, `below` those that beat it. `main` is the dimension that stands for the quality of a benchmark.
`others` has the sets that answer no question of `nlgauge choose`. `also` has further coefficients, `parts` by part the
shares of pairs in the order of people and of ties. `defined` is the share of inputs on which a value is defined, if
not 1; `undirected` marks a metric of which neither high nor low is better; `unsplit` are languages without spaces whose
sentences a metric takes for words. Human ratings are not in the file.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from nlgauge._core.paths import write_whole
from nlgauge._core.versions import installed_version
from nlgauge.corpus.scripts import UNSPACED
from nlgauge.metric import AnyMetric
from nlgauge.metric.card import card
from nlgauge.metric.registry import find, metric_classes, parse
from nlgauge.models.weights.catalog import catalog
from studies.leaderboard.comparisons import LENGTH, RANDOM
from studies.leaderboard.shown import COEFFICIENTS
from studies.leaderboard.tables import Line, Table, Value

FORMAT = 1
# A sentence in each script without spaces between words: today the weather is good.
UNSPACED_TEXTS = {
    "zh": "今天天气很好我们去公园散步",
    "th": "วันนี้อากาศดีมากเราไปเดินเล่นในสวน",
    "lo": "ມື້ນີ້ອາກາດດີຫຼາຍພວກເຮົາໄປຍ່າງຫຼິ້ນ",
    "km": "ថ្ងៃនេះអាកាសធាតុល្អណាស់យើងទៅដើរលេង",
    "my": "ယနေ့ရာသီဥတုအလွန်ကောင်းမွန်သည်",
    "bo": "དེ་རིང་གནམ་གཤིས་ཡག་པོ་འདུག",
}
LEVELS = {"system": "systems", "input": "texts", "global": "texts"}


def write(path: Path, tables: Mapping[str, Sequence[Table]]) -> None:
    """Write the evidence of the tables of all benchmarks."""
    whole = [each[0] for each in tables.values()]
    found = [(table, table.human) for each in tables.values() for table in each]
    found += [(table, human) for table in whole for human in _dimensions(table) if human != table.human]
    by_use: dict[bool, list[Mapping[str, Any]]] = {True: [], False: []}
    for table, human in found:
        by_use[table.board.advises].append(_set(table, human))
    _save(path, by_use[True], by_use[False])


def read(path: Path) -> dict[str, Any]:
    """Return the content of the file."""
    record: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return record


def refresh(path: Path) -> None:
    """Write the needs of all metrics anew, beside the values that the file has."""
    record = read(path)
    _save(path, record["sets"], record["others"])


def _save(path: Path, sets: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]) -> None:
    labels = {label for each in [*sets, *others] for label in each["metrics"]} - {LENGTH, RANDOM}
    record = {
        "format": FORMAT,
        "version": installed_version("nlgauge"),
        "metrics": needs([*metric_classes(), *labels]),
        "sets": sets,
        "others": others,
    }
    text = json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
    write_whole(path, gzip.compress(text.encode(), mtime=0))


def _dimensions(table: Table) -> list[str]:
    return list(dict.fromkeys(human for human, _ in table.ceilings))


def _set(table: Table, human: str) -> dict[str, Any]:
    """Return the record of one human dimension of a table."""
    board, tested = table.board, human == table.human
    systems, inputs, texts = table.counts
    metrics = {line.metric: entry for line in table.lines if (entry := _entry(line, human, tested))}
    return {
        "benchmark": table.name,
        "task": board.task,
        "languages": list(board.languages),
        "year": board.year,
        "dimension": human,
        "main": tested and board.overall,
        "sample": table.drawn,
        "systems": systems,
        "inputs": inputs,
        "texts": texts,
        "coefficient": {LEVELS[level]: COEFFICIENTS[name] for level, name in board.coefficients.items()},
        "ceiling": {
            LEVELS[level]: ceiling
            for (of, level), ceiling in table.ceilings.items()
            if of == human and not math.isnan(ceiling)
        },
        "metrics": metrics,
    }


def _entry(line: Line, human: str, tested: bool) -> dict[str, Any]:
    """Return the values of a metric by level, with its cost; nothing if it has no value."""
    entry: dict[str, Any] = {}
    for level, name in LEVELS.items():
        value = line.values.get((human, level), Value())
        if not math.isnan(value.value):
            entry[name] = {key: number for key, number in _numbers(value) if not math.isnan(number)}
            if tested and level in line.places:
                place = line.places[level]
                entry[name] |= {
                    "cluster": place.cluster,
                    "unbeaten": not place.beaten,
                    "beats": list(place.beats),
                }
                verdicts = {other: one.verdict for other, one in line.planned.get(level, {}).items()}
                entry[name] |= {
                    "above": [other for other, verdict in verdicts.items() if verdict > 0],
                    "below": [other for other, verdict in verdicts.items() if verdict < 0],
                }
    if entry and not line.directed:
        entry["undirected"] = True
    if entry and tested and line.seconds:
        entry["seconds"] = line.seconds
    if entry and tested and line.also:
        entry["also"] = {name: value for name, value in line.also.items() if not math.isnan(value)}
    if entry and tested and line.parts:
        entry["parts"] = {part: list(shares) for part, shares in line.parts.items()}
    return entry


def _numbers(value: Value) -> Iterator[tuple[str, float]]:
    yield from (("value", value.value), ("low", value.low), ("high", value.high))
    if value.defined < 1:
        yield "defined", value.defined


def needs(labels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return what each label of a metric needs, and the languages that it knows, by label.

    >>> needs(["chrf"])["chrf"]
    {'references': True, 'source': False, 'weights': False, 'languages': 'any', 'unsplit': []}
    """
    return {label: _needs(re.sub(r"\.\w+$", "", label)) for label in sorted(set(labels))}


def _needs(spec: str) -> dict[str, Any]:
    name = spec.partition("(")[0]
    about = card(name)
    try:
        metric: AnyMetric | type[AnyMetric] = parse(spec)
        model = next((getattr(metric, key) for key in ("model", "vectors") if hasattr(metric, key)), None)
    except TypeError:  # a parameter without a default
        metric, model = find(name), about.default_model
    return {
        "references": metric.takes != "alone",
        "source": metric.source,
        "weights": bool(about.default_model) or bool(model),
        "languages": _languages(about.languages, model),
        "unsplit": [] if isinstance(metric, type) else unsplit(metric),
    }


def _languages(of_card: str | Sequence[str], model: Any) -> str | list[str]:
    """Return the languages of a card that a model of the catalog knows too."""
    known = catalog().get(model)
    if known is None or known.languages == "many":
        return of_card if isinstance(of_card, str) else list(of_card)
    return [lang for lang in known.languages if of_card == "any" or lang in of_card]


def unsplit(metric: AnyMetric) -> list[str]:
    """Return the languages without spaces between words whose texts a metric does not split."""
    languages: list[str] = []
    for lang, text in UNSPACED_TEXTS.items():
        script = next(script for script in UNSPACED if lang in script.languages)
        words = metric.for_language(lang).words(lang)
        if words is not None and not script.is_split([text], words.of):
            languages += script.languages
    return sorted(set(languages))
