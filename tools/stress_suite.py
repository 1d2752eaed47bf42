"""Write the shares of DEMETR's damage that metrics notice: kept numbers for cards and for docs/results/stress.md.

    NLGAUGE_BENCHMARKS=DIRECTORY python tools/stress_suite.py --minutes 15
    python tools/stress_suite.py --page     write the page and its picture from the kept numbers

String metrics are run on all pairs; metrics with a model on a sample of segments, if the model is installed. A metric that
has its numbers is not run again (--again METRIC does). A metric that costs more than its share of the time is run on a
sample, and the sample is in the file.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import msgspec

from nlgauge.errors import NlgaugeError
from nlgauge.meta.diagnostics.suites import damage_noticed
from nlgauge.meta.findings import Findings
from nlgauge.metric import noticed
from nlgauge.metric.card import card
from nlgauge.metric.registry import make, metric_classes
from nlgauge.models.weights import store

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "results" / "stress.md"
PICTURE = ROOT / "docs" / "pictures" / "stress-demetr.png"
BEGIN, END = "<!-- stress: written by tools/stress_suite.py -->\n", "<!-- stress: end -->\n"
DRAWN = ("chrf++", "sentence_bleu", "meteor", "eed")
KEPT = ROOT / "src" / "nlgauge" / "data" / "stress.json"
SEGMENTS = 1000
# Presets that people name, and models that are installed, in addition to every metric with its default parameters.
PRESETS = ("chrf++", "meteor(compat='nltk', version='2005')")
WITH_MODELS = {
    "bertscore(model='minilm', layer=6)": 60,
    "yisi(model='minilm', layer=6)": 60,
    "moverscore(model='minilm')": 60,
    "embedding_similarity": 100,
    "wmd": 100,
    "sms": 100,
    "wms": 100,
    "rouge_we": 100,
    "embedding_average": 300,
    "vector_extrema": 300,
    "greedy_matching": 100,
    "perplexity": 30,
    "gptscore": 20,
}
# Of one segment, to decide how many are affordable.
PROBE = 10
FIELDS = ("n", "detected", "low", "high", "tied")


def default_metrics() -> list[str]:
    """Return the metrics of the package that need no model and no other choice."""
    found = []
    for name, metric in metric_classes().items():
        if not metric.__module__.startswith("nlgauge.metrics.") or card(name).default_model:
            continue
        try:
            made = make(name)
        except (TypeError, NlgaugeError):
            continue
        if not getattr(made, "model", None) and not getattr(made, "vectors", None):
            found.append(name)
    return [*sorted(found), *(name for name in PRESETS if name not in found)]


def rows_of(metric: str, segments: int | None) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = damage_noticed(metric, "demetr", segments=segments)
    return [
        {
            "output": row["metric"],
            "kind": row["phenomenon"],
            "severity": row["severity"],
            **{name: round(float(row[name]), 4) if name != "n" else row["n"] for name in FIELDS},
        }
        for row in found
        if row["n"]  # of pairs that the metric does not score there is nothing to keep
    ]


def reason(name: str) -> str:
    """Return why a metric has no numbers."""
    model = card(name).default_model
    if model and store.location(model) is not None:
        return f"running its model, {model}, on the suite takes too long"
    if model:
        return f"its model, {model}, was not on the machine that ran the suite"
    try:
        metric = make(name)
    except (TypeError, NlgaugeError):
        return "it needs parameters, such as a model or a question, that the suite does not choose"
    if getattr(metric, "model", None) or getattr(metric, "vectors", None):
        return "its model was not on the machine that ran the suite"
    try:
        rows_of(name, 1)
    except NlgaugeError as error:
        return "it " + str(error).partition(name)[2].strip(" .").replace(
            "has none", "has no " + _lack(str(error))
        )
    return "it was not run yet"


def _lack(error: str) -> str:
    """Return what a metric needs and lacks, from the error of a stress test."""
    return "direction" if "direction" in error else "scores of segments"


def run(metric: str, sample: int | None, seconds: float) -> dict[str, Any]:
    """Return the rows of a metric; of a slow metric on as many segments as the seconds allow."""
    times = []
    for number in (PROBE // 2, PROBE):
        started = time.process_time()
        rows_of(metric, number)
        times.append(time.process_time() - started)
    # The second call loads nothing, so that most of its time is for the texts.
    each = min(times[1], max(2 * (times[1] - times[0]), times[1] / 4)) / PROBE
    affordable = max(PROBE, int(seconds / each))
    segments = min(sample or SEGMENTS, affordable)
    rows = rows_of(metric, None if segments >= SEGMENTS else segments)
    return {"metric": metric, "segments": min(segments, SEGMENTS), "rows": rows}


def load() -> dict[str, Any]:
    return json.loads(KEPT.read_text("utf-8")) if KEPT.is_file() else {"suite": "demetr", "metrics": []}


def save(kept: dict[str, Any]) -> None:
    kept["metrics"].sort(key=lambda entry: entry["metric"])
    lines = ",\n".join(
        json.dumps(entry, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        for entry in kept["metrics"]
    )
    facts = {"suite": kept["suite"], "date": time.strftime("%Y-%m-%d", time.gmtime())}
    head = json.dumps({**facts, "left_out": kept.get("left_out", {})}, ensure_ascii=False)[:-1]
    KEPT.write_text(f'{head}, "metrics": [\n{lines}\n]}}\n', "utf-8")


def table() -> str:
    """Return the table of docs/results/stress.md: one row per output, from the kept numbers."""
    rows = []
    for entry in noticed.kept().metrics:
        for output in dict.fromkeys(row.output for row in entry.rows):
            shares = {
                row.severity: row
                for row in entry.rows
                if row.output == output and row.kind == noticed.ALL_KINDS
            }
            if not all(severity in shares for severity in noticed.SEVERITIES):
                continue
            cells = [
                f"{100 * one.detected:.1f} [{100 * one.low:.1f}, {100 * one.high:.1f}]"
                for one in (shares[severity] for severity in noticed.SEVERITIES)
            ]
            tied = sum(shares[severity].tied * shares[severity].n for severity in noticed.SEVERITIES)
            pairs = sum(shares[severity].n for severity in noticed.SEVERITIES)
            name = entry.metric if output in (entry.metric, entry.name) else f"{entry.metric}, {output}"
            rows.append(
                (
                    -shares["critical"].detected,
                    f"`{name}`",
                    *cells,
                    f"{100 * tied / pairs:.1f}",
                    entry.segments,
                )
            )
    head = "| metric | critical | major | minor | tied | texts |\n|---|---|---|---|---|---|\n"
    return head + "".join(f"| {' | '.join(map(str, row[1:]))} |\n" for row in sorted(rows))


def written(text: str) -> str:
    """Return the page with its table as the kept numbers are."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


