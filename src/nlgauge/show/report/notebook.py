"""The report within a notebook: the whole page in a frame that can reach nothing around it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Unpack

from nlgauge.errors import ParameterError
from nlgauge.results.table_options import ReportOptions
from nlgauge.show.report import write_report

if TYPE_CHECKING:
    from nlgauge.results.result import Result


@dataclass(frozen=True, repr=False)
class Framed:
    """A page that a notebook shows in a sandboxed frame; `page` is its HTML, which is stored in the
    notebook.
    """

    page: str
    title: str
    height: int

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:1px solid rgba(128,128,128,.5)"
        return (
            f'<iframe title="{escape(self.title)}" sandbox="allow-scripts" style="{style}"'
            f' srcdoc="{escape(self.page)}"></iframe>'
        )

    def __repr__(self) -> str:
        return (
            f"the report {self.title!r} ({len(self.page) / 1e6:.1f} MB), which a notebook shows;"
            " result.report(path) writes it to a file"
        )


def framed(
    result: Result, title: str | None = None, height: int = 760, **options: Unpack[ReportOptions]
) -> Framed:
    """Return the report of a result for a notebook; it takes the options of `write_report`."""
    if isinstance(height, bool) or not isinstance(height, int) or height < 1:
        raise ParameterError(f"height must be a number of pixels, 1 or more, got {height!r:.60}.")
    named = title or "nlgauge"
    with TemporaryDirectory() as directory:
        page = write_report(result, Path(directory) / "report.html", title=named, **options).read_text(
            "utf-8"
        )
    return Framed(page, named, height)
