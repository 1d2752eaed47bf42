"""Step: a part of a document that is computed on its own; Document: steps, printed tables and claims.

Step.run(settings) -> Answer      cells of printed tables, further tables, figures and verdicts on claims
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nlgauge.errors import UnknownNameError, did_you_mean
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.verdicts import ClaimWord, Computed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from nlgauge.show.plots.canvas import Panels


@dataclass(frozen=True)
class Picture:
    """A figure that is not drawn yet: `draw` returns its axes, and `rows` are the numbers in it."""

    id: str
    number: str
    caption: str
    rows: Sequence[Mapping[str, Any]]
    draw: Callable[[], Axes | Panels]


def labeled(axes: Axes, title: str, y: str) -> Axes:
    """Return axes with the title and the name of the vertical axis in words of the document."""
    from nlgauge.show.plots.canvas import TITLE

    axes.set_title(title, loc="left", fontsize=TITLE)
    axes.set_ylabel(y)
    return axes


@dataclass(frozen=True)
class Verdict:
    """The verdict on a claim, the numbers that decide it, and how they were computed."""

    word: ClaimWord
    numbers: str
    test: str = ""


@dataclass(frozen=True)
class Answer:
    """Results of a step.

    `cells` has the computed values of a printed table by row and column, `calls` the commands that compute them,
    and `verdicts` the verdicts by id of the claim. A table with the id of a printed table replaces it.
    """

    cells: Mapping[str, Mapping[tuple[str, str], Computed]] = field(default_factory=dict)
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    notes: Sequence[str] = ()
    calls: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """A part of a document that is computed and shown on its own.

    Parameters
    ----------
    name : str
        Name for `--part`.
    makes : mapping of str to sequence of str
        Printed tables and figures by id, with the rows that the step computes; no rows stands for all.
    run : callable
        Function of `Settings` that returns an `Answer`.
    seconds : float, optional
        CPU seconds of the step on all inputs.
    inputs : int, optional
        Number of inputs of the benchmark; with `--sample` the time is proportional.
    benchmark : str, optional
        Benchmark that the step reads.
    further_benchmarks : sequence of str, optional
        Further benchmarks that the step reads.
    models : mapping of str to str, optional
        Models of the document with their substitutes ("" if there is none); the step is left out without any.
    further_models : sequence of str, optional
        Models without which a part of the step is not computed.
    packages : sequence of str, optional
        Python packages that the step imports.
    """

    name: str
    makes: Mapping[str, Sequence[str]]
    run: Callable[[Settings], Answer]
    seconds: float = 5.0
    inputs: int = 1
    benchmark: str = ""
    further_benchmarks: Sequence[str] = ()
    models: Mapping[str, str] = field(default_factory=dict)
    further_models: Sequence[str] = ()
    packages: Sequence[str] = ()

    def estimate(self, sample: int | None) -> float:
        """Return the estimated CPU seconds on a sample of inputs."""
        return self.seconds * (1 if sample is None else min(1.0, sample / self.inputs))


@dataclass(frozen=True)
class Claimed:
    """A claim of a document; `step` is the step that tests it, and `why` the reason if there is none."""

    id: str
    section: str
    text: str
    step: str = ""
    why: str = ""


@dataclass(frozen=True)
class Document:
    """A document that can be reproduced; its module has it as DOCUMENT.

    `tables` are the ids of its printed tables and figures. `reasons` has the reason why cells are not computed,
    by id of the table or by "ID/ROW", if no step computes them.
    """

    name: str
    title: str
    tables: Sequence[str]
    steps: Sequence[Step]
    claims: Sequence[Claimed] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def step(self, name: str) -> Step:
        """Return a step by name."""
        steps = {step.name: step for step in self.steps}
        if name not in steps:
            raise UnknownNameError(
                f"{self.name} has no part {name!r}{did_you_mean(name, steps)}; its parts are {', '.join(steps)}."
            )
        return steps[name]
