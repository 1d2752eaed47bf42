"""The call of bert-score: `score(cands, refs, ...)` gives precision, recall and F of every pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from nlgauge.compat.scoring import scored
from nlgauge.corpus.columns import Array
from nlgauge.errors import ParameterError
from nlgauge.metric.registry import make


class Scores(NamedTuple):
    """Precision, recall and F, with one value per candidate."""

    precision: Array
    recall: Array
    f1: Array


def score(
    cands: Sequence[str],
    refs: Sequence[str] | Sequence[Sequence[str]],
    model_type: str | None = None,
    num_layers: int | None = None,
    verbose: bool = False,
    *,
    idf: bool = False,
    device: str | None = None,
    batch_size: int = 64,
    nthreads: int = 4,
    all_layers: bool = False,
    lang: str | None = None,
    return_hash: bool = False,
    rescale_with_baseline: bool = False,
    baseline_path: str | None = None,
    use_fast_tokenizer: bool = False,
) -> Scores | tuple[Scores, str]:
    """Precision, recall and F of each candidate as NumPy arrays; with `return_hash` also the metric's signature.

    `verbose`, `nthreads` and `use_fast_tokenizer` are accepted and change no number.
    """
    if rescale_with_baseline or baseline_path is not None:
        raise ParameterError("rescaling with a baseline is not supported; leave out rescale_with_baseline and baseline_path.")
    if all_layers:
        raise ParameterError("all_layers is not supported; call score() once per layer, with num_layers=...")
    if not isinstance(idf, bool):
        raise ParameterError("idf must be True or False; the weights are computed from the references of the call.")
    given = {"model": model_type, "layer": num_layers, "idf": idf}
    metric = make("bertscore", {name: value for name, value in given.items() if value is not None})
    options: dict[str, Any] = {"lang": lang, "device": device, "batch_size": batch_size}
    result = scored({"bertscore": metric}, cands, refs, arguments=options)
    segments = result.tables[result.systems[0], "bertscore"].segments()
    scores = Scores(segments["precision"], segments["recall"], segments["f1"])
    return (scores, result.signatures["bertscore"]) if return_hash else scores
