"""The words of a command line, brought into one form before they are parsed.

    -m bleu chrf,ter          is   -m bleu -m chrf -m ter
    -r ref0 ref1 -i sysA      is   -r ref0 -r ref1, and sysA is a system
    ref0 ref1 -i sysA         is   the same, as in sacreBLEU
    --confidence --quiet      is   --confidence 0.95 --quiet

The rules are certain, so that nothing is guessed. -m takes metrics; the first word after them that is not the
name of a metric is a file. -r takes one file, and the files after it are systems; but if -i names the
systems, every file after -r is a reference. Words that may mean two things are refused with both forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shlex import join, quote

from nlgauge.errors import ParameterError, UnknownMetricError, did_you_mean

METRIC, REFERENCES, INPUT, CONFIDENCE, ECHO = "--metric", "--references", "--input", "--confidence", "--echo"
_METRIC_FORM = re.compile(r"[A-Za-z][\w-]*(?:\.\w+)?(?:\(.*\))?", re.DOTALL)
_LIKE_REFERENCES = re.compile(r"(?:^|[._-])ref(?:s|erences?)?(?:[._-]|\d|$)", re.IGNORECASE)
_NUMBER = re.compile(r"\d*\.?\d+")


@dataclass(frozen=True)
class Names:
    """The long name of every option by each name that it has, and the long names of those that take no
    value.
    """

    long: Mapping[str, str]
    flags: frozenset[str]

    def spelt(self, word: str) -> list[tuple[str, str | None]]:
        """The options of a word by their long names, with the value that stands in the word:
        --metric=bleu, -mbleu, -qb.
        """
        name, equals, value = word.partition("=")
        if equals and self.long.get(name) in self.flags:
            return [(word, None)]  # which is refused
        if name in self.long or word.startswith("--"):
            return [(self.long.get(name, name), value if equals else None)]
        found: list[tuple[str, str | None]] = []
        for i, letter in enumerate(word[1:], 2):
            option = self.long.get(f"-{letter}")
            if option is None:
                return [(word, None)]
            if option not in self.flags:
                return [*found, (option, word[i:] or None)]
            found.append((option, None))
        return found


@dataclass(frozen=True)
class OptionWords:
    """An option with its value and the words behind that, up to the next option; or files alone, where
    `option` is empty.
    """

    option: str
    value: str | None = None
    following: list[str] = field(default_factory=list)


def given_words(words: Sequence[str], names: Names) -> Iterator[OptionWords]:
    """The options and files of a command line in their order."""
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
        *others, (option, value) = names.spelt(word)
        yield from (OptionWords(flag) for flag, _ in others)
        if value is None and option in names.long.values() and option not in names.flags:
            alone = option == CONFIDENCE and not (left and _NUMBER.fullmatch(left[0]))
            value = left.pop(0) if left and not alone else None
        yield OptionWords(option, value, files())


def arranged(words: Sequence[str], names: Names) -> list[str]:
    """The words in the one form: options with one value at most, then two hyphens and the systems."""
    every = list(given_words(words, names))
    with_input = any(given.option == INPUT for given in every)
    options: list[str] = []
    systems: list[str] = []
    for given in every:
        values, files = [given.value], given.following
        if given.option == METRIC and given.value is not None:
            metrics, files = _metrics_first(given.following)
            values = [*separated(given.value), *metrics]
        elif given.option in (INPUT, ECHO) or (given.option == REFERENCES and with_input):
            values, files = [given.value, *given.following], []
        elif given.option == REFERENCES:
            _check_references(given, systems)
        elif given.option == CONFIDENCE and given.value is None:
            values = ["0.95"]
        systems += files
        if given.option:
            options += [part for value in values for part in (given.option, value) if part is not None]
    if not with_input:
        return [*options, "--", *systems] if systems else options
    if systems and REFERENCES in options:
        raise ParameterError(
            f"with -i every file follows -r (references) or -i (systems); {systems[0]!r} follows neither."
        )
    return [*options, *(part for file in systems for part in (REFERENCES, file))]


def separated(given: str) -> list[str]:
    """The metrics of one word: commas and blanks outside brackets separate them.

    >>> separated("bleu, chrf(word_order=2, char_order=6) ter")
    ['bleu', 'chrf(word_order=2, char_order=6)', 'ter']
    """
    names, depth, quote_mark = [""], 0, ""
    for letter in re.sub(r"\s+\(", "(", given):
        if quote_mark or letter in "'\"":
            quote_mark = "" if letter == quote_mark else quote_mark or letter
        else:
            depth += (letter == "(") - (letter == ")")
        if depth <= 0 and not quote_mark and (letter == "," or letter.isspace()):
            names.append("")
        else:
            names[-1] += letter
    return [name for name in names if name] or [given]


def _metrics_first(words: list[str]) -> tuple[list[str], list[str]]:
    """The metrics that these words begin with, and the files behind them."""
    metrics: list[str] = []
    for i, word in enumerate(words):
        if not _is_metric(word):
            return metrics, words[i:]
        metrics += separated(word)
    return metrics, []


def _is_metric(word: str) -> bool:
    """Whether a word behind a metric is one too; an error where it may be a file as well, or could be
    either and is neither.
    """
    parts = separated(word)
    if not all(_METRIC_FORM.fullmatch(part) for part in parts):
        return False
    from nlgauge.metric.registry import find, metric_classes

    here = Path(word).exists()
    for part in parts:
        name = part.partition("(")[0]
        try:
            find(name)
        except UnknownMetricError:
            if here or "." in name:
                return False
            raise UnknownMetricError(
                f"there is neither a metric nor a file {name!r}{did_you_mean(name, metric_classes())}."
            ) from None
    if here:
        raise ParameterError(
            f"{word!r} is the name of a metric and of a file; write -m {quote(word)} for the metric, ./{word}"
            " for the file."
        )
    return True


def _check_references(given: OptionWords, systems: list[str]) -> None:
    """Raises where files behind -r may be references as well as systems."""
    if not given.following or given.value is None:
        return
    first, *others = given.following
    unclear = bool(systems) or all(_LIKE_REFERENCES.search(Path(file).name) for file in (given.value, first))
    if unclear:
        rest = join([*systems, *others]) or "SYSTEM"
        raise ParameterError(
            f"is {first} another reference or a system? For a reference write -r {quote(given.value)} -r"
            f" {quote(first)} {rest}, for a system -r {quote(given.value)} -i"
            f" {join([*systems, *given.following])}"
        )
