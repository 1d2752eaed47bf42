"""Settings of a step, which keep its numbers without texts, so that a repeated run reads them.

settings.keep(name, compute)      plain numbers of `compute`
settings.judged(benchmark, ...)   scores of metrics next to human scores
"""

from __future__ import annotations

import gzip
import hashlib
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from nlgauge._core.paths import write_whole
from nlgauge.engine.environment import environment
from nlgauge.errors import InputError
from nlgauge.meta.benchmarks import Benchmark, load
from nlgauge.meta.benchmarks.catalog import card
from nlgauge.meta.judgments import Judgments
from nlgauge.meta.readers.results import seconds_per_thousand

# Digest of the texts and human scores on which the documents were checked, by benchmark.
CHECKED = {
    "cdsr_cogito": "aae41d7b9f00205fbae77b0513b9996d263595749c4bfeae774fab23ec071079",
    "realsumm": "4c91cf543a01d576eae13c193f477f49e240b20da2bb1a38c8511e3467b81048",
    "summeval": "4bbeef94b923a76c3200d5593c223853fa64a33d7515409b1afff2ff80f52d76",
    "webnlg2020_en": "2c72b69ef32c5d1d36f64ddeda2f8c2058c7b661e9f46c979c9a8abf818cb8df",
}
# Remark on the CPU seconds of a resumed step.
_RESUMED = " (resumed: without the CPU seconds of earlier processes)"
_DIGITS = 6
_ENVIRONMENT = ("nlgauge", "python", "machine", "processor", "numpy", "torch", "transformers")


