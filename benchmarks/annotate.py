"""python -m benchmarks.annotate: what campaigns of human ratings cost, and whether their numbers can be trusted.

    python -m benchmarks.annotate [--part budgets | replay | proposals | nulls | equal] [--runs 200]

    budgets   seconds: POST with fsync, the organizer's numbers (3 systems x 297 segments, 106 ratings), the start of
              a campaign with 10,000 items and 50 annotators, a key press in Chromium, bytes of the page
    replay    WMT24 ESA en-cs, real ratings of 3 systems: random campaigns of 40 segments; how often the interval of
              the mean contains the mean over all segments
    proposals the same with --next proposals, one and three annotators
    nulls     the same ratings with systems exchanged at random in each segment: how often --until-sure claims a
              difference, and how often the interval of --until misses the mean, at any number of segments
    equal     the same, without a rule to stop, after 10, 20 and 40 finished segments: how often the organizer's
              numbers call a system better

`NLGAUGE_BENCHMARKS` names the directory of wmt24_esa. Seeds are fixed; seconds are those of an idle machine.
"""

from __future__ import annotations

import argparse
import http.client
import json
import shutil
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

import nlgauge
from benchmarks.workloads import rows_of
from nlgauge.annotate.builtin import PROTOCOLS
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.creating import new
from nlgauge.annotate.pages import offline_page
from nlgauge.annotate.plan import Until
from nlgauge.annotate.state import state_of
from nlgauge.annotate.stopping import decision_of
from nlgauge.corpus import Corpus
from nlgauge.results.result import Result

SYSTEMS = ("Claude-3.5", "GPT-4", "CommandR-plus")


def esa() -> tuple[dict[tuple[str, str], float], Corpus]:
    """Return the scores of three systems for all common segments of en-cs, and their texts."""
    cells: dict[tuple[str, str], Any] = {}
    for row in rows_of("wmt24_esa"):
        score = row["human"].get("esa")
        if row["segment"].startswith("en-cs:") and row["system"] in SYSTEMS and score is not None:
            cells[row["system"], row["segment"]] = row
    segments = sorted({segment for _, segment in cells})
    segments = [name for name in segments if all((system, name) in cells for system in SYSTEMS)]
    corpus = Corpus.read(
        {system: [cells[system, name]["prediction"] for name in segments] for system in SYSTEMS},
        [list(cells[SYSTEMS[0], name]["references"]) for name in segments],
        [cells[SYSTEMS[0], name]["source"] for name in segments],
        ids=segments,
    )
    scores = {
        (system, name): float(cells[system, name]["human"]["esa"]) for system in SYSTEMS for name in segments
    }
    return scores, corpus


def rate(campaign: Campaign, scores: dict[tuple[str, str], float], count: int | None = None) -> Campaign:
    """Write the real scores as ratings of each annotator, of at most `count` items each, and return the campaign with
    the blocks that were proposed meanwhile.
    """
    with campaign.rating() as rater:
        # The annotators take turns, as their blocks are proposed.
        places = dict.fromkeys(campaign.plan.annotators, 0)
        while working := [
            name
            for name in places
            if places[name] < len(rater.campaign.order(name)) and (count is None or places[name] < count)
        ]:
            for annotator in working:
                key = rater.campaign.order(annotator)[places[annotator]]
                places[annotator] += 1
                item = campaign.items[key]
                rater.rate(annotator, key, {"da": round(scores[item.systems[0], item.segment])}, active=20.0)
        return rater.campaign


