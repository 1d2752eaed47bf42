"""Stress tests: does a metric score a good text above the same text made worse, and by how much?

`stress` makes the worse texts (nlgauge.meta.diagnostics.perturbations); `contrast` takes existing pairs, such as
ACES or DEMETR. Both score with `nlgauge.Scorer`, so that any metric can be tested, and count, over the pairs of a
phenomenon:

    detected       wins / n, with Wilson's interval; a metric of random numbers has .5, a constant one 0. Pairs of one
                   text are alike, so the interval counts them by text (`wilson_of_groups`)
    tied           ties / n
    tau            (wins - losses) / n
    effect         mean drop / standard deviation of the drops
    relative_drop  mean drop / (mean of the good texts - mean of floor texts): 1 is as bad as an unrelated (or an empty) text
    separation     the chance that a good text scores above a bad one of any pair, ties counted half (the area under the curve)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.diagnostics.perturbations import chosen, perturbation
from nlgauge.meta.findings import Findings, made
from nlgauge.results.labels import output_names
from nlgauge.results.result import Result
from nlgauge.scoring import Scorer
from nlgauge.stats.arrays import mid_ranks
from nlgauge.stats.intervals import wilson_of_groups

Floor = Literal["unrelated", "empty"]
# Scores that differ by less than this share are equal: the same sums in another order.
_ROUNDING = 1e-9
# Weight of each phenomenon of ACES in its score.
ACES_WEIGHTS = {
    "addition": 5.0,
    "omission": 5.0,
    "mistranslation": 5.0,
    "overtranslation": 5.0,
    "undertranslation": 5.0,
    "untranslated": 1.0,
    "do-not-translate": 1.0,
    "real-world-knowledge": 1.0,
    "wrong-language": 1.0,
    "punctuation": 0.1,
}


class Contrast(NamedTuple):
    """A pair of a contrastive set: a good text and a bad text with one kind of error.

    Parameters
    ----------
    good : str
        Good text.
    bad : str
        Bad text.
    phenomenon : str
        Kind of error.
    severity : str, optional
        Severity of the error.
    references : str or sequence of str, optional
        References, if the metrics need them.
    source : str, optional
        Source, if the metrics need it.
    unit : str, optional
        Name of the good text, for intervals of several pairs of one text. Default: each pair has another text.
    """

    good: str
    bad: str
    phenomenon: str
    severity: str = ""
    references: str | Sequence[str] | None = None
    source: str | None = None
    unit: str = ""


def stress(
    metrics: Any,
    texts: Sequence[str],
    references: Sequence[Any] | None = None,
    sources: Sequence[str] | None = None,
    perturbations: str | Iterable[str] | None = None,
    *,
    by: str | Sequence[str] = ("phenomenon", "severity"),
    floor: Floor = "unrelated",
    confidence: float = 0.95,
    seed: int = 12345,
    lang: str | None = None,
) -> Findings:
    """Test whether metrics detect perturbations that make texts worse.

    Parameters
    ----------
    metrics : str, metric, mapping or iterable of these
        Names with or without parameters ("bleu", "chrf(word_order=2)"), metric objects, or mappings with the keys "path"
        (name), "resulting_name" (label) and "compute_kwargs".
    texts : sequence of str
        N good outputs, one per segment.
    references : sequence, optional
        N items, one per segment: a text or a list of texts. `references[i]` belongs to `predictions[i]`.
    sources : sequence of str, optional
        N source texts, one per segment.
    perturbations : str or iterable of str, optional
        Names in `nlgauge.meta.PERTURBATIONS`. Default: all; without sources, all that need no sources.
    by : str or sequence of str
        Columns that group the pairs: "phenomenon", "severity" or both.
    floor : {"unrelated", "empty"}
        Text that defines the floor of `relative_drop`.
    confidence : float, default 0.95
        Confidence of the intervals.
    seed : int, default 12345
        Seed of the perturbations.
    lang : str, optional
        ISO language code, used for tokenizers, sentence splitters and default models.

    Returns
    -------
    Findings
        One row per metric and perturbation. Columns: `detected` (wins / n, with Wilson's interval), `tied`, `tau`
        ((wins - losses) / n), `effect` (mean drop / standard deviation of the drops), `relative_drop` (mean drop / difference
        of the means of good texts and floor texts) and `separation` (chance that a good text scores above a bad text of any
        pair, ties counted half). Texts that cannot be changed are counted in `n_unchanged` and excluded.
    """
    texts = _texts(texts)
    kinds = chosen(perturbations, sources is not None)
    bad = {one.name: one(texts, sources, seed) for one in kinds}
    systems = {name: [one.text for one in found] for name, found in bad.items()}
    systems |= {"good text": texts, "floor text": _floor_texts(texts, floor, seed)}
    scores = _scores(Scorer(metrics)(systems, references, sources, lang=lang, seed=seed))
    rows = []
    for metric, of in scores.items():
        for kinds_of in _grouped([(one.name, one.severity) for one in kinds], by):
            counted = [
                _Pairs(
                    of["good text"],
                    of[kinds[i].name],
                    np.array([one.changed for one in bad[kinds[i].name]]),
                    np.arange(len(texts)),
                )
                for i in kinds_of[1]
            ]
            rows.append(
                {
                    "metric": metric,
                    **kinds_of[0],
                    **_report(_Pairs.joined(counted), of["floor text"], confidence),
                }
            )
    return Findings(
        rows, _made(floor, seed, confidence, metrics=", ".join(scores)), "Stress test", drawn_as="stress"
    )


def contrast(
    metrics: Any,
    pairs: Iterable[Contrast | Sequence[Any] | Mapping[str, Any]],
    *,
    by: str | Sequence[str] | Sequence[Sequence[str]] = ("phenomenon", "severity"),
    floor: Floor = "unrelated",
    confidence: float = 0.95,
    seed: int = 12345,
    lang: str | None = None,
) -> Findings:
    """Test whether metrics score the good text of each pair above the bad text.

    Parameters
    ----------
    metrics : str, metric, mapping or iterable of these
        Names with or without parameters ("bleu", "chrf(word_order=2)"), metric objects, or mappings with the keys "path"
        (name), "resulting_name" (label) and "compute_kwargs".
    pairs : iterable of Contrast, sequence or mapping
        Contrastive pairs. Either all or none have references, and either all or none have a source.
    by : str, sequence of str, or sequence of these
        Columns that group the pairs: "phenomenon", "severity" or both. Several groupings, such as `[["severity"],
        ["phenomenon", "severity"]]`, have the rows of each.
    floor : {"unrelated", "empty"}
        Text that defines the floor of `relative_drop`.
    confidence : float, default 0.95
        Confidence of the intervals.
    seed : int, default 12345
        Seed of the floor texts and of the run.
    lang : str, optional
        ISO language code, used for tokenizers, sentence splitters and default models.

    Returns
    -------
    Findings
        One row per metric, phenomenon and severity, with the columns of `stress`.

    Raises
    ------
    InputError
        If only some pairs have references or a source.
    """
    given = [_contrast(pair, number) for number, pair in enumerate(pairs)]
    good = _texts([pair.good for pair in given])
    systems = {"good": good, "bad": [pair.bad for pair in given], "floor": _floor_texts(good, floor, seed)}
    references, sources = ([getattr(pair, name) for pair in given] for name in ("references", "source"))
    for name, values in (("references", references), ("source", sources)):
        if None in values and any(value is not None for value in values):
            raise InputError(
                f"pair {values.index(None)} has no {name}, and other pairs have; pass {name} for every pair or"
                " for none."
            )
    several = (
        None if None in references else [[one] if isinstance(one, str) else list(one) for one in references]
    )
    scores = _scores(
        Scorer(metrics)(systems, several, None if None in sources else sources, lang=lang, seed=seed)
    )
    plain = isinstance(by, str) or all(isinstance(name, str) for name in by)
    groupings: Any = [by] if plain else by
    changed = np.array([pair.good != pair.bad for pair in given])
    units = np.unique([pair.unit or f"\0{i}" for i, pair in enumerate(given)], return_inverse=True)[1]
    rows = [
        {
            "metric": metric,
            **names,
            **_report(_Pairs.of(of, changed, units, places), of["floor"][places], confidence),
        }
        for metric, of in scores.items()
        for grouping in groupings
        for names, places in _grouped([(pair.phenomenon, pair.severity) for pair in given], grouping)
    ]
    return Findings(
        rows,
        _made(floor, seed, confidence, metrics=", ".join(scores)),
        "Contrastive pairs",
        drawn_as="stress",
    )


def aces_score(taus: Mapping[str, float]) -> float:
    """Return the ACES score of a metric: the weighted sum of its taus on ten phenomena.

    Parameters
    ----------
    taus : mapping of str to float
        Tau of each phenomenon.

    Returns
    -------
    float
        ACES score; NaN if a tau is NaN.

    Raises
    ------
    InputError
        If a phenomenon is missing.

    Examples
    --------
    >>> aces_score(dict.fromkeys(ACES_WEIGHTS, 1.0))
    29.1
    """
    if missing := [name for name in ACES_WEIGHTS if name not in taus]:
        raise InputError(
            f"the ACES score needs tau for {', '.join(ACES_WEIGHTS)}; {', '.join(missing)} is missing."
        )
    return math.fsum(weight * taus[name] for name, weight in ACES_WEIGHTS.items())


class _Pairs(NamedTuple):
    """The scores of good and of bad texts, higher is better, True for pairs whose texts differ, and the number of each
    good text.
    """

    good: Array
    bad: Array
    changed: Array
    units: Array

    @staticmethod
    def of(scores: Mapping[str, Array], changed: Array, units: Array, places: list[int]) -> _Pairs:
        """Return the pairs at these places."""
        return _Pairs(scores["good"][places], scores["bad"][places], changed[places], units[places])

    @staticmethod
    def joined(several: Sequence[_Pairs]) -> _Pairs:
        return _Pairs(*(np.concatenate(values) for values in zip(*several, strict=True)))


def _report(pairs: _Pairs, floor: Array, confidence: float) -> dict[str, Any]:
    known = pairs.changed & ~np.isnan(pairs.good) & ~np.isnan(pairs.bad)
    good, bad = pairs.good[known], pairs.bad[known]
    with np.errstate(invalid="ignore"):
        drop = np.where(good == bad, 0.0, good - bad)
    drop[np.abs(drop) <= _ROUNDING * np.maximum(np.abs(good), np.abs(bad))] = 0.0
    n, wins, ties = len(drop), int((drop > 0).sum()), int((drop == 0).sum())
    low, high = wilson_of_groups(drop > 0, pairs.units[known], confidence)
    at_floor = floor[~np.isnan(floor)]
    counts = {
        "n": n,
        "n_unchanged": int((~pairs.changed).sum()),
        "n_undefined": int((pairs.changed & ~known).sum()),
    }
    if not n:
        nothing = dict.fromkeys(
            ("detected", "low", "high", "tied", "tau", "drop", "effect", "relative_drop", "separation"),
            math.nan,
        )
        return {**counts, "wins": 0, "ties": 0, "losses": 0, **nothing}
    mean = float(drop.mean())
    spread = float(drop.std(ddof=1)) if n > 1 else math.nan
    whole = float(good.mean() - at_floor.mean()) if len(at_floor) else math.nan
    ranks = mid_ranks(np.concatenate([good, bad]))
    return {
        **counts,
        "wins": wins,
        "ties": ties,
        "losses": n - wins - ties,
        "detected": wins / n,
        "low": low,
        "high": high,
        "tied": ties / n,
        "tau": (2 * wins + ties - n) / n,
        "drop": mean,
        "effect": mean / spread if spread > 0 else math.nan,
        "relative_drop": mean / whole if whole > 0 else math.nan,
        "separation": float((ranks[:n].sum() - n * (n + 1) / 2) / (n * n)),
    }


def _scores(result: Result) -> dict[str, dict[str, Array]]:
    """Return the segment scores of each system by metric (the first output of each part), oriented so that
    higher is better.
    """
    names = output_names(result)
    found: dict[str, dict[str, Array]] = {}
    for label in result.labels:
        tables = {system: result._tables[system, label] for system in result.systems}
        first = tables[result.systems[0]]
        for output in first.leading():
            if output.higher_is_better is None or output.name not in first.segments():
                lack = "a direction" if output.name in first.segments() else "scores of segments"
                raise ParameterError(f"a stress test needs metrics with {lack}; {label} has none.")
            sign = 1 if output.higher_is_better else -1
            found[names[label, output.name]] = {
                system: sign * np.asarray(table.segments()[output.name], float)
                for system, table in tables.items()
            }
    return found


def _grouped(
    kinds: Sequence[tuple[str, str]], by: str | Sequence[str]
) -> list[tuple[dict[str, str], list[int]]]:
    """Return the places of entries with the same phenomenon, severity or both, in order of first appearance."""
    columns = [by] if isinstance(by, str) else list(by)
    if strange := [name for name in columns if name not in ("phenomenon", "severity")]:
        raise ParameterError(f"by must name 'phenomenon', 'severity' or both, got {strange[0]!r}.")
    groups: dict[tuple[str, ...], list[int]] = {}
    for place, (phenomenon, severity) in enumerate(kinds):
        of = {"phenomenon": phenomenon, "severity": severity}
        groups.setdefault(tuple(of[name] for name in columns), []).append(place)
    return [(dict(zip(columns, values, strict=True)), places) for values, places in groups.items()]


def _floor_texts(texts: Sequence[str], floor: Floor, seed: int) -> list[str]:
    if floor not in get_args(Floor):
        raise ParameterError(f"floor must be 'unrelated' or 'empty', got {floor!r}.")
    return [
        one.text
        for one in perturbation("wrong_document" if floor == "unrelated" else "empty")(texts, None, seed)
    ]


def _texts(texts: Sequence[str]) -> list[str]:
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise InputError("texts must be a list of texts, one per segment.")
    if not texts:
        raise InputError("a stress test needs at least one text, got none.")
    return list(texts)


def _contrast(pair: Contrast | Sequence[Any] | Mapping[str, Any], number: int) -> Contrast:
    try:
        found = Contrast(**pair) if isinstance(pair, Mapping) else Contrast(*pair)
    except TypeError as error:
        raise InputError(
            f"pair {number} must have good, bad, phenomenon, and may have severity, references, source:"
            f" {error}."
        ) from None
    if not (isinstance(found.good, str) and isinstance(found.bad, str)):
        raise InputError(
            f"pair {number} must have texts as good and bad, got {found.good!r:.40} and {found.bad!r:.40}."
        )
    return found


def _made(floor: Floor, seed: int, confidence: float, metrics: str) -> dict[str, Any]:
    return made(
        metrics=metrics,
        floor=floor,
        interval="Wilson, by text",
        confidence=confidence,
        seed=seed,
        generalizes_to="inputs",
    )
