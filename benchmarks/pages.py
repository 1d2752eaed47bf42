"""The report in Chromium: how long it takes to write, how large it is, when it is ready, what it holds in
memory, how fast it answers a key.

python -m benchmarks.pages [SEGMENTS ... | summeval | selection]

`summeval` is a report on 17 systems, 100 articles and 11 references, with BERTScore (model minilm). It needs the
benchmark (NLGAUGE_BENCHMARKS) and the model. `selection` is the time from the choice of 2,000 of 4,000 segments to
their scores, and to the intervals and tests of 60 columns of sums with 1,000 resamples.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any

import nlgauge
from benchmarks.workloads import generated
from nlgauge.results.result import Result
from nlgauge.show.report.page import page as page_of

_SYSTEMS = ("A", "B", "C")
_METRICS = ("bleu", "chrf", "wer", "rouge")
_WORDS = 22
_ROUNDS = 3
_KEYS = 20
# A report as it is by default, and one with the texts of all segments and without explanations.
_OPTIONS: tuple[dict[str, float], ...] = ({}, {"explain": 0, "max_size": 1000})

# The time from a key to the frame in which the segment that it chose is painted.
_PRESS = """async () => {
  const before = document.querySelector("#detail h3").textContent;
  const start = performance.now();
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
  while (document.querySelector("#detail h3").textContent === before) await new Promise(resolve => setTimeout(resolve, 0));
  await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve, 0)));
  return performance.now() - start;
}"""

# The time from a choice of segments to their scores, and to their intervals.
_SELECT = """async value => {
  const [bar, list] = [document.querySelector("#selection"), document.querySelector("select[aria-label=half]")];
  const start = performance.now();
  const times = [];
  await new Promise(done => {
    new MutationObserver((_, self) => {
      times.push(performance.now() - start);
      if (times.length < 2 || bar.textContent.includes("computing")) return;
      self.disconnect();
      done();
    }).observe(bar, { childList: true, subtree: true });
    list.value = [...list.options].find(option => option.text.endsWith(value)).value;
    list.dispatchEvent(new Event("change", { bubbles: true }));
  });
  return [times[0], times.at(-1)];
}"""


def made(segments: int) -> Result:
    """Scores of three systems, of which each leaves out more of the reference than the one before."""
    draw = random.Random(segments)
    references = [own for own, *_ in generated(segments, words=_WORDS).references]
    outputs = {
        system: [
            " ".join(word for word in text.split() if draw.random() > 0.1 * (place + 1))
            for text in references
        ]
        for place, system in enumerate(_SYSTEMS)
    }
    return nlgauge.score(
        outputs, [[text] for text in references], metrics=list(_METRICS), show_progress=False
    )


def summeval() -> Result:
    """Scores of 17 systems on SummEval, with 11 references and a metric whose explanations are matrices."""
    from nlgauge.engine.run_options import run_options
    from nlgauge.meta import benchmarks

    corpus = benchmarks.load("summeval").corpus()
    metrics = ["bleu", "rouge", "chrf", "ter", "meteor", "bertscore(model='minilm')"]
    return nlgauge.Scorer(metrics).score_corpus(corpus, None, run_options())


def measured(browser: Any, path: Path) -> dict[str, float]:
    """Seconds until the leaderboard is there and until all is, megabytes of heap, elements, milliseconds
    from a key to the frame that it changed.
    """
    page = browser.new_page(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached", timeout=120_000)
    first, ready = (
        page.evaluate(f"() => performance.getEntriesByName('{name}')[0].startTime") / 1000
        for name in ("first", "ready")
    )
    keys = sorted(page.evaluate(_PRESS) for _ in range(_KEYS))
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")
    # Arrays of numbers lie beside the heap of objects.
    heap = (used["usedSize"] + used.get("backingStorageSize", 0)) / 1e6
    elements = page.evaluate("() => document.querySelectorAll('*').length")
    page.close()
    return {
        "first": first,
        "ready": ready,
        "heap": heap,
        "elements": elements,
        "key": keys[len(keys) // 2],
        "slowest key": keys[-1],
    }


def halves() -> Result:
    """Scores of two systems on 4,000 segments, a field with two halves, and 60 columns of sums: 10 of BLEU, 18 of chrF
    and 2 of CharacTER per system.
    """
    draw = random.Random(1)
    references = [own for own, *_ in generated(4000, words=_WORDS).references]
    rows = [
        {
            "id": number,
            "system": system,
            "prediction": " ".join(word for word in text.split() if draw.random() > share),
            "references": [text],
            "half": "first" if number < 2000 else "second",
        }
        for number, text in enumerate(references)
        for system, share in (("A", 0.1), ("B", 0.2))
    ]
    return nlgauge.score(rows, metrics=["bleu", "chrf", "character"], show_progress=False)


def select(browser: Any, path: Path) -> None:
    """Print how long a selection takes, by the clock and in CPU time of the page's thread: the best of some rounds."""
    page = browser.new_page(viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached", timeout=120_000)
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def busy() -> float:
        found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        return 1000 * float(found["TaskDuration"])

    rounds = []
    for number in range(_KEYS):
        began = busy()
        points, intervals = page.evaluate(_SELECT, ("first", "second")[number % 2])
        rounds.append((points, intervals, busy() - began))
    points, intervals, spent = map(min, zip(*rounds, strict=True))
    print(
        f"selection: scores after {points:.0f} ms, intervals after {intervals:.0f} ms, {spent:.0f} ms of CPU"
    )
    page.close()


def main() -> None:
    from playwright.sync_api import sync_playwright

    sizes = sys.argv[1:] or ["10000", "100000"]
    chromium = os.environ.get("NLGAUGE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("no Chromium was found: apt-get install chromium, or name it in NLGAUGE_CHROMIUM")
    headings = (
        "segments",
        "options",
        "file",
        "written in: wall, CPU",
        "leaderboard",
        "ready",
        "key: median, slowest",
        "heap",
        "elements",
        "load",
    )
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as place:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        if "selection" in sizes:
            select(browser, halves().report(Path(place) / "selection.html", explain=0, max_size=1000))
            sizes = [size for size in sizes if size != "selection"]
        if sizes:
            print(f"| {' | '.join(headings)} |\n|{'---|' * len(headings)}")
        for size, options in product(sizes, _OPTIONS):
            if size == "summeval" and options:
                continue
            result = summeval() if size == "summeval" else made(int(size))
            started, busy = time.perf_counter(), time.process_time()
            path = result.report(Path(place) / f"{size}.html", **options)
            seconds, busy = time.perf_counter() - started, time.process_time() - busy
            rounds = [measured(browser, path) for _ in range(_ROUNDS)]
            named = ", ".join(f"{name}={value}" for name, value in options.items()) or "default"
            best = {name: min(one[name] for one in rounds) for name in rounds[0]}
            print(
                f"| {len(result.corpus):,} x {len(result.systems)} | {named} | {path.stat().st_size / 1e6:.1f} MB | {seconds:.1f} s, {busy:.1f} s |"
                f" {best['first']:.2f} s | {best['ready']:.2f} s | {best['key']:.0f},"
                f" {best['slowest key']:.0f} ms | {best['heap']:.0f} MB | {best['elements']:,.0f} |"
                f" {os.getloadavg()[0]:.0f} |",
                flush=True,
            )
            for part in getattr(path, "left_out", ()):
                print(f"  left out: {part}")
        browser.close()
    print(f"\nA page without data has {len(page_of('', '', {}, '').encode()) / 1000:.0f} kB.")


if __name__ == "__main__":
    main()