def budgets() -> None:
    from nlgauge.annotate.server import serve

    scores, corpus = esa()
    result = _scored(corpus)
    with tempfile.TemporaryDirectory() as place:
        campaign = new(Path(place) / "c", result, PROTOCOLS["da"], ["a", "b"], segments=40, overlap=0.25)
        rate(campaign, scores, 53)
        records = campaign.records()
        state_of(campaign, records)
        began = time.process_time()
        for _ in range(5):
            state_of(campaign, records)
        print(
            f"organizer's numbers, {len(records)} ratings, {len(corpus)} segments: {1000 * (time.process_time() - began) / 5:.0f} ms CPU"
        )
        print(
            f"offline page: {offline_page(campaign, 'a', Path(place) / 'a.html').stat().st_size / 1000:.0f} kB with fonts and texts"
        )
        addresses: list[dict[str, str]] = []
        started = threading.Event()
        options = {
            "port": 0,
            "per_minute": 10**6,
            "ready": lambda found: (addresses.append(found), started.set()),
        }
        threading.Thread(target=serve, args=(campaign,), kwargs=options, daemon=True).start()
        started.wait()
        address = addresses[0]["a"]
        port, token = int(address.split(":")[2].partition("/")[0]), address.partition("token=")[2]
        key = campaign.order("a")[0]
        times = []
        for number in range(200):
            body = json.dumps(
                {"kind": "rating", "item": key, "request": f"p.{number}", "answers": {"da": number % 101}}
            )
            head = {
                "cookie": f"nlgauge-{port}={token}",
                "origin": f"http://127.0.0.1:{port}",
                "x-nlgauge": "1",
                "content-type": "application/json",
            }
            connection = http.client.HTTPConnection("127.0.0.1", port)
            began = time.perf_counter()
            connection.request("POST", "/api/rate", body, head)
            assert connection.getresponse().read()
            times.append(1000 * (time.perf_counter() - began))
            connection.close()
        print(
            f"POST with fsync: median {statistics.median(times):.1f} ms, worst {max(times):.1f} ms of {len(times)}"
        )
        _key_press(addresses[0]["b"])
        _start(Path(place))


def _start(place: Path) -> None:
    count = 2500
    texts = {f"s{number}": [f"text {segment} of {number}" for segment in range(count)] for number in range(4)}
    large = Corpus.read(texts, None, [f"source {segment}" for segment in range(count)])
    began = time.perf_counter()
    campaign = new(
        place / "large", large, PROTOCOLS["da"], [f"a{number}" for number in range(50)], overlap=0.1
    )
    middle = time.perf_counter()
    Campaign.open(place / "large").work("a7")
    print(
        f"{len(campaign.items)} items, 50 annotators: new {middle - began:.2f} s, open {time.perf_counter() - middle:.2f} s"
    )


def _key_press(address: str) -> None:
    """Print the time from a key press to the next frame."""
    chromium = shutil.which("chromium")
    if chromium is None:
        print("key press: Chromium is not installed")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector("html[data-ready]", state="attached")
        times = page.evaluate(
            """async () => {
              const times = [];
              const target = document.querySelector("input[type=range]");
              for (let number = 0; number < 40; number++) {
                const began = performance.now();
                target.dispatchEvent(new KeyboardEvent("keydown", { key: number % 2 ? "PageUp" : "PageDown", bubbles: true }));
                await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)));
                times.push(performance.now() - began);
              }
              return times;
            }"""
        )
        print(f"key press to paint: median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms")
        browser.close()


def _scored(corpus: Corpus) -> Result:
    from nlgauge.engine.run_options import run_options

    return nlgauge.Scorer(["chrf", "sentence_bleu"]).score_corpus(corpus, None, run_options())


def replay(runs: int, annotators: int = 1, proposals: bool = False) -> None:
    scores, corpus = esa()
    result = _scored(corpus)
    people = [f"a{number}" for number in range(annotators)]
    widths = []
    truth = {s: float(np.mean([round(scores[s, str(name)]) for name in corpus.ids])) for s in SYSTEMS}
    inside = {"with metrics": 0, "only ratings": 0}
    total = 0
    with tempfile.TemporaryDirectory() as place:
        for run in range(runs):
            campaign = new(
                Path(place) / str(run),
                result,
                PROTOCOLS["da"],
                people,
                segments=40,
                proposals=proposals,
                seed=run,
            )
            campaign = rate(campaign, scores)
            for row in state_of(campaign, campaign.records()).estimates:
                total += 1
                widths.append(row["high"] - row["low"])
                inside["with metrics"] += row["low"] <= truth[row["system"]] <= row["high"]
                inside["only ratings"] += (
                    row["classical_low"] <= truth[row["system"]] <= row["classical_high"]
                )
            shutil.rmtree(campaign.directory)
    print(
        f"{runs} campaigns{' with proposals' if proposals else ''}, annotators: {annotators}, mean width"
        f" {statistics.mean(widths):.2f}; coverage: the interval contains the mean of all {len(corpus)} segments"
    )
    print("| interval | coverage | cases |\n|---|---|---|")
    for name, count in inside.items():
        print(f"| {name} | {count / total:.3f} | {total} |")


