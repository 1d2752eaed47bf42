"""Report of a reader: what a file contains, and what was changed or left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from nlgauge._core.numbers import counted


@dataclass
class Report:
    """Counts of a file of error spans.

    Parameters
    ----------
    format : str
        Format of the file.
    annotations : int
        Number of texts that an annotator read.
    annotators : int
        Number of annotators.
    spans : int
        Number of spans with a place.
    omissions : int
        Number of errors without a place.
    clipped : int
        Number of spans that ended one character outside their text.
    mapped : int
        Number of spans that were moved because the file's text has another Unicode form or other outer white space.
    without_severity : int
        Number of spans without a severity in the file.
    left_out : dict
        Numbers of records and spans that were left out, by reason.
    remarks : list of str
        Further remarks.
    """

    format: str
    annotations: int = 0
    annotators: int = 0
    spans: int = 0
    omissions: int = 0
    clipped: int = 0
    mapped: int = 0
    without_severity: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return the report as sentences.

        Returns
        -------
        list of str
            Sentences, one per line.
        """
        lines = [
            f"{counted(self.annotations, 'text')} of {counted(self.annotators, 'annotator')} ({self.format}):"
            f" {counted(self.spans, 'span')}, {counted(self.omissions, 'error')} without a place."
        ]
        if self.clipped:
            lines.append(
                f"{counted(self.clipped, 'span')} ended one character outside the text and were cut."
            )
        if self.mapped:
            lines.append(
                f"{counted(self.mapped, 'span')} were moved to texts of another Unicode form or with other outer"
                " white space."
            )
        if self.without_severity:
            lines.append(
                f"{counted(self.without_severity, 'span')} had no severity and got that of the option severity."
            )
        if self.left_out:
            reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(self.left_out.items()))
            lines.append(f"Left out: {reasons}.")
        return [*lines, *self.remarks]

    def __str__(self) -> str:
        return "\n".join(self.lines())
