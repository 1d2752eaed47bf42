"""python tools/pictures.py [PLOT...]: makes the pictures of docs/howto/figures.md from real results.

Numbers are of SummEval (100 articles, five or all 17 systems; its folder is NLGAUGE_BENCHMARKS), texts of the
sample that comes with nlgauge. Needs the extra plot and the models minilm and smollm2 (`nlgauge models get
minilm smollm2`). Errors and entailment need models of gigabytes; their pictures are of explanations that were
written by hand for a text of the sample, and their titles say so.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from nlgauge import plots
from nlgauge.explanations import Entailment, ErrorSpan, ErrorSpans
from nlgauge.features import Features, RunOptions
from nlgauge.features.encoders.embeddings import TextEmbedding
from nlgauge.io import Inputs
from nlgauge.meta import (
    Findings,
    Judgments,
    benchmarks,
    compare,
    correlate,
    seconds_per_thousand,
    stress,
    top_systems,
    williams_power,
)
from nlgauge.meta.papers.cosmic import information_graph, rank_summarizers
from nlgauge.meta.papers.shannon import separation
from nlgauge.results.result import Result
from nlgauge.scoring import Scorer

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
SYSTEMS = ("M22", "M17", "M8", "M11", "M20")
DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")
COSMIC = "cosmic(model='minilm', estimator='gaussian')"
_DOTS_PER_INCH = 110


@cache
def summeval(every: bool = False) -> Any:
    whole = benchmarks.load("summeval")
    return whole if every else whole.where(systems=SYSTEMS)


@cache
def result() -> Result:
    corpus = summeval().corpus()
    return Scorer(
        ["bleu", "rouge(rouge_types=['rouge1', 'rougeL'])", "chrf", "novelty(max_order=2)"]
    ).score_corpus(corpus, None, RunOptions(1))


@cache
def scores() -> Any:
    return summeval(True).score("bleu", "rouge", "chrf", "f1", "novelty")


@cache
def judged() -> Judgments:
    return summeval(True).judgments(scores(), dimensions=DIMENSIONS)


def only(level: str = "system", human: str = "relevance") -> Findings:
    return correlate(judged(), level, "kendall", human, resamples=500)


@cache
def sample(*metrics: str) -> Result:
    corpus = Inputs([str(ROOT / "src" / "nlgauge" / "data" / "sample.jsonl")]).read()
    return Scorer(list(metrics)).score_corpus(corpus.take(np.arange(1)), None, RunOptions(1))


def why(metric: str, form: str | None = None) -> Any:
    explained = sample(metric).explain(metric.partition("(")[0], "ferry-1", "baseline")
    return plots.explanation(explained[0], form=form)


def swept() -> Findings:
    rows = []
    for order in range(1, 9):
        name = f"chrf(char_order={order})"
        found = correlate(
            summeval(True).judgments(summeval(True).score(name), dimensions=DIMENSIONS),
            "system",
            "kendall",
            resamples=300,
        )
        rows += [{**row, "metric": row["human"], "order": order} for row in found.rows]
    return Findings([{name: value for name, value in row.items() if name != "human"} for row in rows])


def spoilt() -> Any:
    rows = [row for row in benchmarks.load("summeval").rows if row.system == "M11"][:60]
    return separation([row.source for row in rows], [row.references[0] for row in rows], "js_divergence")


def stressed() -> Findings:
    rows = [row for row in benchmarks.load("summeval").rows if row.system == "M22"][:40]
    texts = [row.references[0] for row in rows]
    return stress(
        ["bleu", "rouge(rouge_types=['rougeL'])", "chrf"],
        texts,
        [list(row.references[1:4]) for row in rows],
        seed=1,
    )


def embedded() -> dict[str, Any]:
    corpus = summeval().corpus()
    sides = {"source": corpus.sources, **{name: corpus.predictions[name].values for name in ("M22", "M11")}}
    vectors, *places = Features(corpus.texts, RunOptions(1)).get(
        TextEmbedding("minilm", "sentence", alone=True), *sides.values()
    )
    return {name: vectors.vectors.values[place] for name, place in zip(sides, places, strict=True)}


@cache
def informed() -> Any:
    return rank_summarizers(summeval().corpus(), COSMIC)


def found_errors() -> ErrorSpans:
    """What a reader finds wrong in a text of the sample."""
    text = prediction()
    wrong = (("running", "minor"), ("the company has rusted", "critical"))
    return ErrorSpans(
        "errors, marked by hand",
        {},
        text,
        [ErrorSpan(text.index(words), text.index(words) + len(words), how) for words, how in wrong],
    )


def checked() -> Entailment:
    """How far each sentence of a source bears out a text of the sample, as a reader would guess it."""
    text = sample("bleu").corpus
    premises = [sentence.strip(". ") + "." for sentence in text.texts[int(text.sources[0])].split(". ")]
    hypotheses = [f"{part.strip('. ')}." for part in prediction().split(" because ")]
    entail = np.array([[0.96, 0.01], [0.05, 0.03], [0.10, 0.01]])
    contradict = np.array([[0.01, 0.04], [0.02, 0.88], [0.05, 0.02]])
    probabilities = {"entail": entail, "neutral": 1 - entail - contradict, "contradict": contradict}
    return Entailment(
        "entailment, written by hand", {}, premises, hypotheses, probabilities, entail.argmax(axis=0).tolist()
    )


def prediction() -> str:
    corpus = sample("bleu").corpus
    return corpus.texts[int(corpus.predictions["baseline"][0][0])]


EVERY: dict[str, Callable[[], Any]] = {
    "intervals": lambda: plots.intervals(result(), ["bleu", "rouge.rouge1", "rouge.rougeL", "chrf"]),
    "forest": lambda: plots.forest(result(), "M11", "M22"),
    "waterfall": lambda: plots.waterfall(result(), "chrf", "M11", "M22"),
    "distributions": lambda: plots.distributions(spoilt(), "Jensen-Shannon divergence, turned"),
    "heatmap": lambda: plots.heatmap(judged()),
    "human_map": lambda: plots.human_map(judged()),
    "profiles": lambda: plots.profiles(correlate(judged(), "system", "kendall", interval=None), "human"),
    "scatter": lambda: plots.scatter(judged(), "chrf", "relevance"),
    "winmatrix": lambda: plots.winmatrix(compare(judged(), human="relevance", resamples=500)),
    "pareto": lambda: plots.pareto(only(), seconds_per_thousand(*scores().values())),
    "calibration": lambda: plots.calibration(judged(), "chrf", "relevance"),
    "landscape": lambda: plots.landscape(judged(), "chrf", "relevance"),
    "topk": lambda: plots.topk(top_systems(judged(), "relevance")),
    "stress": lambda: plots.stress(stressed()),
    "power": lambda: plots.power(
        williams_power(r1=0.7, r2=0.6, r12=0.8, n=[8, 12, 17, 24, 32, 48, 64], resamples=500)
    ),
    "sweep": lambda: plots.sweep(swept(), "order"),
    "by_model": lambda: plots.by_model(informed()),
    "information_graph": lambda: plots.information_graph(
        information_graph(summeval().corpus(), "cosmic(model='minilm')")
    ),
    "error_bound": lambda: plots.error_bound({row.system: row.information for row in informed()}),
    "embedding_map": lambda: plots.embedding_map(embedded()),
    "taxonomy": plots.taxonomy,
    "tokens": lambda: why("shannon(model='smollm2')"),
    "ngrams": lambda: why("bleu"),
    "words": lambda: why("meteor"),
    "groups": lambda: why("sari"),
    "edits": lambda: why("ter"),
    "lattice": lambda: why("cder", "lattice"),
    "alignment": lambda: why("bertscore(model='minilm', layer=6)"),
    "alignment_text": lambda: why("bertscore(model='minilm', layer=6)", "text"),
    "transport": lambda: why("moverscore(model='minilm')"),
    "guesses": lambda: why("infolm(model='smollm2')"),
    "verdict": lambda: why("yes_no(model='smollm2', with_source=True)"),
    "errors": lambda: plots.errors(found_errors()),
    "entailment": lambda: plots.entailment(checked()),
}


def main(names: list[str]) -> None:
    PICTURES.mkdir(exist_ok=True)
    for name in names or EVERY:
        axes = EVERY[name]()
        path = PICTURES / f"{name}.png"
        held = io.BytesIO()
        np.atleast_1d(axes).flat[0].figure.figure.savefig(held, format="png", dpi=_DOTS_PER_INCH)
        # Few colors are enough for a plot, and make the repository smaller.
        Image.open(held).convert("RGB").quantize(64).save(path, optimize=True)
        print(
            f"{path.relative_to(ROOT)} ({path.stat().st_size / 1000:.0f} kB): {plots.alt(axes)}", flush=True
        )


if __name__ == "__main__":
    main(sys.argv[1:])
