"""Notes below a table of preferences: the model, what was resampled, and cautions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge.preferences.bounds import why_unbounded
from nlgauge.preferences.elo import ORDERS
from nlgauge.preferences.resamples import RESCUE
from nlgauge.preferences.strengths import Fit
from nlgauge.preferences.verdicts import Verdicts
from nlgauge.results.resampling import FEW_UNITS

_TIES = {"half": "; a tie is half a win for each side", "drop": "; ties are left out"}
_CONTROLS = {
    "length": "Strengths are for predictions of equal length.",
    "position": "The effect of the position is removed.",
}


def remarks(fit: Fit, read: Verdicts, prior: float, elo: bool, grades: float | None) -> tuple[str, ...]:
    """Return the notes; `read` are all verdicts, also ties that the model leaves out."""
    notes = [_model(fit, read), *_graded(read, grades), *_controls(fit), *_letters(fit), *_units(fit)]
    if read.missing:
        lacking = "a verdict" if grades is None else "a verdict or its grade"
        notes.append(f"{counted(read.missing, 'record')} without {lacking} left out.")
    if prior:
        notes.append(
            f"Prior: each system has {counted(prior, 'win', spec='g')} and {counted(prior, 'loss', 'losses', 'g')} in addition, spread over all other"
            " systems."
        )
        notes += _from_prior(fit, prior)
    notes += _resamples(fit)
    if elo:
        notes.append(
            "Elo ratings depend on the order of the comparisons: the table has the mean and the standard"
            f" deviation over {ORDERS} random orders."
        )
    return tuple(notes)


def _model(fit: Fit, read: Verdicts) -> str:
    used, ties = fit.model.verdicts, fit.model.ties
    tied = round(float(read.outcomes[:, 1].sum()))
    model = (
        f"Davidson's model of ties (nu {fit.nu:.2f})"
        if ties == "davidson"
        else f"Bradley-Terry model{_TIES[ties] if tied else ''}"
    )
    places = [] if used.segments is None else [counted(len(np.unique(used.segments)), "segment", spec=",")]
    if used.documents is not None:
        places.append(counted(len(np.unique(used.documents)), "document", spec=","))
    where = f" of {' in '.join(places)}" if places else ""
    ending = "" if fit.replicates is None else f"; intervals resample {used.unit}s"
    return f"{model}: {counted(len(read), 'comparison', spec=',')} ({counted(tied, 'tie', spec=',')}){where}{ending}."


def _graded(read: Verdicts, grades: float | None) -> Iterator[str]:
    """Yield how grades count."""
    if grades is not None:
        highest = "" if read.highest is None else f"; the highest in the records is {read.highest:g}"
        yield (
            f"Grades count in proportion: {grades:g} is a win, {grades / 2:g} three quarters of a win{highest}."
        )
    elif read.highest is not None:
        yield f"Verdicts have grades up to {read.highest:g}, which do not count: only which system is better does."


def _controls(fit: Fit) -> Iterator[str]:
    if fit.model.preset is None:
        yield from (_CONTROLS[name] for name in fit.model.names)
        return
    yield (
        "Rates are for predictions of equal length; each system has its own effect of length. They are fitted by"
        " maximum likelihood, while the published rates of AlpacaEval are regularized and differ."
    )


def _letters(fit: Fit) -> Iterator[str]:
    if fit.replicates is None:
        return
    yield (
        "Systems that share a letter do not differ significantly: all pairs are tested together, p (max-T) at"
        f" most {1 - fit.confidence:.3g}."
    )
    independent, clustered = fit.errors()
    used = np.arange(len(clustered)) != fit.model.baseline
    if fit.model.verdicts.unit != "comparison" and clustered[used].all():
        ratio = float(np.mean(independent[used] / clustered[used]))
        narrow = " and too narrow" if ratio < 0.95 else ""
        yield (
            f"With all comparisons counted as independent, intervals would be {ratio:.2f} times as wide{narrow}."
        )


def _units(fit: Fit) -> Iterator[str]:
    unit, count = fit.model.verdicts.unit, fit.unit_count
    if unit == "comparison":
        yield (
            "The records name no segments (field 'item'), so each comparison is a unit; intervals are too narrow if"
            " comparisons share a segment."
        )
    if count == 1:
        yield f"Intervals and letters need at least two {unit}s, got one."
    elif fit.effective_units < FEW_UNITS - 1e-9 and fit.replicates is not None:
        unequal = " of unequal size" if count >= FEW_UNITS else ""
        needed = " of about equal size" if unequal else ""
        yield (
            f"Caution: intervals from {count} {unit}s{unequal} are rough; {FEW_UNITS} or more{needed} are needed."
        )


def _from_prior(fit: Fit, prior: float) -> Iterator[str]:
    """Yield the strengths that have bounds only because of the prior."""
    design = fit.model.design
    if why := why_unbounded(design, fit.counts - design.prior(prior), fit.model.verdicts.systems):
        yield f"Without the prior: {why}. Its size decides these strengths, and their intervals are too narrow."


def _resamples(fit: Fit) -> Iterator[str]:
    if fit.replicates is None:
        return
    if (fit.model.verdicts.outcomes[:, 1] == 1).all():
        yield "All comparisons are ties, so intervals cannot show how much the systems may differ."
    total = counted(len(fit.replicates.parameters), "resample", spec=",")
    if rescued := fit.replicates.rescued:
        yield (
            f"In {rescued:,} of {total} a system has no finite strength; a prior of {RESCUE:g} was added to them."
        )
    if undefined := int(np.isnan(fit.replicates.parameters[:, 0]).sum()):
        yield f"{undefined:,} of {total} have no maximum of the likelihood and are left out."
