"""Display of results, comparisons, explanations and cards in consoles, in notebooks and in files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nlgauge._core.numbers import counted
from nlgauge._core.paths import write_whole

if TYPE_CHECKING:
    from rich.console import RenderableType

    from nlgauge._core.page import Page


# The most lines that a console shows of a value, and the most table rows and strip stacks in a notebook.
_LINES, _ROWS, _STACKS = 32, 60, 400


class Shown:
    """A value with a display: text in a console, HTML in a notebook, and a renderable for rich."""

    def _short_page(self) -> Page:
        """Return the page that a console shows; compute no new numbers."""
        raise NotImplementedError

    def _notebook_page(self) -> Page:
        """Return the page that a notebook shows, which may be longer."""
        return self._short_page()

    def __str__(self) -> str:
        from nlgauge.show.writers.text import text_of

        return text_of(self._short_page()).strip("\n")

    def __repr__(self) -> str:
        lines = str(self).split("\n")
        left = len(lines) - _LINES
        return "\n".join(
            lines
            if left <= 0
            else [*lines[:_LINES], f"... and {counted(left, 'more line')}; print() shows all of them"]
        )

    def _repr_html_(self) -> str:
        from nlgauge._core.page import limited
        from nlgauge.show.writers.html import html_of

        return html_of(limited(self._notebook_page(), _ROWS, _STACKS))

    def __rich__(self) -> RenderableType:
        from nlgauge.show.writers.text import Printed

        return Printed(self._short_page())


class Exporting(Shown):
    """A value with a display that can be written to files; `**options` are passed on to `_page`."""

    if TYPE_CHECKING:
        _page: Callable[..., Page]
        # The rows, with all digits of each number.
        _csv_records: Callable[..., list[dict[str, Any]]]

    def _text(self, path: str | Path | None, width: int, **options: Any) -> str:
        from nlgauge.show.writers.text import text_of

        return written(text_of(self._page(**options), width, small_print=True), path)

    def _markdown(self, path: str | Path | None, small_print: bool, **options: Any) -> str:
        from nlgauge.show.writers.markdown import markdown_of

        return written(markdown_of(self._paper_page(small_print, options)), path)

    def _latex(
        self,
        path: str | Path | None,
        caption: str | None,
        label: str | None,
        small_print: bool,
        **options: Any,
    ) -> str:
        from nlgauge.show.writers.latex import latex_of

        return written(latex_of(self._paper_page(small_print, options), caption, label), path)

    def _html(self, path: str | Path | None, **options: Any) -> str:
        from nlgauge.show.writers.html import html_of

        return written(html_of(self._page(**options)), path)

    def _csv(self, path: str | Path | None, delimiter: str, safe: bool | None, **options: Any) -> str:
        from nlgauge.show.writers.csv import delimited

        return written(delimited(self._csv_records(**options), delimiter, safe), path)

    def _paper_page(self, small_print: bool, options: dict[str, Any]) -> Page:
        page = self._page(**options)
        return page if small_print else replace(page, small_print=())


class Exported(Exporting):
    """A value with a display that can be written to files.

    Each method returns the text, and also writes it to `path` if it is not None. `decimals` is the number of
    decimals of each number; by default each output chooses it. `small_print` adds the signatures.
    """

    def to_text(self, path: str | Path | None = None, *, width: int = 80, decimals: int | None = None) -> str:
        """Return the table as plain text, for a terminal.

        Parameters
        ----------
        path : str or Path, optional
            File to write the text to.
        width : int, default 80
            Width of the terminal in characters.
        decimals : int, optional
            Number of decimals of each number. Default: the decimals of the output.

        Returns
        -------
        str
            The text, which is also written to `path` if it is not None.
        """
        return self._text(path, width, decimals=decimals)

    def to_markdown(
        self, path: str | Path | None = None, *, small_print: bool = True, decimals: int | None = None
    ) -> str:
        """Return the table as Markdown with its notes.

        Parameters
        ----------
        path : str or Path, optional
            File to write the text to.
        small_print : bool, default True
            Add the signatures.
        decimals : int, optional
            Number of decimals of each number. Default: the decimals of the output.

        Returns
        -------
        str
            The text, which is also written to `path` if it is not None.
        """
        return self._markdown(path, small_print, decimals=decimals)

    def to_latex(
        self,
        path: str | Path | None = None,
        *,
        caption: str | None = None,
        label: str | None = None,
        small_print: bool = True,
        decimals: int | None = None,
    ) -> str:
        r"""Return the table as a LaTeX table environment.

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
        decimals : int, optional
            Number of decimals of each number. Default: the decimals of the output.

        Returns
        -------
        str
            The text, which is also written to `path` if it is not None.

        Notes
        -----
        The document needs `\usepackage{booktabs}`.
        """
        return self._latex(path, caption, label, small_print, decimals=decimals)

    def to_html(self, path: str | Path | None = None, *, decimals: int | None = None) -> str:
        """Return the table as a piece of HTML without scripts.

        Parameters
        ----------
        path : str or Path, optional
            File to write the text to.
        decimals : int, optional
            Number of decimals of each number. Default: the decimals of the output.

        Returns
        -------
        str
            The text, which is also written to `path` if it is not None.
        """
        return self._html(path, decimals=decimals)

    def to_csv(
        self, path: str | Path | None = None, *, delimiter: str = ",", safe: bool | None = None
    ) -> str:
        """Return the records as CSV, with all digits.

        Parameters
        ----------
        path : str or Path, optional
            File to write the text to.
        delimiter : str, default ","
            Field delimiter; a tab writes TSV.
        safe : bool, optional
            Mark texts that a spreadsheet would read as formulas with an apostrophe.

        Returns
        -------
        str
            The text, which is also written to `path` if it is not None.
        """
        return self._csv(path, delimiter, safe)


def written(text: str, path: str | Path | None) -> str:
    """Return the text; write it to the path first if the path is not None."""
    if path is not None:
        write_whole(path, text)
    return text
