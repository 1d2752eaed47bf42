"""Rewards: a metric as a function that returns the score of each segment, for reinforcement learning.

    reward = nlgauge.reward("chrf")
    reward(predictions, references)                                     a list of floats, higher is better
    GRPOTrainer(..., reward_funcs=[reward, nlgauge.reward("wer", scale=(1, 0))])
                                                                        TRL calls it with prompts=, completions= and the columns of the dataset

A call takes some microseconds per pair in addition to the metric, because it computes no intervals and no
signatures, and writes no files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from nlgauge._core.backend import chosen
from nlgauge._core.lazy import lazy
from nlgauge._core.ragged import Array
from nlgauge.engine.chunk import Fits, Job
from nlgauge.engine.prepare import MetricSpec, labeled, prepared
from nlgauge.engine.run_options import run_options
from nlgauge.errors import InputError, ParameterError, did_you_mean
from nlgauge.metric import Metric, Output

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.metric.reduction import ReduceFn

Scale = Literal["unit"] | tuple[float, float] | None
# Usual names of the columns of a training set, besides the names of records.
_FURTHER_NAMES = {
    "references": ("answer", "answers", "solution", "ground_truth", "gold"),
    "source": ("document",),
}


@dataclass(eq=False, repr=False)
class Reward:
    """Reward function that `nlgauge.reward` returns.

    It is called with predictions and references, or with the arguments that TRL passes to reward functions.
    """

    job: Job
    output: Output
    # The values of the output that become 0 and 1.
    ends: tuple[float, float]
    # Names of the columns of a dataset; None: columns with usual names.
    references: str | None = None
    sources: str | None = None
    undefined: float = math.nan
    lang: str | None = None
    _has_looked: bool = False

    @lazy
    def _compiled(self) -> Callable[[list[Any], list[Any]], list[float] | None]:
        """The compiled function of predictions and references; it returns None if the texts must take the ordinary
        way.
        """
        from nlgauge.metric.compiled import compiled

        metric = self.job.metrics[self.__name__]
        form = compiled(metric)
        if form is None:
            return _nothing
        rule = self.job.reduce_fn or getattr(metric, "reduce", None)
        function: Callable[[list[Any], list[Any]], list[float] | None] = form.native.function(
            form.outputs.index(self.output.name),
            *self.ends,
            self.undefined,
            lists=metric.takes == "joint" or rule == "best",
        )
        return function

    def __getstate__(self) -> dict[str, Any]:
        # A compiled form is made again from the metric.
        return {name: value for name, value in self.__dict__.items() if name != "_compiled"}

    @property
    def __name__(self) -> str:
        """Label of the metric, under which trainers log the reward."""
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
        """Return one number per prediction, higher is better; `undefined` if the score is undefined."""
        if sources is None and prompts is None and not columns and self._takes_lists(predictions, references):
            rewards = self._compiled(predictions, references)
            if rewards is not None:
                return rewards
        if (predictions is None) == (completions is None):
            raise InputError(
                f"the reward {self.__name__} takes predictions or, as TRL names them, completions; pass one"
                " of the two."
            )
        texts = _texts(completions if predictions is None else predictions)
        if len(texts) == 0:
            return []
        named = {"references": references, "sources": sources, "prompts": prompts, **columns}
        present = {name: column for name, column in named.items() if column is not None}
        metric = self.job.metrics[self.__name__]
        read_references = (
            self._column(present, "references", self.references, _usual_names("references"))
            if metric.takes != "alone"
            else None
        )
        if read_references is not None and self._takes_lists(texts, read_references):
            rewards = self._compiled(texts, read_references)
            if rewards is not None:
                return rewards
        read_sources = (
            self._column(present, "sources", self.sources, _usual_names("source")) if metric.source else None
        )
        fields = {name: columns[name] for name in metric.record_fields if name in columns}
        from nlgauge.corpus import Corpus

        corpus = Corpus.read(texts, read_references, read_sources, lang=self.lang, fields=fields)
        if len(corpus.systems) > 1:
            raise InputError(
                f"the reward {self.__name__} takes the predictions of one system, got"
                f" {', '.join(corpus.systems)}; pass a list of texts."
            )
        if not self._has_looked:  # one warning is enough for a loop
            from nlgauge.engine.checks import warn_about_languages

            self._has_looked = True
            warn_about_languages(corpus, self.job.metrics)
        scaled: list[float] = self.of_corpus(corpus).tolist()
        return scaled

    def of_corpus(self, corpus: Corpus, *, share_features: bool = False) -> Array:
        """Return the reward of each segment of a corpus with one system.

        With `share_features` a model reads a text once that many segments have.
        """
        from nlgauge.engine.segments import segment_scores

        scores = segment_scores(corpus, self.job, share_features=share_features)[self.output.name]
        return self.scaled(scores)

    def scaled(self, scores: Array) -> Array:
        """Return the rewards of scores."""
        start, end = self.ends
        rewards = (scores - start) / (end - start)
        return np.where(np.isnan(rewards), self.undefined, rewards + 0.0)  # + 0.0 turns -0.0 into 0.0

    def _takes_lists(self, predictions: Any, references: Any) -> bool:
        """Return True if the texts are in lists, as compiled metrics read them.

        The first call takes the ordinary way, which warns about languages.
        """
        return (
            self._has_looked
            and type(predictions) is list
            and type(references) is list
            and chosen() == "native"
        )

    def _column(self, columns: Mapping[str, Any], what: str, name: str | None, usual: Sequence[str]) -> Any:
        """Return the texts of the column `name` or, if that is None, of the only column with a usual name."""
        present = [column for column in (usual if name is None else (name, what)) if column in columns]
        matches = present if name is None else present[:1]
        if len(matches) == 1:
            return _texts(columns[matches[0]])
        if matches:
            choice = f"nlgauge.reward(..., {what}={matches[0]!r})"
            raise InputError(
                f"the reward {self.__name__} finds {what} in {' and in '.join(matches)}; choose one: {choice}."
            )
        received = f"got the columns {', '.join(columns)}" if columns else "got no columns"
        advice = f"nlgauge.reward(..., {what}={'prompts' if what == 'sources' else 'answer'!r})"
        raise InputError(
            f"the reward {self.__name__} needs {what if name is None else f'a column {name!r}'}, but {received};"
            f" pass {what}, or name the column: {advice}."
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
    metrics = prepared(labeled(metric), lang, reduce_fn)
    if len(metrics) > 1:
        raise ParameterError(
            f"a reward has one metric, got {', '.join(metrics)}; make one reward per metric."
        )
    ((label, instance),) = metrics.items()
    chosen_output = _output(label, instance, output)
    job = Job(metrics, reduce_fn, run_options(batch_size=batch_size, device=device))
    return Reward(
        replace(job, fits=_fits(job, lang, fitted_on)),
        chosen_output,
        _ends(chosen_output, scale),
        references,
        sources,
        undefined,
        lang,
    )


def _nothing(predictions: list[Any], references: list[Any]) -> None:
    """Stand in for the compiled function of a metric that has none."""


def _output(label: str, metric: Any, name: str | None) -> Output:
    if not isinstance(metric, Metric):
        raise ParameterError(
            f"{label} has only a corpus score and no segment scores, so it cannot be a reward; choose another metric."
        )
    outputs = [output for part in metric.outputs().values() for output in part]
    matches = (
        [output for output in outputs if output.name == name] if name not in (None, "score") else outputs[:1]
    )
    if not matches:
        names = [output.name for output in outputs]
        raise ParameterError(
            f"{label} has no output {name!r}{did_you_mean(str(name), names)}; it has {', '.join(names)}."
        )
    return matches[0]


def _ends(output: Output, scale: Any) -> tuple[float, float]:
    """Return the values of the output that become 0 and 1."""
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
            " others and cannot be a reward; choose another metric."
        )
    if fitted_on is None:
        raise ParameterError(
            f"{label} counts words in a set of references; pass the references of the training set:"
            " nlgauge.reward(..., fitted_on=references)."
        )
    from nlgauge.corpus import Corpus
    from nlgauge.engine import engine
    from nlgauge.engine.executors import Serial

    references = list(fitted_on)
    return engine.fits_of(Corpus.read([""] * len(references), references, lang=lang), job, Serial())


def _usual_names(role: str) -> tuple[str, ...]:
    from nlgauge.corpus.records import FIELD_NAMES

    return *FIELD_NAMES[role], *_FURTHER_NAMES[role]


def _texts(column: Any) -> Any:
    """Return a column with chat messages replaced by their texts."""
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
    """Return the text of a chat message or of a list of messages; return other items unchanged.

    The text of a list is the last message of the assistant or, if there is none, the last message.
    """
    messages = [item] if isinstance(item, Mapping) else item
    if (
        not isinstance(messages, list | tuple)
        or not messages
        or not all(isinstance(message, Mapping) and "content" in message for message in messages)
    ):
        return item
    answers = [message for message in messages if message.get("role") == "assistant"]
    content = (answers or messages)[-1]["content"]
    if isinstance(content, list | tuple):  # texts and possibly images
        return "".join(
            part["text"]
            for part in content
            if isinstance(part, Mapping) and isinstance(part.get("text"), str)
        )
    return "" if content is None else content
