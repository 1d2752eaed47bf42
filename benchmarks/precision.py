"""Metrics on encoders in float32 and in bfloat16: CPU time, changes of scores, agreement with people, order of
systems.

python -m benchmarks.precision [--segments 60] [--rounds 3] [--metric TEXT]
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

import nlgauge
from benchmarks.workloads import generated, rows_of
from nlgauge.metric.registry import parse
from nlgauge.models.precision import PRECISIONS, has_bfloat16
from nlgauge.stats.coefficients import kendall, pearson

_METRICS = (
    "bertscore(model='minilm')",
    "embedding_similarity(model='minilm')",
    "moverscore(model='minilm')",
    "baryscore(model='minilm')",
    "depthscore(model='minilm', directions=1000)",
)
# Metrics of the whole corpus, and metrics that fit something to all texts; references are their sources.
_CORPUS_METRICS = ("frechet(model='minilm')", "cosmic(model='minilm', seeds=1)")
# The encoder of wmt22-comet-da has 24 layers of 1,024.
_COMET = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
_COMET_SEGMENTS = 15
_SYSTEM_SEGMENTS = 200


class Texts(NamedTuple):
    """Pairs of texts, with human scores and the group within which they are comparable, if there are any."""

    origin: str
    predictions: list[str]
    references: list[str]
    sources: list[str]
    human: list[float] | None = None
    groups: list[str] | None = None


def translations(segments: int) -> Texts:
    """Translations of WMT17 into English, with `segments` of each language; else generated texts."""
    by_language = defaultdict(list)
    for row in rows_of("wmt17_da_seg"):
        by_language[row["meta"]["lp"]].append(row)
    rows = [row for language in sorted(by_language) for row in by_language[language][:segments]]
    if not rows:
        texts = generated(7 * segments)
        references = [references[0] for references in texts.references]
        return Texts("generated", texts.predictions, references, references)
    return Texts(
        "wmt17_da_seg",
        [row["prediction"] for row in rows],
        [row["references"][0] for row in rows],
        [row["source"] for row in rows],
        [float(row["human"]["da_z"]) for row in rows],
        [row["meta"]["lp"] for row in rows],
    )


def comet() -> Any:
    """COMET's architecture with random weights, and MiniLM's vocabulary."""
    import torch
    from transformers import XLMRobertaConfig, XLMRobertaModel

    from nlgauge.models.loader import load
    from nlgauge.models.networks.comet import CometNetwork, CometSettings

    tokenizer = load("minilm", "encoder", "cpu").tokenizer
    torch.manual_seed(1)
    config = XLMRobertaConfig(
        vocab_size=len(tokenizer), pad_token_id=0, max_position_embeddings=514, type_vocab_size=1, **_COMET
    )
    encoder = XLMRobertaModel(config, add_pooling_layer=False).eval()
    width, layers = _COMET["hidden_size"], _COMET["num_hidden_layers"]
    sizes = (6 * width, 3 * width, width, 1)
    head = {f"layerwise_attention.scalar_parameters.{i}": torch.randn(1) for i in range(layers + 1)}
    head["layerwise_attention.gamma"] = torch.ones(1)
    for number, (inputs, outputs) in enumerate(pairwise(sizes)):
        head[f"estimator.ff.{3 * number}.weight"] = torch.randn(outputs, inputs) / inputs**0.5
        head[f"estimator.ff.{3 * number}.bias"] = torch.zeros(outputs)
    network = CometNetwork(encoder, head, CometSettings("regression"))
    metric: Any = parse("comet")
    return replace(metric, model=nlgauge.Model(network, tokenizer))


def scored(metric: Any, texts: Texts) -> tuple[float, np.ndarray[Any, Any]]:
    """CPU seconds, and the scores of the segments."""
    scorer = nlgauge.Scorer([metric], cache=False)
    started = time.process_time()
    result = scorer(texts.predictions, texts.references, texts.sources)
    seconds = time.process_time() - started
    (label,) = result.labels
    table = result._tables[result.systems[0], label]
    return seconds, table.segments_of(table.leading()[0].name)


def agreement(scores: np.ndarray[Any, Any], texts: Texts) -> float | None:
    """Mean correlation with human scores over the groups."""
    if texts.human is None or texts.groups is None:
        return None
    human, groups = np.array(texts.human), np.array(texts.groups)
    return float(
        np.mean([pearson(scores[groups == name], human[groups == name]) for name in sorted(set(groups))])
    )


def compared(name: str, metric: Any, texts: Texts, rounds: int) -> str:
    """One row of the table."""
    metrics = {precision: replace(metric, precision=precision) for precision in PRECISIONS}
    few = texts._replace(
        predictions=texts.predictions[:2], references=texts.references[:2], sources=texts.sources[:2]
    )
    for each in metrics.values():
        scored(each, few)
    runs: dict[str, list[tuple[float, np.ndarray[Any, Any]]]] = defaultdict(list)
    for _ in range(rounds):
        for precision, each in metrics.items():
            runs[precision].append(scored(each, texts))
    seconds = {precision: min(time for time, _ in found) for precision, found in runs.items()}
    before, after = (runs[precision][0][1] for precision in PRECISIONS)
    change = np.abs(after - before)
    people = [agreement(scores, texts) for scores in (before, after)]
    shown = "" if None in people else ", ".join(f"{value:.4f}" for value in people)
    return (
        f"| {name} | {len(before)} ({texts.origin}) | {seconds['float32']:.2f}, {seconds['bfloat16']:.2f} |"
        f" {seconds['float32'] / seconds['bfloat16']:.2f} | {change.max():.1e}, {change.mean():.1e} |"
        f" {before.std():.1e} | {float(kendall(before, after)):.4f} | {shown} |"
    )


def corpus_scores(metric: Any, texts: Texts) -> str:
    """The score of all texts in both precisions."""
    scores = []
    for precision in PRECISIONS:
        scorer = nlgauge.Scorer([replace(metric, precision=precision)], cache=False)
        result = scorer(texts.predictions, texts.references, texts.references)
        scores.append(float(result[result.labels[0]]["score"]))
    return (
        f"{metric.name} of {len(texts.predictions)} pairs ({texts.origin}): {scores[0]:.6g}, {scores[1]:.6g}"
    )


def systems(metric: Any) -> str | None:
    """The order of systems by the mean of their segments, in both precisions."""
    rows = [row for row in rows_of("wmt21_mqm_news") if row["meta"]["lp"] == "zh-en"]
    segments = list(dict.fromkeys(row["segment"] for row in rows))[:_SYSTEM_SEGMENTS]
    chosen = set(segments)
    by_system: dict[str, dict[str, Any]] = defaultdict(dict)
    for row in rows:
        if row["segment"] in chosen and not row["meta"].get("human_reference"):
            by_system[row["system"]][row["segment"]] = row
    complete = {name: found for name, found in by_system.items() if len(found) == len(segments)}
    if len(complete) < 2:
        return None
    first = next(iter(complete.values()))
    references = [first[segment]["references"][0] for segment in segments]
    predictions = {
        name: [found[segment]["prediction"] for segment in segments] for name, found in complete.items()
    }
    human = [np.mean([found[segment]["human"]["mqm"] for segment in segments]) for found in complete.values()]
    scores = {}
    for precision in PRECISIONS:
        each = replace(metric, precision=precision)
        result = nlgauge.Scorer([each], cache=False)(predictions, references)
        scores[precision] = np.array([result[name][result.labels[0]]["score"] for name in complete])
    before, after = scores.values()
    gaps = np.diff(np.sort(before))
    same = ordered(before, list(complete)) == ordered(after, list(complete))
    return (
        f"{len(complete)} systems of wmt21_mqm_news (zh-en), {len(segments)} segments: order"
        f" {'unchanged' if same else 'changed'}; largest change {np.abs(after - before).max():.1e}, smallest"
        f" difference of neighbors {gaps.min():.1e}; correlation with human scores"
        f" {float(pearson(before, np.array(human))):.4f}, {float(pearson(after, np.array(human))):.4f}"
    )


def ordered(scores: np.ndarray[Any, Any], names: Sequence[str]) -> list[str]:
    """The names by score, best first."""
    return [names[place] for place in np.argsort(-scores, kind="stable")]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.precision", description=__doc__.splitlines()[0] if __doc__ else None
    )
    parser.add_argument("--segments", type=int, default=60, help="segments of each of seven languages")
    parser.add_argument(
        "--rounds", type=int, default=3, help="runs of each precision, of which the best counts"
    )
    parser.add_argument("--metric", default="", help="only metrics whose name contains this text")
    arguments = parser.parse_args()
    print(f"bfloat16 instructions: {'yes' if has_bfloat16() else 'no'}; load {os.getloadavg()[0]:.0f}\n")
    headings = (
        "metric",
        "pairs",
        "CPU s: float32, bfloat16",
        "ratio",
        "change: largest, mean",
        "standard deviation of scores",
        "Kendall with float32",
        "agreement: float32, bfloat16",
    )
    print(f"| {' | '.join(headings)} |\n|{'---|' * len(headings)}")
    texts = translations(arguments.segments)
    for name in _METRICS:
        if arguments.metric in name:
            print(compared(name, parse(name), texts, arguments.rounds), flush=True)
    if arguments.metric in "comet, random weights":
        few = translations(_COMET_SEGMENTS)._replace(human=None)
        print(compared("comet, random weights", comet(), few, arguments.rounds), flush=True)
    print()
    for name in _CORPUS_METRICS:
        if arguments.metric in name:
            print(corpus_scores(parse(name), texts), flush=True)
    if arguments.metric in _METRICS[0] and (order := systems(parse(_METRICS[0]))):
        print(order)


if __name__ == "__main__":
    main()
