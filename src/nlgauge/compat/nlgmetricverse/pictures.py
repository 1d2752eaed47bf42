"""The pictures of NLG-Metricverse: which tokens BERTScore and MoverScore match, as figures and as interactive pages (thesis, section 3.3.3)."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from nlgauge.compat.bert_score import BERTScorer
from nlgauge.compat.pictures import matching
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
    """How similar the tokens of two texts are to BERTScore: the matrix of similarities, with the nearest token of each in a frame (hard alignment).

    form="text" shades the words by their nearest ones (Figure 3.8 of the thesis), form="links" joins them. The figure is returned, and written to
    `fname` where that is given: .pdf, .png or .svg, or .html for an interactive page.
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
    idf: bool = False,
    model: Any = None,
    fname: str | Path = "",
) -> Any:
    """Which words of a translation MoverScore moves to which of the reference: links as wide as the mass (soft alignment, thesis 3.9).

    is_flow=False draws the distances instead. With `n_gram` above 1 words are moved in groups; `idf` weighs rare words more, and one reference has
    none. Where there is no such device the texts are read on the processor. `fname` as for `similarity_word_matching`.
    """
    given = {"n_gram": n_gram, "idf": idf, **({} if model is None else {"model": model})}
    return matching(make("moverscore", given), translation, reference, fname, device=_there(device), form="links" if is_flow else "cost")


def _there(device: str | None) -> str | None:
    """The device, or None where the machine has no graphics card, which the call as it is printed asks for."""
    if device is None or not device.startswith("cuda"):
        return device
    if find_spec("torch") is None:
        return None
    import torch

    return device if torch.cuda.is_available() else None
