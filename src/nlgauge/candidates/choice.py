"""The functions that choose among candidates: mbr, rerank, utilities and self_similarity."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge.candidates.inputs import read_inputs, references_of, repeated
from nlgauge.candidates.utility import Input, Utility
from nlgauge.compat.rewards import Reward, reward
from nlgauge.engine.prepare import MetricSpec, labeled
from nlgauge.errors import InputError, ParameterError, no_such
from nlgauge.metric import REGISTERED, AnyMetric, Metric

METHODS = ("exact", "aggregate")
# Utilities of metrics that were named in a call, by name, output and language.
_UTILITIES: dict[tuple[str, str | None, str | None], Utility] = {}
_MOST_UTILITIES = 256


@dataclass(frozen=True)
class Consensus:
    """The candidate that was chosen for an input, and the utilities of all candidates.

    Parameters
    ----------
    best : int
        Number of the chosen candidate, from 0.
    text : str
        The chosen candidate.
    expected : tuple of float
        Expected utility of each of the N candidates; higher is better, as in a reward. The scores of the metric if
        `rerank` chose.
    order : tuple of int
        Numbers of all N candidates, the best first. Of equal candidates the first comes first, and candidates without a
        defined utility come last.
    """

    best: int
    text: str
    expected: tuple[float, ...]
    order: tuple[int, ...]


@overload
def mbr(  # type: ignore[overload-overlap]
    candidates: Sequence[str],
    metric: MetricSpec | Reward = ...,
    *,
    references: Any = ...,
    weights: Any = ...,
    method: str = ...,
    output: str | None = ...,
    lang: str | None = ...,
    sources: Any = ...,
    fitted_on: Iterable[Any] | None = ...,
) -> Consensus: ...
@overload
def mbr(
    candidates: Sequence[Sequence[str]],
    metric: MetricSpec | Reward = ...,
    *,
    references: Any = ...,
    weights: Any = ...,
    method: str = ...,
    output: str | None = ...,
    lang: str | None = ...,
    sources: Any = ...,
    fitted_on: Iterable[Any] | None = ...,
) -> list[Consensus]: ...
def mbr(
    candidates: Any,
    metric: MetricSpec | Reward = "chrf",
    *,
    references: Any = None,
    weights: Any = None,
    method: str = "exact",
    output: str | None = None,
    lang: str | None = None,
    sources: Any = None,
    fitted_on: Iterable[Any] | None = None,
) -> Consensus | list[Consensus]:
    """Choose the candidate with the highest expected utility (minimum Bayes risk decoding).

    Parameters
    ----------
    candidates : sequence of str, or sequence of sequences of str
        N candidates for one input, or the candidates for each of several inputs.
    metric : str, metric, mapping or Reward, default "chrf"
        Utility: one metric that can be a reward. A value of `nlgauge.reward` sets the scale, the device and the batch
        size as well.
    references : sequence of str, or sequence of sequences of str, optional
        M references that stand for the unknown reference; one sequence per input for several inputs. Default: the
        candidates themselves.
    weights : sequence of float, or sequence of sequences of float, optional
        Weight of each of the M references, such as probabilities. Weights are divided by their sum. Default: equal
        weights.
    method : {"exact", "aggregate"}
        "exact" averages the utilities of all N * M pairs. "aggregate" averages the n-gram counts of the references
        first; this is faster for thousands of candidates, but an approximation, and only for metrics of n-gram counts
        such as chrf and bleu.
    output : str, optional
        Output of the metric. Default: the first.
    lang : str, optional
        ISO language code, used for tokenizers, sentence splitters and default models.
    sources : str or sequence of str, optional
        Source text of the input, or of each of several inputs; only for metrics that read sources.
    fitted_on : iterable, optional
        References of the training set, for metrics that count words in them, such as cider.

    Returns
    -------
    Consensus or list of Consensus
        The chosen candidate and all expected utilities; a list for several inputs.

    Raises
    ------
    InputError
        If an input has no candidates, or candidates, references, weights and sources do not fit together.
    ParameterError
        If the metric has no segment scores, reads no references, or cannot be aggregated.

    Notes
    -----
    The expected utility of candidate i is the sum over j of w[j] * u(i, j), in the order of the references. u(i, j) is
    the reward of candidate i with reference j, bit for bit. An undefined utility has weight 0.

    Examples
    --------
    >>> mbr(["a cat sat", "the cat sat", "the cat sits", "dogs bark"]).text
    'the cat sat'
    >>> chosen = mbr([["yes", "yes!", "no"], ["one", "two"]], "exact_match", weights=[[1, 1, 1], [0.4, 0.6]])
    >>> [each.best for each in chosen]
    [0, 1]
    """
    if method not in METHODS:
        raise ParameterError(no_such("method", method, METHODS))
    utility = _utility(metric, output, lang, fitted_on)
    _check_compares(utility)
    inputs, is_one = read_inputs(candidates, references, weights, sources)
    _check_sources(utility, inputs)
    if method == "aggregate" and not utility.averages:
        raise ParameterError(
            f"{utility.reward.__name__} counts no n-grams, so its references cannot be averaged",
            python="leave out method='aggregate'",
            cli="leave out --aggregate",
        )
    _warn(utility, inputs)
    expected = (
        utility.expected(inputs) if method == "exact" else [utility.aggregated(each) for each in inputs]
    )
    chosen = [_consensus(each.candidates, values) for each, values in zip(inputs, expected, strict=True)]
    return chosen[0] if is_one else chosen


def utilities(
    candidates: Sequence[str],
    metric: MetricSpec | Reward,
    references: Sequence[str] | None = None,
    *,
    output: str | None = None,
    lang: str | None = None,
    sources: str | None = None,
    fitted_on: Iterable[Any] | None = None,
) -> Array:
    """Return the utility of every candidate to every reference.

    Parameters
    ----------
    candidates : sequence of str
        N candidates for one input.
    metric : str, metric, mapping or Reward
        Utility: one metric that can be a reward.
    references : sequence of str, optional
        M references. Default: the candidates themselves.
    output : str, optional
        Output of the metric. Default: the first.
    lang : str, optional
        ISO language code, used for tokenizers, sentence splitters and default models.
    sources : str, optional
        Source text of the input; only for metrics that read sources.
    fitted_on : iterable, optional
        References of the training set, for metrics that count words in them, such as cider.

    Returns
    -------
    ndarray of float, shape (N, M)
        Rewards: higher is better, and NaN if the metric is undefined. Row i has candidate i as the prediction.

    Raises
    ------
    InputError
        If there are no candidates or no references.
    ParameterError
        If the metric has no segment scores or reads no references.

    Examples
    --------
    >>> utilities(["a cat", "a dog"], "wer", ["a cat", "the cat", "a dog"]).tolist()
    [[0.0, -0.5, -0.5], [-0.5, -1.0, 0.0]]
    """
    utility = _utility(metric, output, lang, fitted_on)
    _check_compares(utility)
    inputs, is_one = read_inputs(candidates, references, None, sources)
    if not is_one:
        raise InputError(
            f"utilities takes the candidates of one input, got a list of {counted(len(inputs), 'input')}; call it for"
            " each input."
        )
    _check_sources(utility, inputs)
    _warn(utility, inputs)
    return utility.matrices(inputs)[0]


@overload
def rerank(  # type: ignore[overload-overlap]
    candidates: Sequence[str],
    metric: MetricSpec | Reward,
    sources: Any = ...,
    references: Any = ...,
    *,
    output: str | None = ...,
    lang: str | None = ...,
    fitted_on: Iterable[Any] | None = ...,
) -> Consensus: ...
@overload
def rerank(
    candidates: Sequence[Sequence[str]],
    metric: MetricSpec | Reward,
    sources: Any = ...,
    references: Any = ...,
    *,
    output: str | None = ...,
    lang: str | None = ...,
    fitted_on: Iterable[Any] | None = ...,
) -> list[Consensus]: ...
def rerank(
    candidates: Any,
    metric: MetricSpec | Reward,
    sources: Any = None,
    references: Any = None,
    *,
    output: str | None = None,
    lang: str | None = None,
    fitted_on: Iterable[Any] | None = None,
) -> Consensus | list[Consensus]:
    """Choose the candidate with the best score of a metric.

    Parameters
    ----------
    candidates : sequence of str, or sequence of sequences of str
        N candidates for one input, or the candidates for each of several inputs.
    metric : str, metric, mapping or Reward
        One metric that can be a reward, such as a metric that reads sources and no references.
    sources : str or sequence of str, optional
        Source text of the input, or of each of several inputs; only for metrics that read sources.
    references : str or sequence of str, optional
        References of the input, or of each of several inputs; only for metrics that read references.
    output : str, optional
        Output of the metric. Default: the first.
    lang : str, optional
        ISO language code, used for tokenizers, sentence splitters and default models.
    fitted_on : iterable, optional
        References of the training set, for metrics that count words in them, such as cider.

    Returns
    -------
    Consensus or list of Consensus
        The chosen candidate, with the scores of all candidates as `expected`; a list for several inputs.

    Raises
    ------
    InputError
        If an input has no candidates, or the metric needs sources or references that are missing.
    ParameterError
        If the metric has no segment scores.

    Examples
    --------
    >>> rerank(["a cat sat", "the cat sat"], "chrf", references="the cat sat here").best
    1
    """
    utility = _utility(metric, output, lang, fitted_on)
    label, read = _metric(utility.reward)
    inputs, is_one = read_inputs(candidates, None, None, sources)
    _check_sources(utility, inputs)
    if read.takes != "alone" and references is None:
        raise InputError(
            f"{label} needs references",
            python="pass references=..., or use nlgauge.mbr to compare candidates with each other",
            cli="name their file with -r, or leave out --rerank to compare candidates with each other",
        )
    predictions = [text for each in inputs for text in each.candidates]
    read_references = (
        None if read.takes == "alone" else repeated(references_of(references, len(inputs), is_one), inputs)
    )
    read_sources = repeated([each.source for each in inputs], inputs) if read.source else None
    scores = np.array(utility.reward(predictions, read_references, read_sources))
    parts = np.split(scores, np.cumsum([len(each.candidates) for each in inputs])[:-1])
    chosen = [_consensus(each.candidates, values) for each, values in zip(inputs, parts, strict=True)]
    return chosen[0] if is_one else chosen


def self_similarity(
    texts: Sequence[str],
    metric: MetricSpec | Reward = "chrf",
    *,
    output: str | None = None,
    lang: str | None = None,
    fitted_on: Iterable[Any] | None = None,
) -> float:
    """Return the mean utility of texts to each other; the lower it is, the more the texts differ.

    Parameters
    ----------
    texts : sequence of str
        N texts, such as samples for one input.
    metric : str, metric, mapping or Reward, default "chrf"
        Utility: one metric that can be a reward.
    output : str, optional
        Output of the metric. Default: the first.
    lang : str, optional
        ISO language code, used for tokenizers, sentence splitters and default models.
    fitted_on : iterable, optional
        References of the training set, for metrics that count words in them, such as cider.

    Returns
    -------
    float
        Mean of the N * (N - 1) utilities u(i, j) with i != j that are defined; NaN if none is, as for one text.

    Examples
    --------
    >>> self_similarity(["a cat", "a cat", "a cat"], "exact_match")
    1.0
    """
    square = utilities(texts, metric, output=output, lang=lang, fitted_on=fitted_on)
    others = square[~np.eye(len(square), dtype=bool)]
    defined = others[~np.isnan(others)]
    return float(defined.mean()) if len(defined) else math.nan


def _consensus(candidates: Sequence[str], expected: Array) -> Consensus:
    order: list[int] = np.argsort(-expected, kind="stable").tolist()  # NaN comes last
    return Consensus(order[0], candidates[order[0]], tuple(expected.tolist()), tuple(order))


def _utility(
    metric: MetricSpec | Reward, output: str | None, lang: str | None, fitted_on: Iterable[Any] | None
) -> Utility:
    if isinstance(metric, Reward):
        if (output, lang, fitted_on) != (None, None, None):
            raise ParameterError(
                "output, lang and fitted_on cannot change a reward; pass them to nlgauge.reward when you create it."
            )
        return Utility(metric)
    if not isinstance(metric, str) or fitted_on is not None:
        return Utility(choosing_reward(metric, output, lang, fitted_on))
    key = (metric, output, lang)
    utility = _UTILITIES.get(key)
    if utility is None or not _is_registered(_metric(utility.reward)[1]):
        if len(_UTILITIES) >= _MOST_UTILITIES:
            _UTILITIES.clear()
        utility = _UTILITIES[key] = Utility(choosing_reward(metric, output, lang))
    return utility


def _is_registered(metric: Metric) -> bool:
    """Return whether the class of a metric is still the class of its name."""
    return REGISTERED.classes.get(metric.name) is type(metric)


def choosing_reward(
    metric: MetricSpec,
    output: str | None = None,
    lang: str | None = None,
    fitted_on: Iterable[Any] | None = None,
    batch_size: int | None = None,
    device: str | None = None,
) -> Reward:
    """Return the reward of a metric; raise ParameterError if it cannot choose among candidates."""
    metrics = labeled(metric)
    if len(metrics) > 1:
        raise ParameterError(
            f"only one metric can choose among candidates, got {', '.join(metrics)}; name one of them."
        )
    ((label, named),) = metrics.items()
    _check_chooses(label, named, output, fitted_on)
    return reward(metric, output=output, lang=lang, fitted_on=fitted_on, batch_size=batch_size, device=device)


def _check_chooses(
    label: str, metric: AnyMetric, output: str | None, fitted_on: Iterable[Any] | None
) -> None:
    """Raise ParameterError if a metric cannot choose among candidates."""
    if not isinstance(metric, Metric):
        raise ParameterError(
            f"{label} has a score for a whole corpus and none for a segment, so it cannot choose among candidates;"
            " choose another metric."
        )
    outputs = [each for part in metric.outputs().values() for each in part]
    named = [each for each in outputs if output in (None, "score", each.name)][:1]
    if named and named[0].higher_is_better is None:
        which = label if named[0].name == label else f"{named[0].name} of {label}"
        raise ParameterError(
            f"neither high nor low scores of {which} are better, so it cannot choose among candidates",
            python="choose another output, or pass nlgauge.reward(..., scale=(zero, one)) as the metric",
            cli="choose another output with --score",
        )
    fit = metric.fit()
    if fit is not None and fit.over != "references":
        raise ParameterError(
            f"{label} is fitted on all predictions of a system, so it cannot choose among candidates; choose another"
            " metric."
        )
    if fit is not None and fitted_on is None:
        raise ParameterError(
            f"{label} weighs words by their counts in a set of references",
            python="pass the references of the training set: fitted_on=references",
            cli="name the file with the references of the training set: --fitted-on FILE",
        )


def _metric(reward: Reward) -> tuple[str, Metric]:
    label = reward.__name__
    metric = reward.job.metrics[label]
    assert isinstance(metric, Metric)
    return label, metric


def _check_compares(utility: Utility) -> None:
    label, metric = _metric(utility.reward)
    if metric.takes == "alone":
        raise ParameterError(
            f"{label} reads no references, so it cannot compare candidates",
            python="use nlgauge.rerank to choose by its score",
            cli="add --rerank to choose by its score",
        )


def _check_sources(utility: Utility, inputs: Sequence[Input]) -> None:
    label, metric = _metric(utility.reward)
    if metric.source and inputs[0].source is None:
        raise InputError(f"{label} needs sources", python="pass sources=...", cli="name their file with -s")


def _warn(utility: Utility, inputs: Sequence[Input]) -> None:
    utility.warn([text for each in inputs for text in each.candidates])
