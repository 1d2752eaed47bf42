"""The test sets of sacreBLEU: what sacreBLEU itself has fetched and knows of them.

Nothing is fetched here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge.errors import InputError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus

_PAIR = re.compile(r"[a-z]{2,3}-[a-z]{2,3}")


@dataclass(frozen=True)
class TestSet:
    """A test set of sacreBLEU for one language pair, whose files are on this machine."""

    name: str
    pair: str
    origlang: str | None = None
    subset: str | None = None

    @property
    def lang(self) -> str:
        """The language of the translations."""
        return self.pair.partition("-")[2]

    @property
    def references(self) -> list[str]:
        """The files of references."""
        return list(map(str, _known(self.name).get_reference_files(self.pair)))

    @property
    def source(self) -> str:
        """The file of sources."""
        return str(_known(self.name).get_source_file(self.pair))

    def check_here(self) -> None:
        """Raises where there is no such language pair, or sacreBLEU would have to fetch the test set."""
        known = _known(self.name)
        if self.pair not in known.langpairs:
            near = did_you_mean(self.pair, known.langpairs)
            raise ParameterError(
                f"{self.name} has no language pair {self.pair!r}{near}; there are"
                f" {', '.join(known.langpairs)}."
            )
        known.get_files(self.pair)

    def part_of(self, corpus: Corpus) -> Corpus:
        """The segments of the part that was asked for."""
        import numpy as np

        return (
            corpus.take(np.array(self._part([list(range(len(corpus)))])[0]))
            if self.origlang or self.subset
            else corpus
        )

    def lines(self, fields: Sequence[str]) -> Iterator[str]:
        """The lines of these fields, with tabs between them; "all" are all, and "ref" is the first of
        several references.
        """
        known = _known(self.name).fieldnames(self.pair)
        files = dict(zip(known, _known(self.name).get_files(self.pair), strict=True))
        files.setdefault("ref", files[min(field for field in known if field.startswith("ref"))])
        wanted = known if list(fields) == ["all"] else fields
        for field in wanted:
            if field not in files:
                raise ParameterError(
                    f"{self.name}, {self.pair} has no field {field!r}; there are {', '.join(known)}."
                )
        columns = self._part(
            [Path(files[field]).read_text("utf-8").rstrip("\n").split("\n") for field in wanted]
        )
        return ("\t".join(line.rstrip() for line in row) for row in zip(*columns, strict=True))

    def _part(self, columns: list[list[Any]]) -> list[list[Any]]:
        """Of each column what belongs to the part that was asked for."""
        from sacrebleu.utils import filter_subset

        try:
            found: list[list[Any]] = filter_subset(columns, self.name, self.pair, self.origlang, self.subset)
        except FileNotFoundError as error:
            raise InputError(
                f"the part of {self.name} needs sacreBLEU's file {error.filename};"
                f" {_fetching(self.name, self.pair)}"
            ) from None
        if not found[0]:
            raise InputError(f"{self.name}, {self.pair} has no segment of this part.")
        return found


def chosen(
    name: str | None,
    lang: str | None,
    references: Sequence[str],
    origlang: str | None = None,
    subset: str | None = None,
) -> TestSet | None:
    """The test set that -t and -l name; None without -t."""
    if name is None:
        if origlang or subset:
            raise ParameterError("--origlang and --subset choose a part of a test set; name it with -t.")
        _check_language(lang)
        return None
    if references:
        raise ParameterError(f"-t {name} brings its own references; leave out -t or -r {references[0]}.")
    if lang is None or "-" not in lang:
        raise ParameterError(
            f"-t {name} needs a language pair, such as -l en-de; there are"
            f" {', '.join(_known(name).langpairs)}."
        )
    found = TestSet(name, lang, origlang, subset)
    found.check_here()
    return found


def _check_language(lang: str | None) -> None:
    """Raises where -l may be a language pair or a language with its region."""
    from nlgauge._core.language import code, name

    if lang is None or not _PAIR.fullmatch(lang):
        return
    first, _, second = lang.partition("-")
    if name(second) != second:
        raise ParameterError(
            f"-l {lang}: for texts in {name(second)} write -l {code(second)}, for {name(first)} with a region"
            f" -l {first}-{second.upper()}; a language pair belongs to a test set, -t NAME."
        )


def describe(
    name: str | None,
    lang: str | None,
    fields: Sequence[str],
    *,
    cite: bool,
    origlang: str | None,
    subset: str | None,
) -> None:
    """Prints what sacreBLEU knows of its test sets: their list, language pairs and fields, citation or
    texts.
    """
    from sacrebleu.dataset import DATASETS

    if fields:
        found = chosen(name, lang, (), origlang, subset)
        if found is None:
            raise ParameterError("--echo needs a test set and a language pair: -t NAME -l en-de.")
        for line in found.lines(fields):
            click.echo(line)
    elif cite:
        if name is None:
            raise ParameterError("--cite needs a test set: -t NAME.")
        click.echo(_known(name).citation or f"{name} names no citation.")
    elif name is not None:
        for pair in [lang] if lang else _known(name).langpairs:
            click.echo(f"{pair}: {', '.join(_known(name).fieldnames(pair))}")
    else:
        for known in sorted(DATASETS):
            if lang is None or lang in DATASETS[known].langpairs:
                click.echo(f"{known:<30}: {DATASETS[known].description.strip()}")


def _known(name: str) -> Any:
    """What sacreBLEU knows of a test set; where it would fetch it, an error names the command that does."""
    from sacrebleu.dataset import DATASETS

    if name not in DATASETS:
        raise ParameterError(
            f"sacreBLEU has no test set {name!r}{did_you_mean(name, DATASETS)}; nlgauge score --list shows"
            " all."
        )
    found = copy(DATASETS[name])
    fetch = found.maybe_download

    def unpack() -> None:
        packed = [Path(found._rawdir) / found._get_tarball_filename(url) for url in found.data or ()]
        if not packed or not all(path.exists() for path in packed):
            raise InputError(
                f"the test set {name} is not on this machine ({Path(found._outdir)});"
                f" {_fetching(name, 'PAIR')}"
            )
        fetch()

    found.maybe_download = unpack
    return found


def _fetching(name: str, pair: str) -> str:
    return f"sacreBLEU fetches it: sacrebleu --download {name} -l {pair}"