def nulls(runs: int) -> None:
    scores, corpus = esa()
    middle = float(np.mean(list(scores.values())))
    claims = misses = 0
    with tempfile.TemporaryDirectory() as place:
        for run in range(runs):
            swapped = _exchanged(scores, corpus, run)
            for number, until in enumerate((Until(sure=True), Until(width=1.0))):
                directory = Path(place) / f"{run}-{number}"
                campaign = new(
                    directory, corpus, PROTOCOLS["da"], ["a", "b"], segments=100, until=until, seed=run
                )
                rate(campaign, swapped)
                decision = decision_of(campaign, campaign.records())
                assert decision is not None
                if number == 0:
                    claims += any(row["better"] for row in decision.rows)
                else:
                    misses += any(not row["low"] <= middle <= row["high"] for row in decision.rows)
                shutil.rmtree(directory)
    print(
        f"--until-sure: a difference of exchanged systems is claimed in {claims} of {runs} campaigns (level 0.05)"
    )
    print(
        f"--until: an interval misses the mean at some number of segments in {misses} of {runs} campaigns (level 0.05)"
    )


def equal(runs: int) -> None:
    scores, corpus = esa()
    result = _scored(corpus)
    print(
        f"{runs} campaigns of {len(SYSTEMS)} exchanged systems each; claims: the interval of the difference of some pair does"
        " not contain 0 (level 0.05 for all pairs together)"
    )
    print("| finished segments | claims | pairs without an interval |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        for count in (10, 20, 40):
            claims = unknown = 0
            for run in range(runs):
                exchanged = _exchanged(scores, corpus, run)
                campaign = new(Path(place) / "c", result, PROTOCOLS["da"], ["a"], segments=count, seed=run)
                campaign = rate(campaign, exchanged)
                rows = state_of(campaign, campaign.records()).differences
                claims += any(row["better"] for row in rows)
                unknown += sum(not np.isfinite(row["low"]) for row in rows)
                shutil.rmtree(campaign.directory)
            print(f"| {count} | {claims / runs:.3f} | {unknown / (3 * runs):.3f} |", flush=True)


def _exchanged(
    scores: dict[tuple[str, str], float], corpus: Corpus, seed: int
) -> dict[tuple[str, str], float]:
    """Return the scores with the systems in a random order in each segment."""
    rng = np.random.default_rng(seed)
    exchanged: dict[tuple[str, str], float] = {}
    for name in map(str, corpus.ids):
        order = rng.permutation(len(SYSTEMS))
        exchanged |= {(s, name): scores[SYSTEMS[order[place]], name] for place, s in enumerate(SYSTEMS)}
    return exchanged


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.annotate")
    parser.add_argument("--part", choices=("budgets", "replay", "proposals", "nulls", "equal"))
    parser.add_argument("--runs", type=int, default=200)
    options = parser.parse_args()
    if options.part in (None, "budgets"):
        budgets()
    if options.part in (None, "replay"):
        replay(options.runs)
    if options.part in (None, "proposals"):
        replay(options.runs, 1, proposals=True)
        replay(options.runs, 3, proposals=True)
    if options.part in (None, "nulls"):
        nulls(options.runs)
    if options.part in (None, "equal"):
        equal(options.runs)


if __name__ == "__main__":
    main()