def draw() -> None:
    """Draw the shares of some metrics by kind of damage."""
    rows = [
        {"metric": entry.metric, **msgspec.structs.asdict(row), "phenomenon": noticed.plain(row.kind)}
        for entry in noticed.kept().metrics
        if entry.metric in DRAWN
        for row in entry.rows
        if row.kind != noticed.ALL_KINDS and row.severity in noticed.SEVERITIES
    ]
    rows.sort(
        key=lambda row: (DRAWN.index(row["metric"]), noticed.SEVERITIES.index(row["severity"]), row["kind"])
    )
    found = Findings(rows, drawn_as="stress")
    found.plot(PICTURE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--again", nargs="*", default=[])
    arguments = parser.parse_args()
    if arguments.page:
        PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
        draw()
        return
    kept = load()
    done = {entry["metric"] for entry in kept["metrics"]} - set(arguments.again)
    wanted: dict[str, int | None] = {**dict.fromkeys(default_metrics()), **WITH_MODELS}
    missing = {name: sample for name, sample in wanted.items() if name not in done}
    for place, (name, sample) in enumerate(missing.items()):
        left = 60 * arguments.minutes - time.process_time()
        share = left / (len(missing) - place)
        if share < 1:
            print(f"{name}: no time left", file=sys.stderr)
            continue
        try:
            entry = run(name, sample, 2 * share)
        except NlgaugeError as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        kept["metrics"] = [one for one in kept["metrics"] if one["metric"] != name] + [entry]
        save(kept)
        print(
            f"{name}: {entry['segments']} segments, {time.process_time():.0f} CPU s so far", file=sys.stderr
        )
    there = {entry["metric"].partition("(")[0] for entry in kept["metrics"]}
    packaged = [
        name for name, metric in metric_classes().items() if metric.__module__.startswith("nlgauge.metrics.")
    ]
    kept["left_out"] = {name: reason(name) for name in sorted(packaged) if name not in there}
    save(kept)


if __name__ == "__main__":
    main()
