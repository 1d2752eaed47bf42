"""The outputs that `nlgauge meta bias`, `sentinels` and `downstream` read: judgments together with their texts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from nlgauge.cli.commands.meta.study import StudyOptions, opened, split, studied
from nlgauge.cli.options import ModelOptions
from nlgauge.cli.parameters import STATISTICS, option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nlgauge.meta.benchmarks.outputs import Outputs

Resampled = Annotated[
    int,
    option(
        "--resamples", at_least=2, help="Number of resamples for intervals.", metavar="N", panel=STATISTICS
    ),
]


def read_outputs(
    data: str,
    metrics: Sequence[str] | None,
    study: StudyOptions,
    models: ModelOptions,
    output: Path | None,
    seed: int,
    quiet: bool,
) -> Outputs:
    """Return judgments and texts of a benchmark, a file, a saved result, or a directory of `nlgauge meta -o`."""
    from nlgauge.meta.benchmarks.outputs import Outputs
    from nlgauge.meta.benchmarks.study import STUDY
    from nlgauge.results.storage.load import load

    if output is None and (Path(data) / STUDY).is_file():
        saved, (judgments, _) = opened(Path(data), study.humans, part=study.part, quiet=quiet)
        chosen = judgments if not metrics else judgments.only(metrics=list(metrics))
        return Outputs(chosen, study.part.of(saved.read()))
    judgments, _ = studied(data, metrics, study, models, output, seed, quiet)
    selected = study.of(data, seed)
    return Outputs(judgments, load(data) if selected.is_result else selected.read())


def dimensions(study: StudyOptions) -> list[str] | None:
    """Return the human dimensions of --human; None for all."""
    return split(study.humans) or None


def draw_map(values: Mapping[str, Mapping[str, float]], path: str | None, title: str) -> None:
    """Draw numbers by two names to a file, if there is one."""
    if path is None:
        return
    from nlgauge import plots

    axes: Any = plots.human_map(values)
    axes.set_title(title, loc="left")
    plots.save(axes, path)
