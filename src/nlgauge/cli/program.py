"""Program: runs a command and turns every way it can end into a message and an exit code."""

from __future__ import annotations

import io
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from nlgauge.cli.output import say
from nlgauge.errors import InputError, NlgaugeError, ParameterError

FAILURE, USAGE, WORSE, INTERRUPTED = 1, 2, 3, 130
WRITTEN = "nlgauge.written"


class Program(TyperGroup):
    """The group of all commands; `--debug` may be given anywhere on the command line."""

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> Any:
        given = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in given
        _tolerant_streams()
        try:
            with _plain_warnings():
                code = super().main([word for word in given if word != "--debug"], prog_name="nlgauge", standalone_mode=False)
            sys.stdout.flush()
        except (BrokenPipeError, SystemExit) as error:
            # The libraries for terminals end the program with 1 where a pipe is broken.
            if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
                raise
            code = _reader_left()
        except Exception as error:
            code = _explained(error, debug, self._named(given))
        sys.exit(code if isinstance(code, int) else 0)

    def _named(self, words: Sequence[str]) -> str:
        """The program with the command that the words begin with."""
        path = "nlgauge"
        group: Any = self
        for word in words:
            if word not in getattr(group, "commands", {}):
                break
            path, group = f"{path} {word}", group.commands[word]
        return path

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            written = ctx.meta.get(WRITTEN)
            say(f"interrupted; {f'the result is in {written}' if written else 'nothing was written'}")
            raise typer.Exit(INTERRUPTED) from None


def _reader_left() -> int:
    """Ends well where the reader of a pipe, such as `head`, has seen enough; what is still to be written goes nowhere."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _explained(error: Exception, debug: bool, command: str) -> int:
    """Says what went wrong; the exit code."""
    if debug:
        traceback.print_exception(error)
    if hasattr(error, "format_message"):  # the command line itself was wrong
        say(f"error: {error.format_message()}")
        say(f"try: {command} --help")
        return int(getattr(error, "exit_code", USAGE))
    if isinstance(error, NlgaugeError):
        say(f"error: {error}")
        return USAGE if isinstance(error, InputError | ParameterError | LookupError) else FAILURE
    say(f"error: {type(error).__name__}: {error}")
    if not debug:
        say("this was not expected; run again with --debug to see where it happened")
    return FAILURE


def _tolerant_streams() -> None:
    """Makes a text that the terminal's encoding lacks appear as an escape instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Shows warnings as one line each, without file and line of the code."""
    before = warnings.showwarning
    warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
    try:
        yield
    finally:
        warnings.showwarning = before
