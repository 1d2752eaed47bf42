"""TableOptions: the contents of a table of a result in addition to the scores, and their statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from nlgauge._core.options import takes_options
from nlgauge._core.shown import Exporting
from nlgauge.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from nlgauge.results.comparison import Comparison
    from nlgauge.results.result import Result


class TableArguments(TypedDict, total=False):
    """The fields of `TableOptions`, as keyword arguments."""

    intervals: bool
    tests: bool
    confidence: float
    resamples: int
    seed: int | None
    test: str
    baseline: str | None
    details: bool
    wide: bool | None
    decimals: int | None
    costs: bool


class ReportOptions(TypedDict, total=False):
    """The options of `Result.report` and `Result.show` except the title."""

    explain: int | Literal["all"]
    texts: bool
    max_size: float
    baseline: str | None
    confidence: float
    resamples: int
    seed: int | None


REPORT_DEFAULTS = {"explain": 200, "texts": True, "max_size": 25, "confidence": 0.95, "resamples": 1000}


@dataclass(frozen=True)
class TableOptions:
    """The options of `to_text`, `to_markdown`, `to_latex`, `to_html` and `to_csv` of a result and of its
    groups.

    `intervals` and `tests` select whether they are computed and shown; `confidence`, `resamples`, `seed`, `test`
    and `baseline` are the options of `Result.intervals` and `Result.compare`. `details` adds the further outputs
    of each metric, such as BLEU's precisions and brevity penalty. With `wide` there is one row per system and
    one column per metric, else one row per metric and system; by default a result of many systems has one row
    per system. A CSV file always has all outputs, one per row. `decimals` is the number of decimals of each
    score, by default as its metric declares; a CSV file always has all decimals. `costs` adds a table of the
    run's costs, which a CSV file does not have.
    """

    intervals: bool = True
    tests: bool = True
    confidence: float = 0.95
    resamples: int = 1000
    seed: int | None = None
    test: str = "randomization"
    baseline: str | None = None
    details: bool = False
    wide: bool | None = None
    decimals: int | None = None
    costs: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> TableOptions:
        """Return the options, or raise an error that lists the known ones."""
        known = [option.name for option in fields(cls)]
        for name in given:
            if name not in known:
                raise ParameterError(
                    f"a table has no option {name!r}{did_you_mean(name, known)}; there are"
                    f" {', '.join(known)}."
                )
        decimals = given.get("decimals")
        if decimals is not None and (not isinstance(decimals, int) or not 0 <= decimals <= 15):
            raise ParameterError(f"decimals must be a whole number from 0 to 15, got {decimals!r:.60}.")
        return cls(**given)

    def of_comparison(self) -> dict[str, Any]:
        """The options of `Result.compare`."""
        return {
            "test": self.test,
            "baseline": self.baseline,
            "confidence": self.confidence,
            "resamples": self.resamples,
            "seed": self.seed,
        }

    def intervals_of(self, result: Result) -> dict[str, Any] | None:
        """The intervals of the result, if they are shown."""
        return result.intervals(self.confidence, self.resamples, self.seed) if self.intervals else None

    def has_tests(self, result: Result) -> bool:
        """Return True if tests are shown and there are at least two systems."""
        return self.tests and len(result.systems) > 1

    def comparison_of(self, result: Result) -> Comparison | None:
        """The comparison of the baseline with the other systems, if it is shown."""
        return result.compare(**self.of_comparison()) if self.has_tests(result) else None


_shows_options = takes_options(
    TableArguments, {option.name: option.default for option in fields(TableOptions)}
)


class ExportedTable(Exporting):
    """A result or its groups, which can be written to files as a table with these options.

    Each method returns the text, and writes it to `path` if there is one. `small_print` adds signatures; the
    other options are the fields of `TableOptions`.
    """

    @_shows_options
    def to_text(
        self, path: str | Path | None = None, *, width: int = 80, **options: Unpack[TableArguments]
    ) -> str:
        """Return a table as plain text, as a terminal of this width shows it."""
        return self._text(path, width, **options)

    @_shows_options
    def to_markdown(
        self, path: str | Path | None = None, *, small_print: bool = True, **options: Unpack[TableArguments]
    ) -> str:
        """Return a Markdown table with its notes, wide unless wide=False."""
        return self._markdown(path, small_print, **options)

    @_shows_options
    def to_latex(
        self,
        path: str | Path | None = None,
        *,
        caption: str | None = None,
        label: str | None = None,
        small_print: bool = True,
        **options: Unpack[TableArguments],
    ) -> str:
        r"""Return a LaTeX table environment, wide unless wide=False; the paper needs
        `\usepackage{booktabs}`.
        """
        return self._latex(path, caption, label, small_print, **options)

    @_shows_options
    def to_html(self, path: str | Path | None = None, **options: Unpack[TableArguments]) -> str:
        """Return a piece of HTML without scripts, which a page or a notebook can show."""
        return self._html(path, **options)

    @_shows_options
    def to_csv(
        self,
        path: str | Path | None = None,
        *,
        delimiter: str = ",",
        safe: bool | None = None,
        **options: Unpack[TableArguments],
    ) -> str:
        r"""Return the scores as CSV, one row per system, metric and output, every number in full.

        delimiter="\t" gives TSV, safe=True texts that no spreadsheet takes for formulas.
        """
        return self._csv(path, delimiter, safe, **options)
