"""The pictures of NLG-Metricverse: which tokens BERTScore and MoverScore match, as figures and as
interactive pages (thesis, section 3.3.3).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
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
    """How similar the tokens of two texts are to BERTScore: the matrix of similarities, with the nearest
    token of each in a frame (hard alignment).

    form="text" shades the words by their nearest ones (Figure 3.8 of the thesis), form="links" joins them.
    The figure is returned, and written to `fname` where that is given: .pdf, .png or .svg, or .html for an
    interactive page.
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
    """Which words of a translation MoverScore moves to which of the reference: links as wide as the mass
    (soft alignment, thesis 3.9).

    is_flow=False draws the distances instead. With `n_gram` above 1 words are moved in groups. `idf` is a
    list of texts: a word weighs the more the fewer of them and of the reference have it. idf=True has only
    the reference to count in, so that all words weigh the same: a warning says so. If there is no such device
    the texts are read on the processor. `fname` as for `similarity_word_matching`.
    """
    beside = [] if isinstance(idf, bool) else _texts(idf)
    if idf is True:
        warnings.warn(
            "idf=True counts words only in the reference, so all words have the same weight; pass the texts to"
            " count in as idf=[...].",
            stacklevel=2,
        )
    given = {"n_gram": n_gram, "idf": bool(beside), **({} if model is None else {"model": model})}
    form = "links" if is_flow else "cost"
    return matching(
        make("moverscore", given),
        translation,
        reference,
        fname,
        device=_there(device),
        beside=beside,
        form=form,
    )


def _texts(idf: Any) -> list[str]:
    if isinstance(idf, str) or not all(isinstance(text, str) for text in idf):
        raise ParameterError(f"idf must be True, False or a list of texts, got {idf!r:.60}.")
    return list(idf)


def _there(device: str | None) -> str | None:
    """The device, or None where the machine has no graphics card, which the call as it is printed asks
    for.
    """
    if device is None or not device.startswith("cuda"):
        return device
    if find_spec("torch") is None:
        return None
    import torch

    return device if torch.cuda.is_available() else None
