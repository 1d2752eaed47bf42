"""Program: run a command, and turn every way it can end into a message and an exit code."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from nlgauge.cli.command import Group
from nlgauge.cli.output import say
from nlgauge.errors import InputError, NlgaugeError, ParameterError

FAILURE, USAGE, WORSE, INCONCLUSIVE, INTERRUPTED, TERMINATED = 1, 2, 3, 4, 130, 143
_EPILOG = """
    Start with:     nlgauge demo
    Topics:         nlgauge help
    Documentation:  https://nlgauge.github.io/nlgauge
    Exit codes:     0 done, 1 failed, 2 incorrect usage, 3 check failed,
                    4 check inconclusive, 130 interrupted
"""
_ANYWHERE = ("--debug", "--safe-csv")
_WRITTEN, _RUNNING, _CONTINUE, _LINE = (
    "nlgauge.written",
    "nlgauge.running",
    "nlgauge.continue",
    "nlgauge.line",
)


class Terminated(KeyboardInterrupt):
    """SIGTERM was received; the program ends as after Ctrl-C."""


class _ReaderLeft(Exception):
    """The reader of a pipe has closed it; not an OSError, after which click would exit with code 1."""


class Entry(NamedTuple):
    """A command: its module in nlgauge.cli.commands and its name there, as MODULE:NAME; and the first sentence
    of its help.
    """

    place: str
    summary: str


class Program(Group):
    """All commands; the module of a command is imported when the command runs, or its help is printed.

    `--debug` and `--safe-csv` may be anywhere on the command line.
    """

    def __init__(self, groups: Mapping[str, Mapping[str, Entry]]) -> None:
        self.groups = groups
        self._entries = {name: entry for entries in groups.values() for name, entry in entries.items()}
        super().__init__(
            "Score generated text with confidence intervals, significance tests and explanations.",
            {},
            name="nlgauge",
            invoke_without_command=True,
            callback=_print_help,
            context_settings={"help_option_names": ["-h", "--help"]},
            epilog=_EPILOG,
            params=[
                click.Option(
                    ["--version"],
                    is_flag=True,
                    is_eager=True,
                    expose_value=False,
                    callback=_print_version,
                    help="Print the version and exit.",
                ),
                click.Option(
                    ["--debug"],
                    is_flag=True,
                    expose_value=False,
                    help="Print the traceback of an error; may be anywhere.",
                ),
                click.Option(
                    ["--safe-csv"],
                    is_flag=True,
                    expose_value=False,
                    help="Escape formulas in CSV and TSV for spreadsheets; may be anywhere.",
                ),
            ],
        )

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands in the order of their groups."""
        return list(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in self._entries:
            return None
        module, _, name = self._entries[cmd_name].place.partition(":")
        command: click.Command = getattr(import_module(f"nlgauge.cli.commands.{module}"), name)
        return command

    def main(self, args: Sequence[str] | None = None, *_: Any, **__: Any) -> Any:
        """Run a command line, and exit."""
        words = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in words
        _tolerant_streams()
        try:
            with _plain_warnings(), _handling_sigterm(), _safe_csv("--safe-csv" in words):
                code = super().main(
                    [word for word in words if word not in _ANYWHERE],
                    prog_name="nlgauge",
                    standalone_mode=False,
                )
            sys.stdout.flush()
        except (BrokenPipeError, _ReaderLeft, SystemExit) as error:
            # rich ends the program with 1 if a pipe is closed.
            if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
                raise
            code = _discard_output()
        except Exception as error:
            code = _report(error, debug)
        sys.exit(code if isinstance(code, int) else 0)

    def make_context(
        self, info_name: str | None, args: list[str], *arguments: Any, **settings: Any
    ) -> click.Context:
        """Parse the words, which prints the help if it is requested."""
        words = tuple(args)
        with _noticing_closed_pipes():
            context = super().make_context(info_name, args, *arguments, **settings)
        context.meta[_LINE] = words
        return context

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; if it is interrupted, report the directory of its results."""
        try:
            with _noticing_closed_pipes():
                return super().invoke(ctx)
        except KeyboardInterrupt as error:
            written, running = ctx.meta.get(_WRITTEN), ctx.meta.get(_RUNNING)
            state = "nothing was written"
            if written:
                state = f"the result is in {written}"
            elif running is not None and running.exists():
                state = f"progress is saved in {running}; {ctx.meta[_CONTINUE]}"
            say(f"interrupted; {state}")
            raise click.exceptions.Exit(
                TERMINATED if isinstance(error, Terminated) else INTERRUPTED
            ) from None


def command_line(omitted: Mapping[str, int]) -> str:
    """Return the command line that is running, without these options; a number is 2 if the option has a value."""
    import shlex

    words, rest = ["nlgauge"], list(click.get_current_context().meta[_LINE])
    while rest:
        name, equals, _ = rest[0].partition("=")
        if name in omitted:
            del rest[: 1 if equals else omitted[name]]
        else:
            words.append(rest.pop(0))
    return shlex.join(words)


def note_written(path: Path | None) -> None:
    """Remember the directory of the result, in case the command is interrupted."""
    click.get_current_context().meta[_WRITTEN] = path


def note_running(path: Path, action: str = "run the same command with --resume to continue") -> None:
    """Remember the directory of an unfinished run, and how to continue, in case the command is interrupted."""
    click.get_current_context().meta.update({_RUNNING: path, _CONTINUE: action})


def _print_help() -> None:
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _print_version(context: click.Context, _: click.Parameter, requested: bool) -> None:
    if requested and not context.resilient_parsing:
        from nlgauge.cli.commands.about import version_line

        click.echo(version_line())
        context.exit()


@contextmanager
def _noticing_closed_pipes() -> Iterator[None]:
    """Raise _ReaderLeft if a pipe is closed inside the block."""
    try:
        yield
    except BrokenPipeError:
        raise _ReaderLeft from None


@contextmanager
def _handling_sigterm() -> Iterator[None]:
    """Raise Terminated at SIGTERM inside the block; only the main thread can handle signals."""

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
def _safe_csv(requested: bool) -> Iterator[None]:
    """Escape formulas in CSV and TSV inside the block, if requested."""
    if not requested:
        yield
        return
    from nlgauge.show.writers.csv import SAFE

    token = SAFE.set(True)
    try:
        yield
    finally:
        SAFE.reset(token)


def _discard_output() -> int:
    """Discard further output, because the reader of the pipe, such as `head`, has closed it; return 0."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _report(error: Exception, debug: bool) -> int:
    """Print an error; return the exit code."""
    if debug:
        import traceback

        traceback.print_exception(error)
    if isinstance(error, click.UsageError):
        message = error.format_message()
        start = message[:1].lower() if message[1:2].islower() else message[:1]  # click starts with a capital
        say(f"error: {start}{message[1:]}")
        say(f"try: {'nlgauge' if error.ctx is None else error.ctx.command_path.strip()} --help")
        return USAGE
    if isinstance(error, click.Abort):  # Ctrl-C or the end of the input at a question, before any change
        say("interrupted; nothing was changed")
        return INTERRUPTED if isinstance(error.__context__, KeyboardInterrupt) else FAILURE
    if isinstance(error, NlgaugeError):
        say(f"error: {error.for_cli()}")
        return USAGE if isinstance(error, InputError | ParameterError | LookupError) else FAILURE
    if isinstance(error, OSError) and error.strerror:  # the disk is full, permission is denied, ...
        say(f"error: {error.strerror}{f': {error.filename}' if error.filename else ''}")
        return FAILURE
    if isinstance(error, MemoryError):
        say("error: not enough memory; `nlgauge score --stream -o RESULT --jobs 1` reads files in chunks")
        return FAILURE
    say(f"error: {type(error).__name__}: {error}")
    if not debug:
        say("this error is unexpected; run the command with --debug to print the traceback")
    return FAILURE


def _tolerant_streams() -> None:
    """Escape characters that the encoding of a stream lacks, and discard output to a closed stream."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Print warnings in one line each, without file and line of the code."""
    before = warnings.showwarning
    warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
    try:
        yield
    finally:
        warnings.showwarning = before
