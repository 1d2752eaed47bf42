"""TableOptions: the contents of a table of a result in addition to the scores, and their statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    human: str | Sequence[str] | None
    baseline: str | None
    confidence: float
    resamples: int
    seed: int | None
    against: Result | None
    pairs: Mapping[str, str] | None
    run_names: tuple[str, str] | None


REPORT_DEFAULTS = {"explain": 200, "texts": True, "max_size": 25, "confidence": 0.95, "resamples": 1000}


@dataclass(frozen=True, eq=False)
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
                    f"unknown option of a table {name!r}{did_you_mean(name, known)}; the options are"
                    f" {', '.join(known)}."
                )
        decimals = given.get("decimals")
        if decimals is not None and (not isinstance(decimals, int) or not 0 <= decimals <= 15):
            raise ParameterError(f"decimals must be a whole number from 0 to 15, got {decimals!r:.60}.")
        return cls(**given)

    def of_comparison(self) -> dict[str, Any]:
        """Return the options of `Result.compare`."""
        return {
            "test": self.test,
            "baseline": self.baseline,
            "confidence": self.confidence,
            "resamples": self.resamples,
            "seed": self.seed,
        }

    def intervals_of(self, result: Result) -> dict[str, Any] | None:
        """Return the intervals of the result, if they are shown."""
        return result.intervals(self.confidence, self.resamples, self.seed) if self.intervals else None

    def has_tests(self, result: Result) -> bool:
        """Return True if tests are shown and there are at least two systems."""
        return self.tests and len(result.systems) > 1

    def comparison_of(self, result: Result) -> Comparison | None:
        """Return the comparison of the baseline with the other systems, if it is shown."""
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
        """Return the table as plain text, for a terminal.

        Parameters
        ----------
        path : str or Path, optional
            File to write the text to.
        width : int, default 80
            Width of the terminal in characters.
        intervals : bool, default True
            Compute and show intervals.
        tests : bool, default True
            Compute and show tests against the baseline, if there are several systems.
        confidence : float, default 0.95
            Confidence of the intervals.
        resamples : int, default 1000
            Number of resamples B.
        seed : int, optional
            Seed of the resamples. Default: the seed of the run.
        test : {"randomization", "bootstrap"}
            Paired test: approximate randomization or the bootstrap.
        baseline : str, optional
            System that the other systems are compared with. Default: the first.
        details : bool, default False
            Show all outputs of each metric, such as the precisions of BLEU. A CSV file always has all outputs.
        wide : bool, optional
            Use one row per system and one column per metric, not one row per metric and system.
        decimals : int, optional
            Number of decimals of each score. Default: the decimals of the output. A CSV file has all digits.
        costs : bool, default False
            Add a table of the costs of the run. A CSV file never has it.

        Returns
        -------
        str
            The text, which is also written to `path` if it is not None.
        """
        return self._text(path, width, **options)

    @_shows_options
    def to_markdown(
        self, path: str | Path | None = None, *, small_print: bool = True, **options: Unpack[TableArguments]
    ) -> str:
        """Return the table as Markdown with its notes; it is wide by default.

        Parameters
        ----------
        path : str or Path, optional
            File to write the text to.
        small_print : bool, default True
            Add the signatures.
        intervals : bool, default True
            Compute and show intervals.
        tests : bool, default True
            Compute and show tests against the baseline, if there are several systems.
        confidence : float, default 0.95
            Confidence of the intervals.
        resamples : int, default 1000
            Number of resamples B.
        seed : int, optional
            Seed of the resamples. Default: the seed of the run.
        test : {"randomization", "bootstrap"}
            Paired test: approximate randomization or the bootstrap.
        baseline : str, optional
            System that the other systems are compared with. Default: the first.
        details : bool, default False
            Show all outputs of each metric, such as the precisions of BLEU. A CSV file always has all outputs.
        wide : bool, optional
            Use one row per system and one column per metric, not one row per metric and system.
        decimals : int, optional
            Number of decimals of each score. Default: the decimals of the output. A CSV file has all digits.
        costs : bool, default False
            Add a table of the costs of the run. A CSV file never has it.

        Returns
        -------
        str
            The text, which is also written to `path` if it is not None.
        """
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
        r"""Return the table as a LaTeX table environment; it is wide by default.

        Parameters
        ----------
        path : str or Path, optional
            File to write the text to.
        caption : str, optional
            Caption of the table.
        label : str, optional
            LaTeX label of the table.
        small_print : bool, default True
            Add the signatures.
        intervals : bool, default True
            Compute and show intervals.
        tests : bool, default True
            Compute and show tests against the baseline, if there are several systems.
        confidence : float, default 0.95
            Confidence of the intervals.
        resamples : int, default 1000
            Number of resamples B.
        seed : int, optional
            Seed of the resamples. Default: the seed of the run.
        test : {"randomization", "bootstrap"}
            Paired test: approximate randomization or the bootstrap.
        baseline : str, optional
            System that the other systems are compared with. Default: the first.
        details : bool, default False
            Show all outputs of each metric, such as the precisions of BLEU. A CSV file always has all outputs.
        wide : bool, optional
            Use one row per system and one column per metric, not one row per metric and system.
        decimals : int, optional
            Number of decimals of each score. Default: the decimals of the output. A CSV file has all digits.
        costs : bool, default False
            Add a table of the costs of the run. A CSV file never has it.

        Returns
        -------
        str
            The text, which is also written to `path` if it is not None.

        Notes
        -----
        The document needs `\usepackage{booktabs}`.
        """
        return self._latex(path, caption, label, small_print, **options)

    @_shows_options
    def to_html(self, path: str | Path | None = None, **options: Unpack[TableArguments]) -> str:
        """Return the table as a piece of HTML without scripts.

        Parameters
        ----------
        path : str or Path, optional
            File to write the text to.
        intervals : bool, default True
            Compute and show intervals.
        tests : bool, default True
            Compute and show tests against the baseline, if there are several systems.
        confidence : float, default 0.95
            Confidence of the intervals.
        resamples : int, default 1000
            Number of resamples B.
        seed : int, optional
            Seed of the resamples. Default: the seed of the run.
        test : {"randomization", "bootstrap"}
            Paired test: approximate randomization or the bootstrap.
        baseline : str, optional
            System that the other systems are compared with. Default: the first.
        details : bool, default False
            Show all outputs of each metric, such as the precisions of BLEU. A CSV file always has all outputs.
        wide : bool, optional
            Use one row per system and one column per metric, not one row per metric and system.
        decimals : int, optional
            Number of decimals of each score. Default: the decimals of the output. A CSV file has all digits.
        costs : bool, default False
            Add a table of the costs of the run. A CSV file never has it.

        Returns
        -------
        str
            The text, which is also written to `path` if it is not None.
        """
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
        """Return the scores as CSV: one row per system, metric and output, with all digits.

        Parameters
        ----------
        path : str or Path, optional
            File to write the text to.
        delimiter : str, default ","
            Field delimiter; a tab writes TSV.
        safe : bool, optional
            Mark texts that a spreadsheet would read as formulas with an apostrophe.
        intervals : bool, default True
            Compute and show intervals.
        tests : bool, default True
            Compute and show tests against the baseline, if there are several systems.
        confidence : float, default 0.95
            Confidence of the intervals.
        resamples : int, default 1000
            Number of resamples B.
        seed : int, optional
            Seed of the resamples. Default: the seed of the run.
        test : {"randomization", "bootstrap"}
            Paired test: approximate randomization or the bootstrap.
        baseline : str, optional
            System that the other systems are compared with. Default: the first.
        details : bool, default False
            Show all outputs of each metric, such as the precisions of BLEU. A CSV file always has all outputs.
        wide : bool, optional
            Use one row per system and one column per metric, not one row per metric and system.
        decimals : int, optional
            Number of decimals of each score. Default: the decimals of the output. A CSV file has all digits.
        costs : bool, default False
            Add a table of the costs of the run. A CSV file never has it.

        Returns
        -------
        str
            The text, which is also written to `path` if it is not None.
        """
        return self._csv(path, delimiter, safe, **options)
