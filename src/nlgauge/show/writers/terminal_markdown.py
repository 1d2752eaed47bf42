"""Markdown in a terminal: paragraphs are wrapped, code is not, so that it can be copied."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Markdown
from rich.text import Text


class _Unwrapped(CodeBlock):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(str(self.text).rstrip(), style="cyan", no_wrap=True, overflow="ignore")


class _Readable(Markdown):
    elements = {**Markdown.elements, "fence": _Unwrapped, "code_block": _Unwrapped}  # noqa: RUF012


def markdown(text: str) -> Markdown:
    """Return the text as rich prints it."""
    return _Readable(text)
