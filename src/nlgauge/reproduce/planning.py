"""Plans: what each step of a document needs, and whether it is computed or left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec

import msgspec

from nlgauge._core.numbers import counted
from nlgauge.errors import UnknownNameError, did_you_mean
from nlgauge.meta.benchmarks.catalog import card
from nlgauge.meta.benchmarks.places import place_of
from nlgauge.models.weights.store import location
from nlgauge.reproduce.printed_tables import names, printed
from nlgauge.reproduce.reproduction import Part
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Document, Step

# Steps that take longer are left out, unless they are named or shortened by a sample.
LONGEST = 3600
_MODULES = {
    "thesis-ch4": "nlgauge.reproduce.thesis.document",
    "infolm": "nlgauge.reproduce.infolm.document",
    "shannon": "nlgauge.reproduce.shannon.document",
    "cosmic": "nlgauge.reproduce.cosmic.document",
}


def documents() -> list[str]:
    """Return the names of the documents.

    Returns
    -------
    list of str
        Names for `run`.
    """
    return list(_MODULES)


def document(name: str) -> Document:
    """Return a document by name."""
    if name not in _MODULES:
        raise UnknownNameError(
            f"unknown document {name!r}{did_you_mean(str(name), _MODULES)}; the documents are"
            f" {', '.join(_MODULES)}."
        )
    known: Document = import_module(_MODULES[name]).DOCUMENT
    return known


def planned(
    wanted: Document,
    step: Step,
    settings: Settings,
    parts: Sequence[str] | None,
    model: str | None,
    known: Part | None,
) -> tuple[Part, Settings]:
    """Return a step as it will be run or left out, with its settings."""
    used, lacking = _models(step, model)
    why, command = lacking if lacking[0] else _lacking(step, settings)
    if not why and parts and step.name not in parts:
        why, command = "not asked for", _command(wanted, step)
    elif not why and not parts and step.estimate(settings.sample) > LONGEST:
        why, command = f"cost: about {duration(step.estimate(settings.sample))}", _command(wanted, step)
    own = replace(settings, step=step.name, models=used, notes=[], environments=[], seconds=0.0)
    part = Part(
        step.name,
        made_by(step),
        not why,
        why,
        command,
        step.benchmark,
        settings.sample if step.benchmark else None,
        step.inputs if step.benchmark else None,
        used,
    )
    if settings.kept is not None and known is None:
        return msgspec.structs.replace(
            part, done=False, why="not asked for", command=_command(wanted, step)
        ), own
    reusable = known is not None and known.done and why and not why.startswith("data")
    if known is not None and (settings.kept is not None or reusable):
        # The scores of an earlier run are used with its settings.
        return known, replace(own, sample=known.sample, models=known.models, force=False)
    return part, own


def _command(wanted: Document, step: Step) -> str:
    return f"nlgauge reproduce {wanted.name} -o DIR --part {step.name}"


def _models(step: Step, model: str | None) -> tuple[dict[str, str], tuple[str, str]]:
    """Return the models that are used by model of the document, and the reason and command if one is missing."""
    used: dict[str, str] = {}
    for place, (wanted, stand_in) in enumerate(step.models.items()):
        choices = [model] if model is not None and place == 0 else [wanted, *filter(None, [stand_in])]
        installed = next((choice for choice in choices if location(choice) is not None), None)
        if installed is None:
            return used, (f"weights: {wanted} is not installed", f"nlgauge models add {wanted} --from DIR")
        used[wanted] = installed
    return used | {name: name for name in step.further_models if location(name) is not None}, ("", "")


def _installed(benchmark: str) -> bool:
    return benchmark == "sample" or place_of(benchmark) is not None


def _benchmarks(step: Step) -> list[str]:
    return [name for name in (step.benchmark, *step.further_benchmarks) if name]


def _lacking(step: Step, settings: Settings) -> tuple[str, str]:
    given = () if settings.data is None else (step.benchmark,)
    for benchmark in _benchmarks(step):
        if benchmark not in given and not _installed(benchmark):
            return f"data: {benchmark} is not installed", card(benchmark).how
    for package in step.packages:
        if find_spec(package) is None:
            return f"package: {package} is not installed", f"pip install {package}"
    return "", ""


def duration(seconds: float) -> str:
    """Return CPU seconds in words.

    >>> duration(20), duration(600), duration(40000)
    ('20 CPU s', '10 CPU min', '11 CPU h')
    """
    for limit, size, unit in ((90, 1, "s"), (5400, 60, "min")):
        if seconds <= limit:
            return f"{seconds / size:.0f} CPU {unit}"
    return f"{seconds / 3600:.2g} CPU h"


def made_by(step: Step) -> str:
    """Return the tables and figures of a step in words."""
    makes = []
    for name, rows in step.makes.items():
        number = printed(name).number if name in names() else name
        makes.append(f"{number} ({counted(len(rows), 'row')})" if rows else number)
    return ", ".join(makes)


def plan_lines(
    name: str, parts: Sequence[str] | None = None, sample: int | None = None, model: str | None = None
) -> list[str]:
    """Return the lines of a plan: data, models, steps with their time."""
    wanted = document(name)
    tables = [printed(table).number for table in wanted.tables]
    figures = sum(number.startswith("Figure") for number in tables)
    lines = [
        f"{wanted.title}: {counted(len(tables) - figures, 'printed table')}, {counted(figures, 'figure')}, {counted(len(wanted.claims), 'claim')}"
    ]
    for benchmark in dict.fromkeys(name for step in wanted.steps for name in _benchmarks(step)):
        found = card(benchmark)
        state = "installed" if _installed(benchmark) else f"not installed. {found.source}. {found.how}"
        lines.append(f"  data     {benchmark:18} {state}")
    for paper, stand_in in _all_models(wanted).items():
        state = "installed"
        if location(paper) is None:
            state = f"not installed; run: nlgauge models add {paper} --from DIR"
            state += f"; {stand_in} is used instead" if stand_in and location(stand_in) else ""
        lines.append(f"  model    {paper:18} {state}")
    for step in wanted.steps:
        part, _ = planned(wanted, step, Settings(sample=sample), parts, model, None)
        time = duration(step.estimate(sample))
        lines.append(f"  step     {step.name:12} {part.makes:44} about {time}{_state(wanted, step, part)}")
    lines.append(f"Run: nlgauge reproduce {name} -o {name}/")
    return lines


def _all_models(wanted: Document) -> dict[str, str]:
    models: dict[str, str] = {}
    for step in wanted.steps:
        models |= dict(step.models) | dict.fromkeys(step.further_models, "")
    return models


def _state(wanted: Document, step: Step, part: Part) -> str:
    if part.done:
        return ""
    if not part.why.startswith("cost"):
        return f"; left out, {part.why}"
    few = max(2, round(step.inputs * LONGEST / step.seconds / 2)) if step.inputs > 1 else 0
    shorter = f", or --sample {few}: {duration(step.estimate(few))}" if few else ""
    return f"; left out without --part {step.name}{shorter}"
