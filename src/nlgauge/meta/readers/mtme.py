"""Judgments from files in the layout of mt-metrics-eval.

human-scores/PAIR.NAME.seg.score              one line per system and segment: the system's name and a number,
or None metric-scores/PAIR/METRIC-REFERENCE.seg.score the same; .sys.score has one line per system
documents/PAIR.docs                           one line per segment: domain and document
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError
from nlgauge.meta.findings import listed
from nlgauge.meta.readers.frames import as_number

if TYPE_CHECKING:
    from nlgauge.meta.judgments import Judgments


def from_mtme(
    cls: type[Judgments],
    directory: str | Path,
    language_pairs: str | Sequence[str],
    *,
    human: Sequence[str] | str | None = None,
    metrics: Sequence[str] | str | None = None,
    corpus_scores: bool = False,
    higher_is_better: Mapping[str, bool | None] | None = None,
) -> Judgments:
    """Read judgments from a directory in the layout of mt-metrics-eval.

    Parameters
    ----------
    directory : str or Path
        Directory of one test set, with the files human-scores/PAIR.NAME.seg.score and
        metric-scores/PAIR/METRIC-REF.seg.score.
    language_pairs : str or sequence of str
        Language pairs. Several language pairs become groups.
    human : str or sequence of str, optional
        Names of human scores. Default: all except single ratings (NAME.rating).
    metrics : str or sequence of str, optional
        Metrics. Default: all.
    corpus_scores : bool, default False
        Use the system scores of the files (.sys.score) at the system level, for one language pair.
    higher_is_better : mapping of str to bool or None, optional
        Direction of each metric; None means that the metric has no direction. Default: True.

    Returns
    -------
    Judgments
        Scores of the systems that the human scores name.

    Raises
    ------
    InputError
        If the directory has no human-scores directory.
    """
    root = Path(directory)
    if not (root / "human-scores").is_dir():
        raise InputError(
            f"{str(root)!r} has no directory human-scores; pass the directory of one test set (wmt22, ...) in"
            " the layout of mt-metrics-eval."
        )
    humans, labels = (None if names is None else listed(names) for names in (human, metrics))
    higher = higher_is_better or {}
    if isinstance(language_pairs, str):
        return _pair(cls, root, language_pairs, humans, labels, corpus_scores, higher)
    return cls.joined(
        {pair: _pair(cls, root, pair, humans, labels, False, higher) for pair in language_pairs}
    )


def _pair(
    cls: type[Judgments],
    root: Path,
    pair: str,
    humans: Sequence[str] | None,
    metrics: Sequence[str] | None,
    corpus_scores: bool,
    higher: Mapping[str, bool | None],
) -> Judgments:
    judged = {
        name: _read(path)
        for name, path in _files(root / "human-scores", f"{pair}.", ".seg.score").items()
        if (humans is None or name in humans) and not name.endswith(".rating")
    }
    if not judged or (humans is not None and set(humans) - set(judged)):
        known = ", ".join(_files(root / "human-scores", f"{pair}.", ".seg.score")) or "none"
        raise InputError(f"{str(root)!r} lacks human scores of {pair}; it has {known}.")
    scored = {
        name: _read(path)
        for name, path in _files(root / "metric-scores" / pair, "", ".seg.score").items()
        if metrics is None or name in metrics
    }
    systems = list(
        dict.fromkeys(
            system
            for scores in judged.values()
            for system, values in scores.items()
            if not np.isnan(values).all()
        )
    )
    lengths = {len(values) for scores in (*judged.values(), *scored.values()) for values in scores.values()}
    if len(lengths) != 1:
        raise InputError(
            f"files of {pair} in {str(root)!r} have different numbers of segments:"
            f" {', '.join(map(str, sorted(lengths)))}."
        )
    count = lengths.pop()
    whole = _files(root / "metric-scores" / pair, "", ".sys.score") if corpus_scores else {}
    return cls(
        tuple(systems),
        tuple(range(count)),
        {name: _table(scores, systems, count) for name, scores in judged.items()},
        {name: _table(scores, systems, count) for name, scores in scored.items()},
        {label: direction for label, direction in higher.items() if label in scored},
        system_scores={
            name: _table(_read(path), systems, 1)[:, 0] for name, path in whole.items() if name in scored
        },
    )


def _files(folder: Path, start: str, end: str) -> dict[str, Path]:
    paths = sorted(path for path in folder.glob(f"{start}*{end}")) if folder.is_dir() else []
    return {path.name[len(start) : -len(end)]: path for path in paths}


def _read(path: Path) -> dict[str, Array]:
    """Return the scores of each system, in the order of the lines."""
    found: dict[str, list[float]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        parts = line.split()
        if not parts:
            continue
        if len(parts) < 2:
            raise InputError(
                f"line {number} of {str(path)!r} must be a system and a score, got {line!r:.60}."
            )
        found.setdefault(parts[0], []).append(as_number(parts[1], f"line {number} of {str(path)!r}"))
    return {system: np.array(values) for system, values in found.items()}


def _table(scores: Mapping[str, Array], systems: Sequence[str], count: int) -> Array:
    return np.array([scores.get(system, np.full(count, np.nan)) for system in systems])
