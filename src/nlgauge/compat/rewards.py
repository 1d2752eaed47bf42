"""Rewards: a metric as a function of lists that returns the score of each segment, as loops of reinforcement
learning call it.

    reward = nlgauge.reward("chrf")
    reward(predictions, references)                                     a list of floats, higher is better
    GRPOTrainer(..., reward_funcs=[reward, nlgauge.reward("wer", scale=(1, 0))])
                                                                        TRL calls it with prompts=, completions= and the columns of the dataset

A call costs some microseconds per pair above the metric itself: there are no intervals, no signatures and no
files.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.corpus.records import FIELD_NAMES
from nlgauge.engine import engine
from nlgauge.engine.checks import warn_about_languages
from nlgauge.engine.chunk import Fits, Job
from nlgauge.engine.executors import Serial
from nlgauge.engine.prepare import MetricSpec, labelled, prepared
from nlgauge.engine.segments import segment_scores
from nlgauge.errors import InputError, ParameterError, did_you_mean
from nlgauge.metric import Metric, Output
from nlgauge.metric.reduction import ReduceFn
from nlgauge.scoring import run_options

Scale = Literal["unit"] | tuple[float, float] | None
# What the columns of a training set are called.
_REFERENCES = (*FIELD_NAMES["references"], "answer", "answers", "solution", "ground_truth", "gold")
_SOURCES = (*FIELD_NAMES["source"], "document")


@dataclass(eq=False, repr=False)
class Reward:
    """What `nlgauge.reward` gives: call it with predictions and references, or as TRL calls its reward
    functions.
    """

    job: Job
    output: Output
    # The values of the output that become 0 and 1.
    ends: tuple[float, float]
    # The columns of a dataset; None: those with usual names.
    references: str | None = None
    sources: str | None = None
    undefined: float = math.nan
    lang: str | None = None
    _has_looked: bool = False

    @property
    def __name__(self) -> str:
        """The metric's label, under which trainers log the reward."""
        return next(iter(self.job.metrics))

    def __repr__(self) -> str:
        return f"<reward {self.__name__}>"

    def __call__(
        self,
        predictions: Any = None,
        references: Any = None,
        sources: Any = None,
        *,
        prompts: Any = None,
        completions: Any = None,
        **columns: Any,
    ) -> list[float]:
        """One number for each prediction, higher is better; `undefined` where the metric has none."""
        if (predictions is None) == (completions is None):
            raise InputError(
                f"the reward {self.__name__} takes predictions or, as TRL names them, completions; pass one"
                " of the two."
            )
        texts = _texts(completions if predictions is None else predictions)
        if len(texts) == 0:
            return []
        named = {"references": references, "sources": sources, "prompts": prompts, **columns}
        given = {name: column for name, column in named.items() if column is not None}
        metric = self.job.metrics[self.__name__]
        read_references = (
            self._column(given, "references", self.references, _REFERENCES)
            if metric.takes != "alone"
            else None
        )
        read_sources = self._column(given, "sources", self.sources, _SOURCES) if metric.source else None
        corpus = Corpus.read(texts, read_references, read_sources, lang=self.lang)
        if len(corpus.systems) > 1:
            raise InputError(
                f"the reward {self.__name__} takes the predictions of one system; there are"
                f" {', '.join(corpus.systems)}."
            )
        if not self._has_looked:  # one warning is enough for a loop
            self._has_looked = True
            warn_about_languages(corpus, self.job.metrics)
        zero, one = self.ends
        scores = (segment_scores(corpus, self.job)[self.output.name] - zero) / (one - zero)
        rewards: list[float] = np.where(
            np.isnan(scores), self.undefined, scores + 0.0
        ).tolist()  # 0 without a sign
        return rewards

    def _column(self, columns: Mapping[str, Any], what: str, name: str | None, usual: Sequence[str]) -> Any:
        """The texts of the column that was named, or of the only one with a usual name."""
        there = [one for one in (usual if name is None else (name, what)) if one in columns]
        found = there if name is None else there[:1]
        if len(found) == 1:
            return _texts(columns[found[0]])
        if found:
            choice = f"nlgauge.reward(..., {what}={found[0]!r})"
            raise InputError(
                f"the reward {self.__name__} finds {what} in {' and in '.join(found)}; choose one: {choice}."
            )
        given = f"it was given {', '.join(columns)}" if columns else "none were given"
        advice = f"nlgauge.reward(..., {what}={'prompts' if what == 'sources' else 'answer'!r})"
        raise InputError(
            f"the reward {self.__name__} needs {what if name is None else f'a column {name!r}'}; {given}."
            f" Name the column: {advice}."
        )


