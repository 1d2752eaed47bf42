"""The words of a command line, converted to one form before click parses them.

    -m bleu chrf,ter          is   -m bleu -m chrf -m ter
    -r ref0 ref1 -i sysA      is   -r ref0 -r ref1, and sysA is a system
    ref0 ref1 -i sysA         is   the same, as in sacreBLEU
    --confidence --quiet      is   --confidence 0.95 --quiet

The rules do not guess. -m takes metrics; the first word after them that is not the name of a metric is a
file. -r takes one file, and the files after it are systems; but if -i names the systems, every file after -r
is a reference. Ambiguous words are refused with both forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from nlgauge.errors import UnknownMetricError, did_you_mean

METRIC, REFERENCES, INPUT, CONFIDENCE, ECHO = "--metric", "--references", "--input", "--confidence", "--echo"
_METRIC_FORM = r"(?:\w[\w-]*=)?[A-Za-z][\w-]*(?:\.\w+)?(?:\((?s:.*)\))?(?:@source)?"
_LIKE_REFERENCES = r"(?i)(?:^|[._-])ref(?:s|erences?)?(?:[._-]|\d|$)"
_NUMBER = r"\d*\.?\d+"
# A text in quotes, which stays unchanged, or blanks around the equals sign of a name or before a bracket.
_BLANK = r"""(?P<text>'[^']*'|"[^"]*")|\s*(?P<equals>=)\s*|\s+(?P<bracket>\()"""


class Names(NamedTuple):
    """The long name of every option by each of its names, and the long names of flags."""

    long: Mapping[str, str]
    flags: frozenset[str]

    def options(self, word: str) -> list[tuple[str, str | None]]:
        """Return the long names of the options in a word, with a value in the same word: --metric=bleu,
        -mbleu, -qb.
        """
        name, equals, value = word.partition("=")
        if equals and self.long.get(name) in self.flags:
            return [(word, None)]  # click refuses it
        if name in self.long or word.startswith("--"):
            return [(self.long.get(name, name), value if equals else None)]
        options: list[tuple[str, str | None]] = []
        for i, letter in enumerate(word[1:], 2):
            option = self.long.get(f"-{letter}")
            if option is None:
                return [(word, None)]
            if option not in self.flags:
                return [*options, (option, word[i:] or None)]
            options.append((option, None))
        return options


class OptionWords(NamedTuple):
    """An option with its value and the words up to the next option; only files if `option` is empty."""

    option: str
    value: str | None = None
    following: Sequence[str] = ()


def option_words(words: Sequence[str], names: Names) -> Iterator[OptionWords]:
    """Split a command line into options and files, in their order."""
    left = list(words)

    def files() -> list[str]:
        end = next((i for i, word in enumerate(left) if word.startswith("-") and word != "-"), len(left))
        taken = left[:end]
        del left[:end]
        return taken

    yield OptionWords("", None, files())
    while left:
        word = left.pop(0)
        if word == "--":
            yield OptionWords("", None, left)
            return
        *others, (option, value) = names.options(word)
        yield from (OptionWords(flag) for flag, _ in others)
        if value is None and option in names.long.values() and option not in names.flags:
            has_default = option == CONFIDENCE and not (left and re.fullmatch(_NUMBER, left[0]))
            value = left.pop(0) if left and not has_default else None
        yield OptionWords(option, value, files())


def arranged(words: Sequence[str], names: Names) -> list[str]:
    """Return the words in their one form: options with one value at most, then two hyphens and the systems."""
    parts = list(option_words(words, names))
    with_input = any(part.option == INPUT for part in parts)
    options: list[str] = []
    systems: list[str] = []
    for part in parts:
        values, files = [part.value], part.following
        if part.option == METRIC and part.value is not None:
            metrics, files = _metrics_first(part.following)
            values = [*separated(part.value), *metrics]
        elif part.option in (INPUT, ECHO) or (part.option == REFERENCES and with_input):
            values, files = [part.value, *part.following], []
        elif part.option == REFERENCES:
            _check_references(part, systems)
        elif part.option == CONFIDENCE and part.value is None:
            values = ["0.95"]
        systems += files
        if part.option:
            options += [word for value in values for word in (part.option, value) if word is not None]
    if not with_input:
        return [*options, "--", *systems] if systems else options
    if systems and REFERENCES in options:
        raise click.UsageError(
            f"{systems[0]!r} is neither after -r nor after -i; with -i, write references after -r and systems"
            " after -i."
        )
    return [*options, *(word for file in systems for word in (REFERENCES, file))]


def separated(text: str) -> list[str]:
    """Return the metrics of one word, separated by commas and spaces outside brackets.

    >>> separated("bleu, chrf(word_order=2, char_order=6) ter")
    ['bleu', 'chrf(word_order=2, char_order=6)', 'ter']
    >>> separated("plus = chrf(word_order=2) bleu")
    ['plus=chrf(word_order=2)', 'bleu']
    """
    names, depth, quote_mark = [""], 0, ""
    for letter in re.sub(_BLANK, lambda match: match[match.lastgroup or 0], text):
        if quote_mark or letter in "'\"":
            quote_mark = "" if letter == quote_mark else quote_mark or letter
        else:
            depth += (letter == "(") - (letter == ")")
        if depth <= 0 and not quote_mark and (letter == "," or letter.isspace()):
            names.append("")
        else:
            names[-1] += letter
    return [name for name in names if name] or [text]


def _metrics_first(words: Sequence[str]) -> tuple[list[str], Sequence[str]]:
    """Return the metrics at the start of the words, and the files after them."""
    metrics: list[str] = []
    for i, word in enumerate(words):
        if not _is_metric(word):
            return metrics, words[i:]
        metrics += separated(word)
    return metrics, []


def _is_metric(word: str) -> bool:
    """Return whether a word after a metric is a metric too; raise if it is also a file, or neither a
    metric nor a file.
    """
    parts = separated(word)
    if not all(re.fullmatch(_METRIC_FORM, part) for part in parts):
        return False
    from nlgauge.engine.prepare import split_name
    from nlgauge.metric.registry import find, metric_classes

    is_file = Path(word).exists() or Path(word.partition("=")[2]).is_file()
    for part in parts:
        label, name = split_name(part)
        name = name.partition("(")[0]
        try:
            find(name)
        except UnknownMetricError:
            if is_file or label or "." in name:
                return False
            raise UnknownMetricError(
                f"{name!r} is neither a metric nor a file{did_you_mean(name, metric_classes())}; `nlgauge list` shows"
                " all metrics."
            ) from None
    if is_file:
        from shlex import quote

        raise click.UsageError(
            f"{word!r} is both a metric and a file; write -m {quote(word)} for the metric, or"
            f" {label}{'=' * bool(label)}./{name} for the file."
        )
    return True


def _check_references(part: OptionWords, systems: list[str]) -> None:
    """Raise if files after -r may be references as well as systems."""
    if not part.following or part.value is None:
        return
    first, *others = part.following
    unclear = bool(systems) or all(
        re.search(_LIKE_REFERENCES, Path(file).name) for file in (part.value, first)
    )
    if unclear:
        from shlex import join, quote

        rest = join([*systems, *others]) or "SYSTEM"
        raise click.UsageError(
            f"{first} may be a reference or a system; for a reference write -r {quote(part.value)} -r"
            f" {quote(first)} {rest}, for a system -r {quote(part.value)} -i"
            f" {join([*systems, *part.following])}"
        )
