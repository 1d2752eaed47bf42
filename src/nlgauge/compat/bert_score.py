"""Interface of bert-score: `score` and `BERTScorer` return precision, recall and F of every pair.

The values are NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.language import checked
from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.engine import engine
from nlgauge.engine.chunk import Chunk, Job
from nlgauge.engine.executors import Serial
from nlgauge.errors import InputError, ParameterError
from nlgauge.features import RunOptions
from nlgauge.metric import Arrays
from nlgauge.metric.registry import make
from nlgauge.metric.table import Table
from nlgauge.metrics._shared.bertscore_baselines import baseline_of, has_baseline
from nlgauge.metrics.bertscore import BertScore
from nlgauge.models import model_name

_LABEL = "bertscore"
_WITHOUT_EFFECT = ("verbose", "nthreads", "use_fast_tokenizer")


class PRF(NamedTuple):
    """Precision, recall and F, one value per candidate."""

    precision: Array
    recall: Array
    f1: Array


class BERTScorer:
    """Scorer with a model, and with idf weights of tokens that are computed once.

    With `rescale_with_baseline`, scores are rescaled with the baseline in `baseline_path`, a file with rows
    LAYER,P,R,F. Without such a file, the baseline of bert-score is used: nlgauge includes the baselines of default
    models and layers, and others are read from the files of an installed bert-score. `nthreads` and
    `use_fast_tokenizer` have no effect on scores.
    """

    def __init__(
        self,
        model_type: Any = None,
        num_layers: int | None = None,
        batch_size: int = 64,
        nthreads: int = 4,
        all_layers: bool = False,
        idf: bool = False,
        idf_sents: Sequence[str] | None = None,
        device: str | None = None,
        lang: str | None = None,
        rescale_with_baseline: bool = False,
        baseline_path: str | Path | None = None,
        use_fast_tokenizer: bool = False,
    ) -> None:
        if all_layers:
            raise ParameterError("all_layers is not supported; score once per layer, with num_layers=...")
        if not isinstance(idf, bool):
            raise ParameterError(
                f"idf must be True or False, got {idf!r:.60}; pass the texts that weigh tokens as idf_sents."
            )
        self.lang = checked(lang)
        self.batch_size = batch_size
        self.device = device
        self.rescale_with_baseline = rescale_with_baseline
        self.use_fast_tokenizer = use_fast_tokenizer
        self.baseline_path = baseline_path
        parameters = {"model": model_type, "layer": num_layers, "idf": idf}
        metric = make(
            "bertscore", {name: value for name, value in parameters.items() if value is not None}
        ).for_language(self.lang)
        self._plain: BertScore = metric
        self._weights: Arrays | None = None
        if idf_sents is not None:
            self.compute_idf(idf_sents)

    @lazy
    def metric(self) -> BertScore:
        """Metric of nlgauge that computes the scores."""
        return (
            replace(self._plain, baseline=self.baseline_vals) if self.rescale_with_baseline else self._plain
        )

    @property
    def model_type(self) -> str:
        """Name of the model."""
        return model_name(self._plain.model_used)

    @property
    def num_layers(self) -> int:
        """Layer whose vectors are compared."""
        return self._plain.layer_used

    @property
    def idf(self) -> bool:
        """True if rare tokens have a higher weight."""
        return self._plain.idf

    @lazy
    def baseline_vals(self) -> tuple[float, ...]:
        """Baseline of precision, recall and F for the layer."""
        return _baseline(self.baseline_path, self.lang, self.model_type, self.num_layers)

    @property
    def hash(self) -> str:
        """Signature of the metric: model, hash of the weights, layer, idf, baseline and versions."""
        return self.metric.signature(Corpus.read([""], [""]))

    def compute_idf(self, sents: Sequence[str]) -> None:
        """Compute the idf weights of tokens from texts; each text is one document."""
        fit = replace(self._plain, idf=True).fit()
        assert fit is not None
        corpus = Corpus.read(list(sents), list(sents))
        chunk = Chunk(corpus, np.arange(len(corpus)), self._options(self.batch_size))
        self._weights = fit.combine([fit.partial(chunk.fit_view(fit, corpus.systems[0]))], chunk.options)

    def score(
        self,
        cands: Sequence[str],
        refs: Sequence[str] | Sequence[Sequence[str]],
        verbose: bool = False,
        batch_size: int = 64,
        return_hash: bool = False,
    ) -> Any:
        """Return precision, recall and F of each candidate; with `return_hash`, also the property `hash`.

        `verbose` has no effect.
        """
        if self.idf and self._weights is None:
            raise InputError(
                "the weights of tokens are not computed yet; pass idf_sents, or call compute_idf(texts) first."
            )
        scores = self._scored(cands, refs, self._weights, batch_size)
        return (scores, self.hash) if return_hash else scores

    def plot_example(
        self, candidate: str, reference: str, fname: str | Path = "", *, form: str = "matrix"
    ) -> Any:
        """Return a figure with the similarities of the tokens of two texts.

        It is also written to `fname` unless that is empty (.pdf, .png, .svg, or .html for an interactive page). Tokens
        have equal weights. form="links" connects each token with its nearest token, form="text" shades the words.
        """
        from nlgauge.compat.pictures import matching

        return matching(
            replace(self.metric, idf=False), candidate, reference, fname, self.lang, self.device, form=form
        )

    def _scored(self, cands: Any, refs: Any, weights: Arrays | None, batch_size: int) -> PRF:
        """Return the scores, with these weights of tokens or, if None, weights from the references."""
        corpus = Corpus.read(list(cands), list(refs), lang=self.lang)
        fits = {(_LABEL, ""): weights} if weights is not None and self.idf else {}
        tables, _, _ = engine.run(
            corpus, Job({_LABEL: self.metric}, None, self._options(batch_size), fits, cache=True), Serial()
        )
        table: Table = tables[corpus.systems[0], _LABEL]
        segments = table.segments()
        return PRF(segments["precision"], segments["recall"], segments["f1"])

    def _options(self, batch_size: int) -> RunOptions:
        return RunOptions(batch_size=batch_size, device=self.device)


def score(
    cands: Sequence[str],
    refs: Sequence[str] | Sequence[Sequence[str]],
    model_type: Any = None,
    num_layers: int | None = None,
    verbose: bool = False,
    idf: bool = False,
    device: str | None = None,
    batch_size: int = 64,
    nthreads: int = 4,
    all_layers: bool = False,
    lang: str | None = None,
    return_hash: bool = False,
    rescale_with_baseline: bool = False,
    baseline_path: str | Path | None = None,
    use_fast_tokenizer: bool = False,
) -> Any:
    """Return precision, recall and F of each candidate; with `return_hash`, also the signature.

    With `idf`, the weights of tokens are computed from the references of the call. See `BERTScorer` for the other
    parameters.
    """
    scorer = BERTScorer(
        model_type,
        num_layers,
        all_layers=all_layers,
        idf=idf,
        device=device,
        lang=lang,
        rescale_with_baseline=rescale_with_baseline,
        baseline_path=baseline_path,
    )
    scores = scorer._scored(cands, refs, None, batch_size)
    return (scores, scorer.hash) if return_hash else scores


def with_baseline(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Convert keyword arguments of bert-score to parameters of the metric bertscore of nlgauge.

    The values of the baseline replace the arguments about it, and arguments without effect are left out.
    """
    parameters = {name: value for name, value in arguments.items() if name not in _WITHOUT_EFFECT}
    rescale, path = parameters.pop("rescale_with_baseline", False), parameters.pop("baseline_path", None)
    if not rescale:
        return parameters
    names = [name for name in ("model_type", "num_layers", "lang") if name in parameters]
    spelt = {
        "model_type": parameters.get("model"),
        "num_layers": parameters.get("layer"),
        **{name: parameters[name] for name in names},
    }
    return {
        **parameters,
        "baseline": BERTScorer(**spelt, rescale_with_baseline=True, baseline_path=path).baseline_vals,
    }


