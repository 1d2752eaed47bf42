"""Verdicts on the claims about summaries of the InfoLM paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nlgauge.meta.findings import Findings
from nlgauge.meta.judgments import Judgments
from nlgauge.reproduce.infolm.baselines import COEFFICIENTS
from nlgauge.reproduce.infolm.summaries import HUMAN, NORMS
from nlgauge.reproduce.infolm.summary_figures import BEST, GOOD, RELATED
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Verdict
from nlgauge.reproduce.tables import difference, interval
from nlgauge.reproduce.verdicts import ClaimWord, difference_verdict

SEPARATE, _NOT = ("R", "D_AB", "JS"), ("ROUGE-1", "BLEU")
_CLOSE = 0.88
_MOSTLY = 0.95


def separates(areas: Mapping[str, tuple[float, float, float]], names: Sequence[str]) -> Verdict:
    """Return the verdict that metrics separate good from other summaries."""
    words = [difference_verdict(areas[name][1] - 0.5, areas[name][2] - 0.5) for name in names]
    word: ClaimWord = "contradicted" if "contradicted" in words else "undecided"
    if all(each == "supported" for each in words):
        word = "supported"
    return Verdict(
        word,
        "; ".join(f"{name} AUC {interval(areas[name])}" for name in names),
        f"chance that a summary with a recall from {GOOD} scores above another; supported if all intervals are above .5",
    )


def does_not_separate(areas: Mapping[str, tuple[float, float, float]]) -> Verdict:
    """Return the verdict that metrics of overlap do not separate good from other summaries."""
    found = separates(areas, _NOT)
    opposite: dict[ClaimWord, ClaimWord] = {"supported": "contradicted", "contradicted": "supported"}
    return Verdict(
        opposite.get(found.word, "undecided"), found.numbers, "contradicted if all intervals are above .5"
    )


def norms(judged: Judgments, settings: Settings) -> Verdict:
    """Return the verdict that the L_p distances agree less with people than Fisher-Rao."""
    gains = {name: difference(judged, HUMAN, "R", name, settings) for name in NORMS.values()}
    words = [difference_verdict(low, high) for _, low, high in gains.values()]
    word: ClaimWord = "undecided"
    if "contradicted" in words and "supported" not in words:
        word = "contradicted"
    elif "supported" in words and "contradicted" not in words:
        word = "supported"
    return Verdict(
        word,
        "Kendall, Fisher-Rao less " + "; ".join(f"{name} {interval(gain)}" for name, gain in gains.items()),
        "paired bootstrap over abstractive systems and documents; supported if no interval is below 0 and some are above",
    )


def temperature_verdict(temperatures: Mapping[str, tuple[Findings, Findings]]) -> Verdict:
    """Return the verdict on the best temperature: how often halves choose one from 1 to 2."""
    shares = {}
    for name, (points, _) in temperatures.items():
        if name in ("abstractive", "extractive"):
            for coefficient in COEFFICIENTS:
                mine = points.where(coefficient=coefficient)
                shares[f"{name}, {coefficient}"] = sum(
                    row["chosen"] for row in mine if BEST[0] <= row["temperature"] <= BEST[1]
                )
    word: ClaimWord = "undecided"
    if shares and all(share >= _MOSTLY for share in shares.values()):
        word = "supported"
    elif shares and all(share < 1 - _MOSTLY for share in shares.values()):
        word = "contradicted"
    return Verdict(
        word,
        "share of halves that choose it: "
        + "; ".join(f"{name} {100 * share:.0f}%" for name, share in shares.items()),
        "supported from 95%, contradicted below 5% in every case",
    )


def related(judged: Judgments, settings: Settings) -> Verdict:
    """Return the verdict that InfoLM's measures correlate above .88 with each other over systems."""
    pairs = [(a, b) for i, a in enumerate(RELATED) for b in RELATED[i + 1 :]]
    treated = replace(
        judged,
        humans={name: judged.oriented(name) for name in RELATED},
        metrics={name: judged.oriented(name) for name in RELATED},
        higher_is_better={},
    )
    found = treated.correlate(
        "system", "pearson", interval="both", resamples=settings.resamples, seed=settings.seed
    )
    rows = {(row["metric"], row["human"]): row for row in found}
    values = {f"{a} with {b}": rows[a, b] for a, b in pairs}
    word: ClaimWord = "undecided"
    if all(row["low"] > _CLOSE for row in values.values()):
        word = "supported"
    elif any(row["high"] < _CLOSE for row in values.values()):
        word = "contradicted"
    return Verdict(
        word,
        "; ".join(
            f"{name} {interval((row['value'], row['low'], row['high']))}" for name, row in values.items()
        ),
        f"Pearson over abstractive systems; supported if every interval is above {_CLOSE}",
    )


def extractive(agreement: Mapping[str, Findings]) -> Verdict:
    """Return the verdict on BERTScore's agreement on extractive systems, with and without BART."""
    found = {}
    for name in ("extractive with BART", "extractive"):
        for row in agreement.get(name, Findings([])):
            if (row["metric"], row["level"], row["coefficient"]) == ("BERTScore", "system", "pearson"):
                found[name] = (row["value"], row["low"], row["high"])
    if not found:
        return Verdict("not tested", "BERTScore is not computed")
    words = [difference_verdict(GOOD - high, GOOD - low) for _, low, high in found.values()]
    word: ClaimWord = words[0] if len(set(words)) == 1 else "undecided"
    return Verdict(
        word,
        "BERTScore recall, Pearson of systems: "
        + "; ".join(f"{name} {interval(each)}" for name, each in found.items()),
        f"supported if the intervals are below {GOOD}, contradicted if they are above",
    )
