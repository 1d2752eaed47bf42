"""Outputs of the model-based metrics of evaluate: BERTScore, COMET, perplexity and MAUVE."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from nlgauge.compat.bert_score import BERTScorer
from nlgauge.compat.evaluate.request import Request
from nlgauge.errors import ParameterError


def bertscore(
    request: Request,
    *,
    model_type: Any = None,
    num_layers: int | None = None,
    idf: bool = False,
    all_layers: bool = False,
    rescale_with_baseline: bool = False,
    baseline_path: str | None = None,
    verbose: bool = False,
    nthreads: int = 4,
    use_fast_tokenizer: bool = False,
) -> dict[str, Any]:
    """Return lists of precision, recall and F of each prediction, and the signature as `hashcode`."""
    references = request.references or []
    scorer = BERTScorer(
        model_type,
        num_layers,
        all_layers=all_layers,
        idf=idf,
        idf_sents=[text for row in references for text in row] if idf else None,
        rescale_with_baseline=rescale_with_baseline,
        baseline_path=baseline_path,
        **{name: value for name, value in request.options.items() if name != "seed"},
    )
    (precision, recall, f1), signature = scorer.score(request.predictions, references, return_hash=True)
    return {
        "precision": precision.tolist(),
        "recall": recall.tolist(),
        "f1": f1.tolist(),
        "hashcode": signature,
    }


def comet(
    request: Request, *, gpus: int | None = None, progress_bar: bool = False, **ours: Any
) -> dict[str, Any]:
    """Return the score of each prediction, and their mean; `gpus` and `progress_bar` have no effect."""
    values = request.table("comet", ours).segments()["comet"]
    return {"mean_score": float(np.mean(values)), "scores": values.tolist()}


def perplexity(
    request: Request,
    *,
    model_id: Any = "smollm2",
    add_start_token: bool = True,
    max_length: int | None = None,
    **ours: Any,
) -> dict[str, Any]:
    """Return the perplexity of each text, and the mean, which is not the corpus perplexity of nlgauge."""
    if not add_start_token or max_length is not None:
        raise ParameterError(
            "perplexity always starts with the model's start token and reads whole texts; leave out"
            " add_start_token and max_length."
        )
    device = request.options.get("device")
    texts = replace(
        request, references=None, options={**request.options, "device": "cuda" if device == "gpu" else device}
    )
    values = texts.table("perplexity", ours, model=model_id).segments()["perplexity"]
    return {"perplexities": values.tolist(), "mean_perplexity": float(np.mean(values))}


def mauve(
    request: Request,
    *,
    featurize_model_name: Any = "smollm2",
    num_buckets: int | str = "auto",
    mauve_scaling_factor: float = 5,
    max_text_length: int = 1024,
    device_id: int = -1,
    verbose: bool = False,
    **ours: Any,
) -> SimpleNamespace:
    """Return MAUVE, its smoothed form, the frontier integral and the number of buckets as attributes."""
    texts = replace(
        request, options={"device": "cpu" if device_id < 0 else f"cuda:{device_id}", **request.options}
    )
    parameters = {
        "model": featurize_model_name,
        "buckets": None if num_buckets == "auto" else num_buckets,
        "scaling": float(mauve_scaling_factor),
        "max_tokens": max_text_length,
    }
    scores = texts.table("mauve", ours, **parameters).scores()
    return SimpleNamespace(
        **{name: scores[name] for name in ("mauve", "mauve_star", "frontier_integral")},
        num_buckets=int(scores["buckets"]),
    )