def _baseline(path: str | Path | None, lang: str | None, model: str, layer: int) -> tuple[float, ...]:
    """Return the baseline of a layer: the built-in baseline if available, else from a file."""
    if path is None and lang is not None and has_baseline(lang.lower(), model, layer):
        return baseline_of(lang.lower(), model, layer)
    file = Path(path) if path is not None else _shipped(lang, model, layer)
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        rows = {
            int(cells[0]): tuple(map(float, cells[1:4]))
            for cells in (line.split(",") for line in lines[1:] if line)
        }
    except OSError as error:
        raise InputError(
            f"the baseline {file} cannot be read: {error.strerror}; check baseline_path."
        ) from None
    except ValueError:
        raise InputError(f"the baseline {file} must have a header and rows LAYER,P,R,F of numbers.") from None
    if layer not in rows or len(rows[layer]) != 3:
        raise InputError(
            f"the baseline {file} has no row LAYER,P,R,F for layer {layer}; set num_layers to a layer that has a row,"
            " or pass another file as baseline_path."
        )
    return rows[layer]


def _shipped(lang: str | None, model: str, layer: int) -> Path:
    """Return the baseline file of an installed bert-score for a language and model."""
    from importlib.util import find_spec

    if lang is None:
        raise ParameterError(
            "rescale_with_baseline needs lang=..., or baseline_path=... with a file of rows LAYER,P,R,F."
        )
    package = find_spec("bert_score")
    if package is None or package.origin is None:
        raise ParameterError(
            f"the baseline of layer {layer} of {model!r} for {lang!r} is unknown; pass baseline_path, a file of rows"
            " LAYER,P,R,F, or install bert-score, which has such files: pip install bert-score"
        )
    folder = Path(package.origin).parent / "rescale_baseline" / lang.lower()
    file = folder / f"{model}.tsv"
    if not file.is_file():
        raise ParameterError(
            f"bert-score has no baseline of {model!r} for {lang!r}; pass baseline_path, a file of rows"
            " LAYER,P,R,F."
        )
    return file
