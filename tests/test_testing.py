"""check_metric finds what is broken, and says so; a good metric passes, whoever wrote it."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from messages import mentions

from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import MetricError
from nlgauge.explanations import Explanation
from nlgauge.features import Features, RunOptions
from nlgauge.metric import Arrays, CorpusMetric, Fit, Metric, Output, Takes, View
from nlgauge.metric.registry import metric_classes
from nlgauge.testing import CHECKS, ODD, Terms, check_metric


@dataclass(frozen=True)
class Overlap(Metric):
    """The share of a reference's letters that the prediction has too, F-measure of sets: a good metric,
    which is not registered.
    """

    power: float = 1.0
    fold: bool = True

    name: ClassVar[str] = "overlap"

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {
            "overlap": (Output("overlap", True, 0, 1), Output("shared", None, 0)),
            "missed": (Output("missed", False, 0, 1),),
        }

    def pair(self, prediction: str, reference: str) -> tuple[float, float, float]:
        a, b = (set(text.lower() if self.fold else text) for text in (prediction, reference))
        overlap = 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0
        return overlap**self.power, float(len(a & b)), float(bool(b - a))

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        found = np.array(
            [
                self.pair(view.text(p), view.text(r))
                for p, r in zip(view.predictions, view.reference, strict=True)
            ]
        ).reshape(-1, 3)
        ones = np.ones(len(view))
        return {
            "overlap": np.column_stack([found[:, :2], ones]),
            "missed": np.column_stack([found[:, 2], ones]),
        }

    def score(self, part: str, statistics: Array) -> Arrays:
        first = statistics[..., 0] / statistics[..., -1]
        return {"overlap": first, "shared": statistics[..., 1]} if part == "overlap" else {"missed": first}

    def explain(self, view: View, fitted: Arrays) -> list[Explanation]:
        rows = self.statistics(view, fitted)
        return [
            Explanation(str(self), {part: values[i] for part, values in rows.items()})
            for i in range(len(view))
        ]


@dataclass(frozen=True)
class Variety(CorpusMetric):
    """The share of different texts: a good corpus metric."""

    name: ClassVar[str] = "variety"

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"variety": (Output("variety", None, 0, 1),)}

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        values = corpus.predictions[system].values
        return {"variety": len(set(values.tolist())) / len(values)}


@dataclass(frozen=True)
class Sourced(Metric):
    """The length of prediction and source beside the mean length of all references: a source, a fit and
    no reference of its own.
    """

    name: ClassVar[str] = "sourced"
    takes: ClassVar[Takes] = "alone"
    source: ClassVar[bool] = True

    @dataclass(frozen=True)
    class Lengths(Fit):
        over: ClassVar = "references"

        def partial(self, view: View) -> Arrays:
            return {"lengths": np.array([len(view.text(i)) for i in view.reference])}

        def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
            return {"mean": np.array([np.concatenate([part["lengths"] for part in partials]).mean()])}

    def fit(self) -> Fit:
        return self.Lengths()

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"sourced": (Output("sourced", None, 0),)}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        lengths = [
            len(view.text(p)) + len(view.text(s)) for p, s in zip(view.predictions, view.source, strict=True)
        ]
        return {
            "sourced": np.column_stack(
                [np.array(lengths, dtype=np.float64) / fitted["mean"], np.ones(len(lengths))]
            )
        }

    def score(self, part: str, statistics: Array) -> Arrays:
        return {"sourced": statistics[..., 0] / statistics[..., 1]}


@pytest.mark.parametrize("metric", [Overlap(), Overlap(power=0.5, fold=False), Variety(), Sourced()], ids=str)
def test_a_good_metric_passes(metric):
    classes = metric_classes()
    check_metric(metric)
    assert metric_classes() == classes


def test_what_is_granted_must_be_so():
    @dataclass(frozen=True)
    class NothingIsNothing(Overlap):
        def pair(self, prediction: str, reference: str) -> tuple[float, float, float]:
            return super().pair(prediction, reference) if prediction and reference else (0.0, 0.0, 1.0)

    with pytest.raises(
        AssertionError,
        match=r"texts.*not_best_when_equal=\['empty'\]",
    ):
        check_metric(NothingIsNothing())
    check_metric(NothingIsNothing(), not_best_when_equal={"empty"})
    with pytest.raises(AssertionError, match=r"not_best_when_equal.*\['emoji'\]"):
        check_metric(NothingIsNothing(), not_best_when_equal={"empty", "emoji"})


@dataclass(frozen=True)
class RowTooMany(Overlap):
    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        return {part: np.vstack([rows, rows[:1]]) for part, rows in super().statistics(view, fitted).items()}


@dataclass(frozen=True)
class DependsOnOthers(Overlap):
    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        found = super().statistics(view, fitted)
        longest = max(len(view.text(i)) for i in view.predictions)
        found["overlap"][:, 1] += longest
        return found


@dataclass(frozen=True)
class MutatesTheView(Overlap):
    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        found = super().statistics(view, fitted)
        view.predictions[:] = view.predictions[::-1].copy()
        return found


@dataclass(frozen=True)
class MutatesTheFit(Sourced):
    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        fitted["mean"] *= 2
        return super().statistics(view, fitted)


@dataclass(frozen=True)
class MutatesTheCorpus(Variety):
    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        corpus.predictions[system].values[0] = corpus.predictions[system].values[-1]
        return {"variety": 0.5}


@dataclass(frozen=True)
class NotAdditive(Overlap):
    def score(self, part: str, statistics: Array) -> Arrays:
        found = super().score(part, statistics)
        return {
            name: np.minimum(values, values.max()) * values / values.max() if np.ndim(values) else values
            for name, values in found.items()
        }


@dataclass(frozen=True)
class WrongBounds(Overlap):
    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {**super().outputs(), "overlap": (Output("overlap", True, 0, 1), Output("shared", None, 0, 5))}


@dataclass(frozen=True)
class WrongDirection(Overlap):
    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {**super().outputs(), "overlap": (Output("overlap", False, 0), Output("shared", None, 0))}


@dataclass(frozen=True)
class WrongBest(Overlap):
    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {**super().outputs(), "overlap": (Output("overlap", True, 0, 100), Output("shared", None, 0))}


@dataclass(frozen=True)
class NotParsable(Overlap):
    def __str__(self) -> str:
        return f"{self.name}[{self.power}]"


@dataclass(frozen=True)
class PrintsTooLittle(Overlap):
    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class SignsTooLittle(Overlap):
    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {"metric": self.name, "fold": str(self.fold)}


@dataclass(frozen=True)
class TouchesRandomState(Overlap):
    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        random.random()
        return super().statistics(view, fitted)


@dataclass(frozen=True)
class TouchesNumpysState(Overlap):
    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        np.random.seed(1)
        return super().statistics(view, fitted)


@dataclass(frozen=True)
class IsRandom(Overlap):
    rng: ClassVar[np.random.Generator] = np.random.default_rng(1)

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        found = super().statistics(view, fitted)
        found["overlap"][:, 1] += self.rng.random()
        return found


@dataclass(frozen=True)
class ExplainsOtherwise(Overlap):
    def explain(self, view: View, fitted: Arrays) -> list[Explanation]:
        found = super().explain(view, fitted)
        return [
            replace(one, statistics={**one.statistics, "missed": one.statistics["missed"] + 1})
            for one in found
        ]


@dataclass(frozen=True)
class EmptyIsBest(Overlap):
    def pair(self, prediction: str, reference: str) -> tuple[float, float, float]:
        return super().pair(prediction, reference) if prediction else (1.0, 0.0, 0.0)


@dataclass(frozen=True)
class EmptyIsBetter(Overlap):
    """Without a best score, an empty text is better than the right one."""

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {
            "overlap": (Output("overlap", True), Output("shared", None, 0)),
            "missed": (Output("missed", None),),
        }

    def pair(self, prediction: str, reference: str) -> tuple[float, float, float]:
        return super().pair(prediction, reference) if prediction else (3.0, 0.0, 0.0)


@dataclass(frozen=True)
class BatchDependent(Overlap):
    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        found = super().statistics(view, fitted)
        found["overlap"][:, 1] += 1e-7 * (view.features.options.batch_size or 0)
        return found


@dataclass(frozen=True)
class ChunkDependent(Variety):
    """A corpus metric whose number hangs on the order of the segments."""

    def whole(self, corpus: Corpus, system: str, features: Features) -> dict[str, float]:
        return {"variety": len(features.texts[corpus.predictions[system].values[0]]) / 1000}


@dataclass(frozen=True)
class FitOrdered(Sourced):
    """A fit that counts chunks."""

    @dataclass(frozen=True)
    class Lengths(Sourced.Lengths):
        def combine(self, partials: Sequence[Arrays], options: RunOptions) -> Arrays:
            return {"mean": np.array([float(len(partials))])}


@dataclass(frozen=True)
class CompanyDependent(Overlap):
    """Scores hang on how many different rows all systems have."""

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        found = super().statistics(view, fitted)
        found["overlap"][:, 1] += len(view)
        return found


@dataclass(frozen=True)
class OutputsTwice(Overlap):
    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {
            "overlap": (Output("overlap", True, 0, 1), Output("missed", None, 0)),
            "missed": (Output("missed", False, 0, 1),),
        }

    def score(self, part: str, statistics: Array) -> Arrays:
        found = super().score(part, statistics)
        return {"overlap": found["overlap"], "missed": found["shared"]} if part == "overlap" else found


@dataclass(frozen=True)
class FailsOnEmoji(Overlap):
    def pair(self, prediction: str, reference: str) -> tuple[float, float, float]:
        if "👍" in prediction:
            raise ValueError("thumbs")
        return super().pair(prediction, reference)


@dataclass
class NotFrozen(Overlap.__base__):  # type: ignore[name-defined]
    power: float = 1.0

    name: ClassVar[str] = "overlap"
    __hash__ = object.__hash__
    outputs, pair, statistics, score, fold = (
        Overlap.outputs,
        Overlap.pair,
        Overlap.statistics,
        Overlap.score,
        True,
    )


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (RowTooMany(), "statistics ... 'overlap'"),
        (DependsOnOthers(), "segment 0 ... shared"),
        (MutatesTheView(), "rows ... numbers"),
        (MutatesTheFit(), "changes"),
        (MutatesTheCorpus(), "changes ... corpus"),
        (NotAdditive(), "score() ... work"),
        (WrongBounds(), "shared is [370.0] ... 0 and 5"),
        (WrongDirection(), "higher_is_better ... wrong"),
        (
            WrongBest(),
            "1.0 ... 100: is higher_is_better",
        ),
        (NotParsable(), "printed ... 'overlap[1.0]'"),
        (PrintsTooLittle(), "'overlap' ... metric"),
        (SignsTooLittle(), "power ... numbers"),
        (TouchesRandomState(), "changes ... global"),
        (TouchesNumpysState(), "changes ... global"),
        (IsRandom(), "different numbers"),
        (ExplainsOtherwise(), "statistics ... row"),
        (EmptyIsBest(), "prediction ... 1.0"),
        (
            EmptyIsBetter(),
            "3.0 ... 1.0",
        ),
        (BatchDependent(), "numbers ... (batch_size=1): shared"),
        (ChunkDependent(), "scores ... segments"),
        (FitOrdered(), "numbers ... depend"),
        (CompanyDependent(), "score ... segment 0"),
        (OutputsTwice(), "outputs ... differ"),
        (FailsOnEmoji(), "thumbs"),
        (NotFrozen(), "parameter ... power"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_broken_metric_is_found_and_what_is_broken_is_said(metric, message):
    with pytest.raises((AssertionError, MetricError, ValueError)) as caught:
        check_metric(metric)
    assert mentions(str(caught.value), message)


def test_a_text_that_breaks_a_metric_is_named():
    (check,) = [check for check in CHECKS if check.__name__ == "check_an_odd_text_alone_is_scored"]
    with pytest.raises(ValueError, match="thumbs") as caught:
        check(FailsOnEmoji(), Terms())
    assert caught.value.__notes__ == ["the only segment's text is 'emoji'"]


@pytest.mark.parametrize("check", CHECKS, ids=[check.__name__ for check in CHECKS])
def test_every_check_can_be_called_alone(check):
    check(Overlap(), Terms())


def test_what_is_not_exact_is_held_to_a_tolerance():
    """1e-7 is within 1e-5, 1e-4 is not."""
    check_metric(BatchDependent(), exact=False)

    @dataclass(frozen=True)
    class Worse(BatchDependent):
        def statistics(self, view: View, fitted: Arrays) -> Arrays:
            found = super().statistics(view, fitted)
            found["overlap"][:, 1] += 1e-4 * (view.features.options.batch_size or 0)
            return found

    with pytest.raises(AssertionError, match=r"numbers.*depend"):
        check_metric(Worse(), exact=False)


def test_a_metric_of_another_class_under_the_same_name_is_found():
    with pytest.raises(AssertionError, match=r"metric.*registered"):
        check_metric(type("Other", (Overlap,), {"name": "bleu"})())


def test_odd_texts_are_odd():
    assert ODD["empty"] == ""
    assert not ODD["only spaces"].strip()
    assert len(set(ODD.values())) == len(ODD)


def test_it_needs_no_test_library():
    code = (
        "import sys; import nlgauge.testing; print([name for name in ('pytest', 'hypothesis', 'torch',"
        " '_pytest') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stdout == "[]\n"
