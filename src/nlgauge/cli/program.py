"""Program: runs a command and turns every way it can end into a message and an exit code."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from nlgauge.cli.output import say
from nlgauge.errors import InputError, NlgaugeError, ParameterError

# What the library for command lines says of a value, and the same for users.
_PLAIN = {
    r"Input should be greater than or equal to (\S+)": r"it must be \1 or more",
    r"Input should be less than or equal to (\S+)": r"it must be \1 or less",
    r"Input should be a valid integer.*": "it must be a whole number",
    r"Input should be a valid number.*": "it must be a number",
}
FAILURE, USAGE, WORSE, INCONCLUSIVE, INTERRUPTED, TERMINATED = 1, 2, 3, 4, 130, 143
# Where the result is, and where a run is kept that can go on.
_ANYWHERE = ("--debug", "--safe-csv")
WRITTEN, RUNNING = "nlgauge.written", "nlgauge.running"


class Terminated(KeyboardInterrupt):
    """Somebody asked the program to end (SIGTERM); it ends as it does after Ctrl-C."""


class Program(TyperGroup):
    """The group of all commands; `--debug` and `--safe-csv` may be given anywhere on the command line."""

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> Any:
        given = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in given
        _tolerant_streams()
        try:
            with _plain_warnings(), _ending_gently(), _safe_csv("--safe-csv" in given):
                code = super().main(
                    [word for word in given if word not in _ANYWHERE],
                    prog_name="nlgauge",
                    standalone_mode=False,
                )
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
        except KeyboardInterrupt as error:
            written, running = ctx.meta.get(WRITTEN), ctx.meta.get(RUNNING)
            kept = "nothing was written"
            if written:
                kept = f"the result is in {written}"
            elif running is not None and running.exists():
                kept = f"what is done is in {running}, and the same command with --resume goes on"
            say(f"interrupted; {kept}")
            raise typer.Exit(TERMINATED if isinstance(error, Terminated) else INTERRUPTED) from None


@contextmanager
def _ending_gently() -> Iterator[None]:
    """Lets the program say what is kept where somebody asks it to end; in other threads than the main one
    nobody can.
    """

    def end(*_: object) -> None:
        raise Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _safe_csv(wanted: bool) -> Iterator[None]:
    """Makes texts of CSV and TSV safe for spreadsheets meanwhile, if that is wanted."""
    if not wanted:
        yield
        return
    from nlgauge.show.writers.csv import SAFE

    token = SAFE.set(True)
    try:
        yield
    finally:
        SAFE.reset(token)


def _reader_left() -> int:
    """Ends well where the reader of a pipe, such as `head`, has seen enough; what is still to be written
    goes nowhere.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _explained(error: Exception, debug: bool, command: str) -> int:
    """Says what went wrong; the exit code."""
    if debug:
        traceback.print_exception(error)
    if hasattr(error, "format_message"):  # the command line itself was wrong
        say(f"error: {_plain_words(error.format_message())}")
        say(f"try: {command} --help")
        return int(getattr(error, "exit_code", USAGE))
    if isinstance(error, NlgaugeError):
        say(f"error: {error.for_cli()}")
        return USAGE if isinstance(error, InputError | ParameterError | LookupError) else FAILURE
    if isinstance(error, OSError) and error.strerror:  # the disk is full, a folder may not be written to, ...
        say(f"error: {error.strerror}{f': {error.filename}' if error.filename else ''}")
        return FAILURE
    if isinstance(error, MemoryError):
        say(
            "error: there is not enough memory; with -o RESULT (and --stream) files are read and scored piece"
            " by piece, and --jobs 1 takes less"
        )
        return FAILURE
    say(f"error: {type(error).__name__}: {error}")
    if not debug:
        say("this was not expected; run again with --debug to see where it happened")
    return FAILURE


def _plain_words(message: str) -> str:
    """Return the message of a value that was refused, in the words of a user.

    >>> _plain_words("Invalid value for '--jobs': Input should be greater than or equal to 1")
    "Invalid value for '--jobs': it must be 1 or more"
    """
    for pattern, words in _PLAIN.items():
        message = re.sub(pattern, words, message)
    return message


def _tolerant_streams() -> None:
    """Makes a text that the terminal's encoding lacks appear as an escape instead of an error, and what
    goes to a closed stream vanish.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
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
