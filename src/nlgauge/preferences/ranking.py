"""rank: strengths of systems from verdicts on pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nlgauge._core.defaults import SEED
from nlgauge._core.numbers import counted
from nlgauge._core.versions import installed_version
from nlgauge.errors import ParameterError, no_such
from nlgauge.preferences import alpaca
from nlgauge.preferences.design import LENGTHS, checked_control
from nlgauge.preferences.model import TIES, fit, model_of
from nlgauge.preferences.reading import read_records
from nlgauge.preferences.remarks import remarks
from nlgauge.preferences.resamples import resampled
from nlgauge.preferences.scored import of_result
from nlgauge.preferences.strengths import Fit, effects_of, matrix_of, rows_of
from nlgauge.preferences.table import Preferences
from nlgauge.preferences.verdicts import Verdicts
from nlgauge.stats.intervals import check_confidence
from nlgauge.stats.resampling import check_resampling

if TYPE_CHECKING:
    from nlgauge.results.result import Result


def rank(
    records: Any | Result,
    *,
    metric: str | None = None,
    tie: float = 0.0,
    ties: str | None = None,
    control: str | Sequence[str] = (),
    length: str = "log",
    documents: str | None = None,
    verdict: str | None = None,
    grades: float | None = None,
    baseline: str | None = None,
    prior: float = 0.0,
    elo: bool = False,
    preset: str | None = None,
    difficulty: Mapping[Any, float] | None = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = SEED,
) -> Preferences:
    """Rank systems from verdicts on pairs of their predictions.

    Parameters
    ----------
    records : sequence of mapping, data frame or Result
        N verdicts with the fields `first` and `second` (systems), `winner` ("first", "second", "tie" or a system), and
        `item` (the segment); optionally `doc`, and lengths (`first_length`, `second_length`) or texts (`first_text`,
        `second_text`). Instead of `winner`, `win` is the probability that the first wins. The fields of Arena
        (`model_a`, `model_b`) and AlpacaEval (`generator_1`, `generator_2`, `preference`) are read, too, and pairs
        with `grade` or winners with `strength` (see `grades`). A null verdict is left out and counted.
    metric : str, optional
        Metric of a Result: the better score of a segment wins.
    tie : float, default 0
        Scores of `metric` that differ by less than this margin are a tie.
    ties : {"davidson", "half", "drop"}, optional
        Model of ties: Davidson's model, half a win for each side, or left out. Default: "davidson" if ties occur and all
        verdicts are decisions, "half" if verdicts are probabilities.
    control : str or sequence of str, optional
        Covariates: "length" of the predictions and "position" (which system was shown first). Strengths are then for
        predictions of equal length, in no position.
    length : {"log", "tanh"}
        Form of the length: logarithm of the ratio, or tanh of the difference in standard deviations as in AlpacaEval.
    documents : str, optional
        Field with the document of each verdict. Default: `doc` or `document` if the records have it. "item" resamples
        segments.
    verdict : str, optional
        Field with the verdicts, such as "human.overall" of a benchmark. If it has numbers, they are grades: above 0 the
        second system is better. Default: `winner`, `win`, `preference` or `grade`.
    grades : float, optional
        Highest grade G of the scale: a grade g for the first system counts as (1 + g / G) / 2 of a win. Grades are the
        numbers of `grade`, or `strength` of winners. Default: only which system is better counts.
    baseline : str, optional
        System whose strength is 0. Default: the strengths add up to 0.
    prior : float, default 0
        Number of wins and of losses that each system gets in addition, spread over all other systems.
    elo : bool, default False
        Add Elo ratings: the mean over 100 random orders.
    preset : {"alpaca_eval"}, optional
        Model of AlpacaEval 2: each system has its own effect of length (and difficulty) against one baseline.
    difficulty : mapping, optional
        Difficulty of each segment (instruction), only for the preset.
    confidence : float, default 0.95
        Confidence of the intervals.
    resamples : int, default 1000
        Number of resamples B; 0 computes no intervals and no letters.
    seed : int, optional
        Seed of the resamples and of the orders.

    Returns
    -------
    Preferences
        Strengths with intervals, win rates, letters and ranges of ranks.

    Raises
    ------
    InputError
        If records cannot be read, or if the verdicts do not determine the strengths: a system that won all of its
        comparisons has no finite strength without a prior.
    ParameterError
        If an argument is outside its domain.

    Notes
    -----
    The probability that i beats j is 1 / (1 + exp(t_j - t_i)) (Bradley and Terry). In Davidson's model a win of i, a
    tie and a win of j have weights exp(t_i), nu exp((t_i + t_j) / 2) and exp(t_j). Intervals resample documents or
    segments with all of their comparisons. Letters compare all pairs together by max-T.

    Examples
    --------
    >>> games = [{"item": i, "first": "A", "second": "B", "winner": "A" if i % 4 else "B"} for i in range(40)]
    >>> ranked = rank(games, baseline="B", resamples=200)
    >>> round(ranked.strengths["A"], 3), ranked.letters
    (1.099, {'A': 'a', 'B': 'b'})
    """
    _check(ties, length, tie, prior, preset, difficulty)
    if grades is not None and (not _is_from_zero(grades) or grades == 0):
        raise ParameterError(f"grades must be a number above 0, got {grades!r:.60}.")
    check_confidence(confidence)
    check_resampling(resamples, seed, 0)
    verdicts = _read(records, metric, tie, documents, verdict, grades)
    model = model_of(verdicts, ties, checked_control(control), length, baseline, preset, difficulty)
    parameters, counts = fit(model, prior)
    units = np.unique(model.verdicts.units, return_inverse=True)[1].reshape(-1)
    replicates = (
        resampled(model.design, units, parameters, model.design.prior(prior), resamples, seed)
        if resamples and units.max() > 0
        else None
    )
    result = Fit(model, parameters, counts, units, replicates, confidence)
    rows, p, order = rows_of(result, seed if elo else None)
    return Preferences(
        rows,
        matrix_of(result)[np.ix_(order, order)],
        p[np.ix_(order, order)],
        effects_of(result),
        result.nu,
        None if model.baseline is None else verdicts.systems[model.baseline],
        _made(result, resamples, seed, prior, grades),
        remarks(result, verdicts, prior, elo, grades),
    )


def _check(
    ties: str | None, length: str, tie: float, prior: float, preset: str | None, difficulty: object
) -> None:
    if ties is not None and ties not in TIES:
        raise ParameterError(no_such("ties", ties, TIES))
    if length not in LENGTHS:
        raise ParameterError(no_such("length", length, LENGTHS))
    if preset not in (None, alpaca.PRESET):
        raise ParameterError(no_such("preset", preset, [alpaca.PRESET]))
    for name, value in (("tie", tie), ("prior", prior)):
        if not _is_from_zero(value):
            raise ParameterError(f"{name} must be a number from 0, got {value!r:.60}.")
    if difficulty is not None and preset is None:
        raise ParameterError("difficulty is only for preset 'alpaca_eval'.")


def _is_from_zero(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf


def _read(
    records: Any,
    metric: str | None,
    tie: float,
    documents: str | None,
    verdict: str | None,
    grades: float | None,
) -> Verdicts:
    from nlgauge.results.result import Result

    if isinstance(records, Result):
        if metric is None:
            raise ParameterError(
                "a result needs a metric whose scores decide",
                python=f"pass metric={records.labels[0]!r}",
                cli=f"use --from {records.labels[0]}",
            )
        if documents is not None:
            raise ParameterError("the documents of a result are in its corpus; leave documents out.")
        if verdict is not None or grades is not None:
            raise ParameterError(
                "the scores of a result have no grades",
                python="leave verdict and grades out",
                cli="leave --verdict and --grades out",
            )
        return of_result(records, metric, tie)
    if metric is not None or tie:
        raise ParameterError(
            "only a result has a metric and a margin of ties",
            python="leave metric and tie out, or pass a Result",
            cli="leave out --from and --tie, or name the directory of a saved result",
        )
    return read_records(records, documents, verdict, grades)


def _made(result: Fit, resamples: int, seed: int, prior: float, grades: float | None) -> dict[str, Any]:
    """Return the settings of the analysis as plain values."""
    model = result.model
    settings = {
        "ties": model.ties,
        "control": ", ".join(model.names) or None,
        "preset": model.preset,
        "prior": prior or None,
        "grades": grades,
        "comparisons": len(model.verdicts),
        "units": counted(result.unit_count, model.verdicts.unit),
        "confidence": result.confidence,
        "resamples": resamples,
        "seed": seed,
        "versions": f"nlgauge {installed_version('nlgauge')}",
    }
    return {name: value for name, value in settings.items() if value is not None}
