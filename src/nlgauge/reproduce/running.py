"""The documents that can be reproduced, and `run`, which reproduces one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from nlgauge.engine.environment import environment
from nlgauge.errors import UnknownNameError, did_you_mean
from nlgauge.meta.benchmarks.catalog import card
from nlgauge.meta.benchmarks.places import place_of
from nlgauge.models.weights.store import location
from nlgauge.reproduce.printed_tables import names
from nlgauge.reproduce.reproduction import Claim, Figure, Need, Reproduction, Table, checked_directory


@dataclass(frozen=True)
class Settings:
    """Settings of a run. `scores` is the directory of saved scores, if there is one."""

    seed: int
    resamples: int
    scores: Path | None
    say: Callable[[str], None]


@dataclass(frozen=True)
class Answer:
    """Tables, figures and claims that a document's module computes; `drawn` has the content of each figure by its file."""

    tables: list[Table]
    figures: list[Figure]
    claims: list[Claim]
    notes: list[str]
    drawn: Mapping[str, bytes]


@dataclass(frozen=True)
class Document:
    """A document that can be reproduced; `module` has a function `compute(settings)`.

    `models` are the models of the document, each with its substitute ("" if there is none).
    """

    name: str
    title: str
    module: str
    printed: str
    benchmarks: tuple[str, ...]
    models: Mapping[str, str]
    minutes: str

    def needs(self) -> list[Need]:
        """Return the benchmarks and models, and whether they are on this machine."""
        needs = []
        for name in self.benchmarks:
            found = card(name)
            known = place_of(name) is not None
            needs.append(Need("benchmark", name, known, "" if known else f"{found.source}. {found.how}"))
        for name, stand_in in self.models.items():
            known = location(name) is not None
            note = f"run: nlgauge models get {name}" + (f"; {stand_in} is used instead" if stand_in else "")
            needs.append(Need("model", name, known, "" if known else note))
        return needs


_DOCUMENTS = (
    Document(
        "thesis-ch4",
        "NLG-Metricverse thesis, chapter 4: a case study on summaries of Cochrane reviews",
        "nlgauge.reproduce.thesis",
        "thesis",
        ("cdsr_cogito",),
        {"roberta-large": "minilm", "bart-large-cnn": ""},
        "1 CPU minute",
    ),
    Document(
        "infolm",
        "Colombo, Clavel, Piantanida: InfoLM (AAAI 2022)",
        "nlgauge.reproduce.infolm",
        "infolm",
        ("webnlg2020_en",),
        {"bert-base-uncased": ""},
        "1 CPU minute",
    ),
    Document(
        "shannon",
        "Egan, Vasilyev, Bohannon: Play the Shannon Game (AAAI 2022)",
        "nlgauge.reproduce.shannon",
        "shannon",
        ("summeval",),
        {"gpt2": ""},
        "2 CPU minutes",
    ),
    Document(
        "cosmic",
        "Darrin, Formont, Cheung, Piantanida: COSMIC (ACL 2024)",
        "nlgauge.reproduce.cosmic",
        "cosmic",
        (),
        {},
        "some seconds",
    ),
)
_BY_NAME = {document.name: document for document in _DOCUMENTS}


def documents() -> list[str]:
    """Return the names of the documents.

    Returns
    -------
    list of str
        Names for `run`.
    """
    return list(_BY_NAME)


def document(name: str) -> Document:
    """Return a document by name."""
    if name not in _BY_NAME:
        raise UnknownNameError(
            f"unknown document {name!r}{did_you_mean(str(name), _BY_NAME)}; the documents are"
            f" {', '.join(_BY_NAME)}."
        )
    return _BY_NAME[name]


def run(
    name: str,
    output: str | Path | None = None,
    *,
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
    seed : int, default 12345
        Seed of all resamples.
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
        If there is no such document.
    InputError
        If a benchmark is not on this machine, or the directory contains other files.
    """
    wanted = document(name)
    place = None if output is None else checked_directory(output, name)
    started = time.process_time()
    scores = None
    if place is not None:
        scores = place / "scores"
        scores.mkdir(parents=True, exist_ok=True)
    settings = Settings(seed, resamples, scores, say or (lambda _: None))
    answer: Answer = import_module(wanted.module).compute(settings)
    made = {
        "seed": seed,
        "resamples": resamples,
        "cpu_seconds": round(time.process_time() - started, 1),
        **environment(),
    }
    found = Reproduction(
        name,
        wanted.title,
        made,
        wanted.needs(),
        answer.claims,
        answer.tables,
        answer.figures,
        answer.notes,
    )
    if place is not None:
        found.save(place, answer.drawn)
    return found


def plan_lines(name: str) -> list[str]:
    """Return the lines of a plan: tables, data, models and time."""
    wanted = document(name)
    lines = [f"{wanted.title}: {len(names(wanted.printed))} printed tables and figures, {wanted.minutes}"]
    for need in wanted.needs():
        state = "available" if need.available else f"not on this machine. {need.note}"
        lines.append(f"{need.kind:10} {need.name:16} {state}")
    return lines