@dataclass
class Settings:
    """Settings of one step of a run, and the numbers that it keeps.

    `sample` is the number of inputs (None: all), `models` the models that are used by the document's model,
    `data` a file to read instead of the installed benchmark, `place` the directory of the reproduction, and
    `kept` a reproduction whose numbers are read and never computed.
    """

    seed: int = 12345
    resamples: int = 1000
    sample: int | None = None
    models: Mapping[str, str] = field(default_factory=dict)
    data: Path | None = None
    place: Path | None = None
    kept: Path | None = None
    force: bool = False
    say: Callable[[str], None] = lambda _: None
    step: str = ""
    seconds: float = 0.0
    environments: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def benchmark(self, name: str) -> Benchmark:
        """Return a benchmark, or a sample of its inputs; a file other than the checked file is noted."""
        benchmark = load(name) if self.data is None else load(self.data)
        if benchmark.name != name:
            # The file is of another benchmark of the document, or has no name.
            benchmark = load(name) if benchmark.name in CHECKED else replace(benchmark, card=card(name))
        if digest(benchmark) != CHECKED.get(name, digest(benchmark)):
            note = f"{name} has other texts or ratings than the file on which this reproduction was checked."
            if note not in self.notes:
                self.notes.append(note)
                self.say(f"warning: {note}")
        return benchmark if self.sample is None else benchmark.sample(self.sample, self.seed)

    def model(self, wanted: str) -> tuple[str, str]:
        """Return the model that is used for a model of the document, and a remark if another model is used."""
        used = self.models[wanted]
        return used, "" if used == wanted else f"{used} for {wanted}"

    def keep(self, name: str, compute: Callable[[], Any], digits: int = _DIGITS, **asked: Any) -> Any:
        """Return the numbers of `compute` as plain data, rounded to significant digits.

        They are saved, and read again if the settings in `asked` are the same. NaN is saved as None.
        """
        asked = {**asked, "seed": self.seed, "sample": self.sample, "models": dict(self.models)}
        stored = None if self.force else self._stored(name)
        if stored is None or stored["asked"] != plain(asked):
            if self.kept is not None:
                raise InputError(
                    f"{self.kept} has no scores of {self.step}/{name} with these settings",
                    python="leave out scores to compute them",
                    cli="leave out --scores to compute them",
                )
            unfinished = self._unfinished(name)
            is_resumed = unfinished is not None and unfinished.exists()
            started = time.process_time()
            numbers = plain(compute(), digits)
            stored = {
                "asked": plain(asked),
                "cpu_seconds": round(time.process_time() - started, 1),
                "environment": _environment() + (_RESUMED if is_resumed else ""),
                "numbers": numbers,
            }
            if self.place is not None:
                file = self._file(self.place, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                write_whole(file, gzip.compress(msgspec.json.encode(stored), mtime=0))
        self.seconds += stored["cpu_seconds"]
        self.environments.append(stored["environment"])
        return stored["numbers"]

    def _file(self, place: Path, name: str) -> Path:
        return place / "scores" / self.step / f"{name}.json.gz"

    def _unfinished(self, name: str) -> Path | None:
        """Return the directory from which an interrupted scoring is resumed."""
        return None if self.place is None else self.place / "unfinished" / f"{self.step}-{name}"

    def _stored(self, name: str) -> Any:
        place = self.kept or self.place
        if place is None or not (file := self._file(place, name)).is_file():
            return None
        try:
            return msgspec.json.decode(gzip.decompress(file.read_bytes()))
        except (OSError, EOFError, msgspec.DecodeError) as error:
            raise InputError(f"{file} is damaged ({error}); remove it, and it is computed again.") from None

    def judged(self, benchmark: Benchmark, *metrics: Any, name: str, **options: Any) -> Judgments:
        """Return human scores and the kept scores of metrics; see `scored`."""
        return self.scored(benchmark, *metrics, name=name, **options)[0]

    def scored(
        self, benchmark: Benchmark, *metrics: Any, name: str, digits: int = _DIGITS, cache: bool = True
    ) -> tuple[Judgments, dict[str, float]]:
        """Return human scores and the kept scores of metrics with all outputs, and CPU seconds per 1000 texts by
        metric.

        An interrupted scoring is resumed from the directory `unfinished`.
        """
        work = self._unfinished(name)

        def compute() -> dict[str, Any]:
            if work is not None:
                work.parent.mkdir(parents=True, exist_ok=True)
            started, cpu = time.perf_counter(), time.process_time()
            results = benchmark.score(*metrics, output=work, cache=cache, seed=self.seed, say=self.say)
            share = (time.process_time() - cpu) / max(time.perf_counter() - started, 1e-9)
            found = benchmark.judgments(results, outputs="all", corpus_scores=True)
            (first, *_) = results.values()
            return {
                "metrics": found.metrics,
                "system_scores": found.system_scores,
                "higher_is_better": dict(found.higher_is_better),
                # CPU seconds: the machine may be busy.
                "seconds": {label: share * of for label, of in seconds_per_thousand(first).items()},
            }

        numbers = self.keep(
            name,
            compute,
            digits,
            texts=digest(benchmark, human=False),
            metrics=[str(metric) for metric in metrics],
        )
        if work is not None and work.exists():
            shutil.rmtree(work)
            if not any(work.parent.iterdir()):
                work.parent.rmdir()
        judged = replace(
            benchmark.judgments(),
            metrics=_arrays(numbers["metrics"]),
            system_scores=_arrays(numbers["system_scores"]),
            higher_is_better=numbers["higher_is_better"],
        )
        return judged, {label: float(seconds) for label, seconds in numbers["seconds"].items()}


def _arrays(columns: Mapping[str, Any]) -> dict[str, np.ndarray]:
    return {label: np.array(values, dtype=np.float64) for label, values in columns.items()}


def digest(benchmark: Benchmark, human: bool = True) -> str:
    """Return a hash of the texts of a benchmark, with or without its human scores."""
    hashed = hashlib.sha256()
    for row in sorted(benchmark.rows, key=lambda row: (row.group, row.segment, row.system)):
        record = [row.segment, row.system, row.source, row.references, row.prediction]
        hashed.update(msgspec.json.encode([*record, sorted(row.human.items())] if human else record))
    return hashed.hexdigest()


def plain(value: Any, digits: int | None = None) -> Any:
    """Return arrays and other values as plain data; NaN and infinity as None, floats rounded to significant
    digits.

    >>> plain({"a": np.array([1.23456, np.nan])}, 3)
    {'a': [1.23, None]}
    """
    if isinstance(value, Mapping):
        return {str(name): plain(each, digits) for name, each in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist(), digits)
    if isinstance(value, list | tuple):
        return [plain(each, digits) for each in value]
    if isinstance(value, float):
        if not np.isfinite(value):
            return None
        return value if digits is None else float(f"{value:.{digits}g}")
    return value


def _environment() -> str:
    known = environment()
    return ", ".join(f"{name} {known[name]}" for name in _ENVIRONMENT if known.get(name))
