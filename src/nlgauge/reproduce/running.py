"""run: reproduce a document; compute its steps, and save the page."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from nlgauge._core.paths import write_whole
from nlgauge.errors import InputError, ModelError, ParameterError
from nlgauge.models.weights.store import location
from nlgauge.reproduce.planning import document, planned
from nlgauge.reproduce.printed_tables import printed
from nlgauge.reproduce.reproduction import FILE, Claim, Figure, Part, Reproduction, Table, checked_directory
from nlgauge.reproduce.settings import Settings, plain
from nlgauge.reproduce.steps import Answer, Document, Picture
from nlgauge.reproduce.tables import cells_of
from nlgauge.reproduce.verdicts import Computed


def run(
    name: str,
    output: str | Path | None = None,
    *,
    parts: Sequence[str] | None = None,
    sample: int | None = None,
    model: str | None = None,
    data: str | Path | None = None,
    scores: str | Path | None = None,
    force: bool = False,
    seed: int = 12345,
    resamples: int = 1000,
    say: Callable[[str], None] | None = None,
) -> Reproduction:
    """Compute the tables, figures and claims of a document next to print.

    Parameters
    ----------
    name : str
        Name of the document; see `documents`.
    output : str or Path, optional
        Directory for the page, the figures, the numbers and the scores. Scores that it already contains are not computed
        again, so that an interrupted run can be repeated.
    parts : sequence of str, optional
        Steps to compute. Default: all steps that take at most an hour.
    sample : int, optional
        Number of inputs to draw. Default: all.
    model : str, optional
        Model to use in place of the document's model.
    data : str or Path, optional
        File of the benchmark. Default: the installed benchmark.
    scores : str or Path, optional
        Directory of a reproduction; only its scores are used, and nothing is scored.
    force : bool, default False
        Compute steps again whose scores the output already contains.
    seed : int, default 12345
        Seed of the sample and of all resamples.
    resamples : int, default 1000
        Number of resamples of each interval.
    say : callable, optional
        Function that is called with messages about the progress.

    Returns
    -------
    Reproduction
        Tables, figures and claims.

    Raises
    ------
    UnknownNameError
        If there is no such document or part.
    InputError
        If the output contains other files, or `scores` has no reproduction of the document.
    ModelError
        If `model` is not installed.
    """
    wanted = document(name)
    for each in parts or ():
        wanted.step(each)
    if sample is not None and sample < 2:
        raise ParameterError(f"sample must be at least 2, got {sample}.")
    if model is not None and location(model) is None:
        raise ModelError(f"the model {model} is not installed; run: nlgauge models add {model} --from DIR")
    place = None if output is None else checked_directory(output, name)
    log: list[str] = []

    def told(message: str) -> None:
        log.append(message)
        if say is not None:
            say(message)

    settings = Settings(
        seed=seed,
        resamples=resamples,
        sample=sample,
        data=None if data is None else Path(data),
        place=place,
        kept=None if scores is None else Path(scores),
        force=force,
        say=told,
    )
    known = _recorded(wanted, settings)
    answers: list[Answer] = []
    done: list[Part] = []
    for step in wanted.steps:
        part, own = planned(wanted, step, settings, parts, model, known.get(step.name))
        if part.done:
            told(f"{step.name}: {part.makes}")
            answers.append(step.run(own))
            part = msgspec.structs.replace(
                part,
                cpu_seconds=round(own.seconds, 1),
                environment="; ".join(dict.fromkeys(own.environments)),
            )
            settings.notes += [note for note in own.notes if note not in settings.notes]
            told(f"{step.name}: {part.cpu_seconds:.0f} CPU seconds")
        else:
            told(f"{step.name}: left out, {part.why}")
        done.append(part)
    made = _assembled(wanted, answers, done, settings)
    if place is not None:
        figures, drawn, missing = _drawn([picture for answer in answers for picture in answer.pictures])
        made = msgspec.structs.replace(made, figures=figures, notes=[*made.notes, *missing])
        made.save(place, drawn)
        write_whole(place / "log.txt", "\n".join([*log, ""]))
    return made


def _recorded(wanted: Document, settings: Settings) -> dict[str, Part]:
    """Return the steps of the reproduction whose scores are used, by name."""
    place = settings.kept or settings.place
    if place is None or (settings.kept is None and not (place / FILE).is_file()):
        return {}
    found = Reproduction.load(place)
    if found.document != wanted.name:
        raise InputError(f"{place} contains the reproduction of {found.document}, not of {wanted.name}.")
    if settings.kept is None and found.made.get("seed") != settings.seed:
        # Its scores have another sample and other draws, and are not computed again unless they are named.
        return {}
    return {part.name: part for part in found.parts}


def _assembled(
    wanted: Document, answers: Sequence[Answer], parts: Sequence[Part], settings: Settings
) -> Reproduction:
    """Return the tables, claims and notes of all steps."""
    own = {table.id: table for answer in answers for table in answer.tables}
    tables = [
        own.pop(name) if name in own else _printed_table(wanted, name, answers, parts)
        for name in wanted.tables
    ]
    return Reproduction(
        wanted.name,
        wanted.title,
        {"seed": settings.seed, "resamples": settings.resamples},
        list(parts),
        _claims(wanted, answers, parts),
        [*tables, *own.values()],
        [],
        [*wanted.notes, *dict.fromkeys(note for answer in answers for note in answer.notes), *settings.notes],
    )


def _printed_table(wanted: Document, name: str, answers: Sequence[Answer], parts: Sequence[Part]) -> Table:
    table = printed(name)
    computed: dict[tuple[str, str], Computed] = {}
    for answer in answers:
        computed |= answer.cells.get(name, {})
    left = {part.name: part.why for part in parts if not part.done}
    for row in table.names:
        why = wanted.reasons.get(f"{name}/{row}") or wanted.reasons.get(name) or "not part of the run"
        for step in wanted.steps:
            if step.name in left and name in step.makes and (not step.makes[name] or row in step.makes[name]):
                why = left[step.name]
        for column in table.columns:
            computed.setdefault((row, column), Computed(why=why))
    return cells_of(
        table, computed, calls=[call for answer in answers for call in answer.calls.get(name, ())]
    )


def _claims(wanted: Document, answers: Sequence[Answer], parts: Sequence[Part]) -> list[Claim]:
    verdicts = {name: verdict for answer in answers for name, verdict in answer.verdicts.items()}
    left = {part.name: part.why for part in parts if not part.done}
    claims = []
    for claim in wanted.claims:
        verdict = verdicts.get(claim.id)
        if verdict is None:
            why = left.get(claim.step, "") or claim.why or "not computed"
            claims.append(Claim(claim.id, claim.section, claim.text, "not tested", why))
        else:
            claims.append(
                Claim(claim.id, claim.section, claim.text, verdict.word, verdict.numbers, verdict.test)
            )
    return claims


def _drawn(pictures: Sequence[Picture]) -> tuple[list[Figure], dict[str, bytes], list[str]]:
    """Draw figures; return them, their files, and a note if matplotlib is missing."""
    if not pictures:
        return [], {}, []
    if find_spec("matplotlib") is None:
        return (
            [],
            {},
            ['Figures are not drawn: matplotlib is not installed; run: pip install "nlgauge[plot]"'],
        )
    from matplotlib import pyplot

    from nlgauge import plots

    figures, drawn = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for picture in pictures:
            axes = picture.draw()
            path = plots.save(axes, Path(folder) / f"{picture.id}.svg")
            file = f"figures/{picture.id}.svg"
            drawn[file] = path.read_bytes()
            rows: list[dict[str, Any]] = [plain(row) for row in picture.rows]
            figures.append(Figure(picture.id, picture.number, picture.caption, file, plots.alt(axes), rows))
            pyplot.close("all")
    return figures, drawn, []
