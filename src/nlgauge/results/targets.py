"""Trackers of experiments that a result is logged to: MLflow and Weights & Biases.

A tracker is imported when it is named, and receives nothing before.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from nlgauge.errors import MissingExtraError, ParameterError, no_such
from nlgauge.results.labels import output_names

if TYPE_CHECKING:
    from nlgauge.results.result import Result

# MLflow refuses other characters in the name of a number.
_REFUSED = re.compile(r"[^\w./ -]+", re.ASCII)


class Target(Protocol):
    """A run of a tracker."""

    def log_numbers(self, numbers: Mapping[str, float], step: int | None) -> None:
        """Log numbers by name."""

    def log_texts(self, texts: Mapping[str, str]) -> None:
        """Log short texts by name, such as signatures."""

    def log_table(self, name: str, columns: Mapping[str, Sequence[Any]]) -> None:
        """Log a table by columns."""

    def log_file(self, path: Path) -> None:
        """Log a file."""


class Mlflow:
    """The active run of MLflow, or the run with an id."""

    def __init__(self, run: Any = None) -> None:
        try:
            import mlflow
        except ImportError:
            raise MissingExtraError("mlflow", "mlflow", "logging to MLflow") from None
        active = mlflow.active_run()
        if run is None and active is None:
            raise ParameterError(
                "no run of MLflow is active; call mlflow.start_run() first, or pass run=RUN_ID."
            )
        self._run = str(active.info.run_id if run is None else run)
        self._client = mlflow.MlflowClient()

    def log_numbers(self, numbers: Mapping[str, float], step: int | None) -> None:
        for name, value in numbers.items():
            self._client.log_metric(self._run, name, value, step=step)

    def log_texts(self, texts: Mapping[str, str]) -> None:
        for name, text in texts.items():
            self._client.set_tag(self._run, f"nlgauge.{name}", text)

    def log_table(self, name: str, columns: Mapping[str, Sequence[Any]]) -> None:
        self._client.log_table(self._run, data=dict(columns), artifact_file=f"nlgauge/{name}.json")

    def log_file(self, path: Path) -> None:
        self._client.log_artifact(self._run, str(path), artifact_path="nlgauge")


class Wandb:
    """The current run of Weights & Biases, or another run object."""

    def __init__(self, run: Any = None) -> None:
        try:
            import wandb
        except ImportError:
            raise MissingExtraError("wandb", "wandb", "logging to Weights & Biases") from None
        if run is None and wandb.run is None:
            raise ParameterError("no run of wandb is active; call wandb.init() first, or pass run=RUN.")
        self._wandb, self._run = wandb, wandb.run if run is None else run

    def log_numbers(self, numbers: Mapping[str, float], step: int | None) -> None:
        self._run.log(dict(numbers), step=step)

    def log_texts(self, texts: Mapping[str, str]) -> None:
        self._run.config.update({"nlgauge": dict(texts)}, allow_val_change=True)

    def log_table(self, name: str, columns: Mapping[str, Sequence[Any]]) -> None:
        rows = [list(row) for row in zip(*columns.values(), strict=True)]
        self._run.log({f"nlgauge/{name}": self._wandb.Table(columns=list(columns), data=rows)})

    def log_file(self, path: Path) -> None:
        artifact = self._wandb.Artifact(f"nlgauge-{path.stem}", type="report")
        artifact.add_file(str(path))
        self._run.log_artifact(artifact)


TARGETS: dict[str, type[Mlflow] | type[Wandb]] = {"mlflow": Mlflow, "wandb": Wandb}


def target_of(target: str | Target, run: Any) -> Target:
    """Return the tracker of a name, or the object itself."""
    if not isinstance(target, str):
        return target
    if target not in TARGETS:
        raise ParameterError(no_such("target", target, TARGETS))
    return TARGETS[target](run)


def log(result: Result, target: Target, step: int | None, segments: bool, texts: bool, report: bool) -> None:
    """Log scores, intervals and signatures, and segments and the report if they are requested."""
    target.log_numbers(numbers_of(result), step)
    target.log_texts(texts_of(result))
    if segments:
        target.log_table("segments", _columns(result.segments("records", texts=texts)))
    if report:
        with tempfile.TemporaryDirectory() as folder:
            target.log_file(result.report(Path(folder) / "report.html", texts=texts))


def numbers_of(result: Result) -> dict[str, float]:
    """Return every score by name, with `.low` and `.high` if it has an interval; SYSTEM/NAME if there are several
    systems.
    """
    names = output_names(result)
    numbers: dict[str, float] = {}
    for record in result.scores("records"):
        name = _REFUSED.sub("_", names[record["metric"], record["output"]]).strip("_")
        if len(result.systems) > 1:
            name = f"{_REFUSED.sub('_', record['system'])}/{name}"
        while name in numbers:
            name += "_"
        numbers[name] = float(record["score"])
        bounds = {bound: record[bound] for bound in ("low", "high") if not math.isnan(record[bound])}
        numbers |= {f"{name}.{bound}": float(value) for bound, value in bounds.items()}
    return numbers


def texts_of(result: Result) -> dict[str, str]:
    """Return signatures by metric, and the comparison with the first system if there are several."""
    texts = {f"signature.{_REFUSED.sub('_', label)}": line for label, line in result.signatures.items()}
    for row in result.compare() if len(result.systems) > 1 else ():
        name = _REFUSED.sub("_", f"{row.second}/{row.name}")
        texts[f"gain.{name}"] = (
            f"{row.gain:+.4g} [{row.gain_low:+.4g}, {row.gain_high:+.4g}] against {row.first}, p = {row.p:.3g}"
        )
    return texts


def _columns(records: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return records as columns; values that are not numbers or texts become texts."""
    names = list(dict.fromkeys(name for record in records for name in record))
    plain = (int, float, str, bool, type(None))
    return {
        name: [value if isinstance(value := record.get(name), plain) else str(value) for record in records]
        for name in names
    }
