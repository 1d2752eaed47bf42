"""Plots of NLG-Metricverse of the tokens that BERTScore and MoverScore match (thesis, section 3.3.3).

They are figures and interactive pages.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nlgauge.compat.bert_score import BERTScorer
from nlgauge.compat.pictures import matching
from nlgauge.errors import ParameterError
from nlgauge.metric.registry import make


def similarity_word_matching(
    candidate: str,
    reference: str,
    model_type: Any = None,
    num_layers: int | None = None,
    lang: str | None = None,
    rescale_with_baseline: bool = False,
    baseline_path: str | Path | None = None,
    use_fast_tokenizer: bool = False,
    fname: str | Path = "",
    *,
    form: str = "matrix",
) -> Any:
    """Plot the similarities of the tokens of two texts in BERTScore.

    form="matrix" shows the matrix of similarities, with the nearest token of each token in a frame (hard alignment).
    form="text" shades the words by the similarity of their nearest word (Figure 3.8 of the thesis), form="links" connects
    nearest words. The figure is returned, and also written to `fname` unless that is empty: .pdf, .png or .svg, or .html
    for an interactive page.
    """
    scorer = BERTScorer(
        model_type=model_type,
        num_layers=num_layers,
        lang=lang,
        rescale_with_baseline=rescale_with_baseline,
        baseline_path=baseline_path,
        use_fast_tokenizer=use_fast_tokenizer,
    )
    return matching(scorer.metric, candidate, reference, fname, lang, form=form)


def n_gram_distance_visualization(
    reference: str,
    translation: str,
    is_flow: bool = True,
    device: str | None = "cuda:0",
    *,
    n_gram: int = 1,
    idf: bool | Sequence[str] = False,
    model: Any = None,
    fname: str | Path = "",
) -> Any:
    """Plot the words of a translation that MoverScore moves to words of the reference.

    The links are as wide as the mass that is moved (soft alignment, Figure 3.9 of the thesis); is_flow=False draws the
    distances instead. With `n_gram` above 1, words are moved in groups. `idf` is a list of texts; the fewer of these texts
    and the reference contain a word, the higher is its weight. idf=True counts words only in the reference, so all words
    have the same weight, and a warning is printed. A CUDA device that is not available is replaced by the default device.
    `fname` is described in `similarity_word_matching`.
    """
    idf_texts = [] if isinstance(idf, bool) else _texts(idf)
    if idf is True:
        warnings.warn(
            "idf=True counts words only in the reference, so all words have the same weight; pass the texts to"
            " count in as idf=[...].",
            stacklevel=2,
        )
    parameters = {"n_gram": n_gram, "idf": bool(idf_texts), **({} if model is None else {"model": model})}
    form = "links" if is_flow else "cost"
    return matching(
        make("moverscore", parameters),
        translation,
        reference,
        fname,
        device=_available(device),
        further_references=idf_texts,
        form=form,
    )


def _texts(idf: Any) -> list[str]:
    if (
        isinstance(idf, str)
        or not isinstance(idf, Iterable)
        or not all(isinstance(text, str) for text in idf)
    ):
        raise ParameterError(f"idf must be True, False or a list of texts, got {idf!r:.60}.")
    return list(idf)


def _available(device: str | None) -> str | None:
    """Return the device, or None if it is a CUDA device and the machine has none.

    The default of the published function is a CUDA device.
    """
    if device is None or not device.startswith("cuda"):
        return device
    if find_spec("torch") is None:
        return None
    import torch

    return device if torch.cuda.is_available() else None
