"""A study in a directory: the texts of a benchmark and the results of metrics on them; `nlgauge meta -o` writes
and extends it.

study.json          the selection: benchmark, language pair, sample, human dimensions, and the requested
                    levels and coefficients
results/NAME        one saved result for each language pair, or one with the name of the benchmark
correlations.csv    the last table
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from nlgauge._core.paths import require_folder, write_whole
from nlgauge.errors import InputError, ResultError, UnknownNameError
from nlgauge.meta.benchmarks.benchmark import Benchmark
from nlgauge.meta.benchmarks.catalog import card
from nlgauge.meta.benchmarks.loading import load
from nlgauge.meta.benchmarks.originals import is_known
from nlgauge.meta.benchmarks.own import of_file
from nlgauge.meta.benchmarks.parts import Part
from nlgauge.meta.benchmarks.scoring import saved
from nlgauge.meta.judgments import Judgments
from nlgauge.results.result import Result
from nlgauge.stats.measures import measure

STUDY, RESULTS, CORRELATIONS = "study.json", "results", "correlations.csv"
# The fields of a study that select its texts, as the options of `nlgauge meta` name them.
_SELECTION = {
    "benchmark": "benchmark",
    "group": "group",
    "segments": "sample",
    "seed": "seed",
    "people": "with-people",
    "group_field": "group-by",
    "systems": "systems",
    "without": "without",
    "where": "where",
}


class Study(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark, by name or as a file, or a saved result, and which part of it; `humans` are its
    dimensions, none of them means all.
    """

    benchmark: str
    humans: list[str] = []
    group: str | None = None
    group_field: str | None = None
    systems: list[str] = []
    without: list[str] = []
    where: list[str] = []
    segments: int | None = None
    seed: int = 12345
    people: bool = False
    peers: bool = False
    outputs: str = "first"
    corpus_scores: bool = False
    levels: list[str] = []
    coefficients: list[str] = []

    def asked(self, level: str | None, coefficient: str | None, usual: str = "pearson") -> tuple[str, str]:
        """Return the level and the coefficient to use: the arguments, else the first saved ones that fit
        together, else system level and `usual`.
        """
        levels = [level] if level else self.levels or ["system"]
        coefficients = [coefficient] if coefficient else self.coefficients or [usual]
        fitting = ((at, name) for name in coefficients for at in levels if at in measure(name).levels)
        return next(fitting, (levels[0], coefficients[0]))

    @property
    def part(self) -> Part:
        """The selected part of the texts."""
        return Part(self.systems, self.without, self.where)

    def read(self) -> Benchmark:
        """Return the texts and their judgments."""
        if self.group is not None and self.group_field is None and self._is_own_file:
            raise self._unnamed_group()
        benchmark = self._whole()
        benchmark = benchmark if self.group is None else benchmark.where(group=self.group)
        benchmark = benchmark if self.people else benchmark.machines()
        benchmark = self.part.of(benchmark)
        benchmark = benchmark if self.segments is None else benchmark.sample(self.segments, self.seed)
        for name in self.humans:
            benchmark.human(name)
        return benchmark

    def _whole(self) -> Benchmark:
        path = Path(self.benchmark)
        if self._is_own_file:
            return of_file(path, self.humans, self.group_field)
        if not self._is_name and not path.exists() and (path.suffix or len(path.parts) > 1):
            raise InputError(
                f"{path} is neither a file nor the name of a benchmark; `nlgauge benchmarks list` shows the"
                " names."
            )
        return load(self.benchmark)

    @property
    def _is_own_file(self) -> bool:
        path = Path(self.benchmark)
        return not self._is_name and path.exists() and not is_known(path)

    def _unnamed_group(self) -> InputError:
        return InputError(
            f"the field with the group {self.group!r} is not named",
            python="pass group_field",
            cli="name it with --group-by",
        )

    @property
    def _is_name(self) -> bool:
        try:
            card(self.benchmark)
        except UnknownNameError:
            return False
        return True

    @property
    def is_result(self) -> bool:
        """True if it is a study of a saved result, not of a benchmark or a file."""
        path = Path(self.benchmark)
        return not self._is_name and path.is_dir() and not is_known(path)

    def of_result(self, result: Result, human_needed: bool = True) -> Judgments:
        """Return the human scores of a saved result with the scores of its metrics."""
        if human_needed and not self.humans:
            fields = ", ".join([*result.corpus.system_fields, *result.corpus.fields])
            raise InputError(
                f"the fields with human scores are not named; the result has the fields {fields or '(none)'}",
                python="pass humans=[...], or a file of human scores",
                cli="name them, or a file of human scores, with --human",
            )
        if self.group is not None:
            if self.group_field is None:
                raise self._unnamed_group()
            result = result.where(**{self.group_field: self.group})
        result = self.part.of_result(result)
        return Judgments.from_result(
            result,
            self.humans[0] if len(self.humans) == 1 else self.humans,
            outputs=self.outputs,
            corpus_scores=self.corpus_scores,
            group=self.group_field if self.group is None else None,
        )

    def judgments(self, benchmark: Benchmark, scores: Mapping[str, Result]) -> Judgments:
        """Return human scores with the scores of metrics."""
        dimensions = [] if benchmark.pairs and not benchmark.dimensions else self.humans or None
        return benchmark.judgments(
            scores,
            dimensions=dimensions,
            peers=self.peers,
            outputs=self.outputs,
            corpus_scores=self.corpus_scores,
        )

    def save(
        self, directory: Path, levels: Sequence[str] | None = None, coefficients: Sequence[str] | None = None
    ) -> None:
        """Write the selection, or raise if the directory has another benchmark's scores.

        `levels` and `coefficients` are the requested ones; without them the directory retains its values.
        """
        path = directory / STUDY
        found = (
            self
            if not Path(self.benchmark).exists()
            else msgspec.structs.replace(self, benchmark=str(Path(self.benchmark).resolve()))
        )
        if path.is_file():
            before = _read(path)
            for name, option in _SELECTION.items():
                old, new = getattr(before, name), getattr(found, name)
                if old != new:
                    raise InputError(
                        f"{directory} contains another study: {option} was {old!r}, got {new!r}",
                        python="pass the same value or another directory",
                        cli="use the same value, or choose another directory with -o",
                    )
            levels = before.levels if levels is None else levels
            coefficients = before.coefficients if coefficients is None else coefficients
        elif directory.exists() and any(directory.iterdir()):
            raise InputError(
                f"{directory} is not empty and contains no study",
                python="pass another directory",
                cli="choose another directory with -o",
            )
        require_folder(directory)
        directory.mkdir(exist_ok=True)
        found = msgspec.structs.replace(
            found, levels=list(levels or ()), coefficients=list(coefficients or ())
        )
        write_whole(path, msgspec.json.format(msgspec.json.encode(found)) + b"\n")


def reopened(directory: Path) -> tuple[Study, Benchmark, dict[str, Result]]:
    """Return the study of a directory, its texts, and their results with the metrics that all of them have."""
    path = directory / STUDY
    if not path.is_file():
        raise ResultError(
            f"{directory} contains no study; create one with"
            f" `nlgauge meta BENCHMARK -m METRIC -o {directory}`."
        )
    study = _read(path)
    benchmark = study.read()
    return study, benchmark, saved(benchmark, directory / RESULTS)


def _read(path: Path) -> Study:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Study)
    except msgspec.DecodeError as error:
        raise ResultError(f"{path} is damaged ({error}); score again in another directory.") from None