def reward(
    metric: MetricSpec,
    *,
    output: str | None = None,
    scale: Scale = None,
    references: str | None = None,
    sources: str | None = None,
    undefined: float = math.nan,
    reduce_fn: ReduceFn = None,
    lang: str | None = None,
    fitted_on: Iterable[Any] | None = None,
    batch_size: int | None = None,
    device: str | None = None,
) -> Reward:
    """Make a reward function that returns the score of each prediction; higher is better.

    Parameters
    ----------
    metric : str, metric or mapping
        One metric, in any form that `nlgauge.score` accepts. It needs segment scores.
    output : str, optional
        Output of the metric to return. Default: the first.
    scale : None, "unit" or tuple of two floats
        None uses the scale of the metric, with the sign changed if lower is better. "unit" maps the bounds of the
        output to 0 and 1. `(zero, one)` names the values that become 0 and 1; `(1, 0)` makes 1 - WER, which is negative
        if a prediction has more errors than the reference has words.
    references : str, optional
        Column of the dataset with references. Default: a column with a usual name, such as "reference", "target" or
        "answer".
    sources : str, optional
        Column of the dataset with sources. Default: a column with a usual name, such as "source". The column "prompts"
        contains the prompts.
    undefined : float, default NaN
        Value that replaces an undefined score. TRL ignores NaN.
    reduce_fn : str or callable, optional
        Rule for several references or predictions of a segment: "best" (default), "max", "min", the name of a NumPy
        function, or a callable that maps an array of scores to a number.
    lang : str, optional
        ISO language code, used for tokenizers, sentence splitters and default models.
    fitted_on : iterable, optional
        References of the training set, for metrics that count words in them, such as cider.
    batch_size : int, optional
        Number of texts that a model reads at once.
    device : str, optional
        Torch device, such as "cpu", "cuda" or "cuda:1".

    Returns
    -------
    Reward
        Function of `(predictions, references, sources)`, each a sequence of length N, that returns a list of N floats.
        It also accepts the arguments that TRL passes to reward functions: `prompts`, `completions` and the columns of
        the dataset. Completions are texts or chat messages; the last message of the assistant is scored.

    Raises
    ------
    ParameterError
        If several metrics are passed, the metric has no segment scores, the output is unknown, the scale does not suit
        the output, or `fitted_on` is missing.

    Examples
    --------
    >>> reward("chrf", scale="unit")(["the cat sat", "a dog"], ["the cat sat", "a cat"])[0]
    1.0
    >>> reward("wer")(completions=[[{"role": "assistant", "content": "a dog"}]], reference=["a cat"])
    [-0.5]
    """
    metrics = prepared(labelled(metric), lang, reduce_fn)
    if len(metrics) > 1:
        raise ParameterError(
            f"a reward is of one metric, got {', '.join(metrics)}; make one reward for each."
        )
    ((label, made),) = metrics.items()
    chosen = _output(label, made, output)
    job = Job(metrics, reduce_fn, run_options(batch_size=batch_size, device=device))
    return Reward(
        replace(job, fits=_fits(job, lang, fitted_on)),
        chosen,
        _ends(chosen, scale),
        references,
        sources,
        undefined,
        lang,
    )


def _output(label: str, metric: Any, name: str | None) -> Output:
    if not isinstance(metric, Metric):
        raise ParameterError(
            f"{label} has a score for a whole corpus and none for a segment, so it cannot be a reward."
        )
    outputs = [output for part in metric.outputs().values() for output in part]
    found = (
        [output for output in outputs if output.name == name] if name not in (None, "score") else outputs[:1]
    )
    if not found:
        names = [output.name for output in outputs]
        raise ParameterError(
            f"{label} has no output {name!r}{did_you_mean(str(name), names)}; it has {', '.join(names)}."
        )
    return found[0]


def _ends(output: Output, scale: Any) -> tuple[float, float]:
    """The values that become 0 and 1."""
    if (
        isinstance(scale, tuple | list)
        and len(scale) == 2
        and all(isinstance(end, int | float) and math.isfinite(end) for end in scale)
    ):
        if scale[0] != scale[1]:
            return scale[0], scale[1]
    elif scale in (None, "unit"):
        if output.higher_is_better is None:
            raise ParameterError(
                f"{output.name} has no better direction; set the values that become 0 and 1: scale=(zero, one)."
            )
        if scale is None:
            return (0.0, 1.0) if output.higher_is_better else (0.0, -1.0)
        if math.isfinite(output.low) and math.isfinite(output.high):
            return (output.low, output.high) if output.higher_is_better else (output.high, output.low)
        raise ParameterError(
            f"{output.name} is from {output.low:g} to {output.high:g}, not bounded on both sides; set the"
            " values that become 0 and 1: scale=(zero, one)."
        )
    raise ParameterError(
        "scale must be None, 'unit' or two numbers that differ, the values that become 0 and 1; got"
        f" {scale!r:.60}."
    )


def _fits(job: Job, lang: str | None, fitted_on: Iterable[Any] | None) -> Fits:
    ((label, metric),) = job.metrics.items()
    assert isinstance(metric, Metric)
    fit = metric.fit()
    if fit is None:
        return {}
    if fit.over != "references":
        raise ParameterError(
            f"{label} is fitted on all predictions of a system, so the score of one prediction depends on the"
            " others and cannot be a reward."
        )
    if fitted_on is None:
        raise ParameterError(
            f"{label} counts words in a set of references; pass the references of the training set:"
            " nlgauge.reward(..., fitted_on=references)."
        )
    references = list(fitted_on)
    return engine.fits_of(Corpus.read([""] * len(references), references, lang=lang), job, Serial())


def _texts(column: Any) -> Any:
    """A column with chat messages as the texts that they hold."""
    items = column if isinstance(column, list | tuple) else list(column) if _is_iterable(column) else column
    if not isinstance(items, list | tuple) or set(map(type, items)) <= {str}:
        return items
    return [_text(item) for item in items]


def _is_iterable(column: Any) -> bool:
    return (
        isinstance(column, Iterable)
        and not isinstance(column, str | bytes | Mapping)
        and not hasattr(column, "columns")
    )


def _text(item: Any) -> Any:
    """The text of a message or of the last one of the assistant (else the last of all) in a list of them;
    anything else as it is.
    """
    messages = [item] if isinstance(item, Mapping) else item
    if (
        not isinstance(messages, list | tuple)
        or not messages
        or not all(isinstance(one, Mapping) and "content" in one for one in messages)
    ):
        return item
    own = [message for message in messages if message.get("role") == "assistant"]
    content = (own or messages)[-1]["content"]
    if isinstance(content, list | tuple):  # parts, of which some may be images
        return "".join(
            part["text"]
            for part in content
            if isinstance(part, Mapping) and isinstance(part.get("text"), str)
        )
    return "" if content is None else content
