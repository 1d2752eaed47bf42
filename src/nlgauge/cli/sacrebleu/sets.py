"""The test sets that sacreBLEU has downloaded; nothing is downloaded here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge.errors import did_you_mean

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus

_PAIR = re.compile(r"[a-z]{2,3}-[a-z]{2,3}")


@dataclass(frozen=True)
class TestSet:
    """A downloaded test set of sacreBLEU for one language pair."""

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
        return list(map(str, _dataset(self.name).get_reference_files(self.pair)))

    @property
    def source(self) -> str:
        """The file of sources."""
        return str(_dataset(self.name).get_source_file(self.pair))

    def check_downloaded(self) -> None:
        """Raise if the language pair is unknown or the test set is not downloaded."""
        dataset = _dataset(self.name)
        if self.pair not in dataset.langpairs:
            near = did_you_mean(self.pair, dataset.langpairs)
            raise click.UsageError(
                f"{self.name} has no language pair {self.pair!r}{near}; choose one of"
                f" {', '.join(dataset.langpairs)}."
            )
        dataset.get_files(self.pair)

    def part_of(self, corpus: Corpus) -> Corpus:
        """Return the segments that --origlang and --subset select."""
        import numpy as np

        return (
            corpus.take(np.array(self._part([list(range(len(corpus)))])[0]))
            if self.origlang or self.subset
            else corpus
        )

    def lines(self, fields: Sequence[str]) -> Iterator[str]:
        """Return the lines of these fields, separated by tabs; "all" means all fields, and "ref" the first
        reference.
        """
        names = _dataset(self.name).fieldnames(self.pair)
        files = dict(zip(names, _dataset(self.name).get_files(self.pair), strict=True))
        files.setdefault("ref", files[min(field for field in names if field.startswith("ref"))])
        chosen_fields = names if list(fields) == ["all"] else fields
        for field in chosen_fields:
            if field not in files:
                raise click.UsageError(
                    f"{self.name}, {self.pair} has no field {field!r}; choose from {', '.join(names)}."
                )
        columns = self._part(
            [Path(files[field]).read_text("utf-8").rstrip("\n").split("\n") for field in chosen_fields]
        )
        return ("\t".join(line.rstrip() for line in row) for row in zip(*columns, strict=True))

    def _part(self, columns: list[list[Any]]) -> list[list[Any]]:
        """Return the rows of each column that --origlang and --subset select."""
        from sacrebleu.utils import filter_subset

        try:
            selected: list[list[Any]] = filter_subset(
                columns, self.name, self.pair, self.origlang, self.subset
            )
        except FileNotFoundError as error:
            raise click.UsageError(
                f"--origlang and --subset need sacreBLEU's file {error.filename};"
                f" {_download(self.name, self.pair)}"
            ) from None
        if not selected[0]:
            raise click.UsageError(
                f"no segment of {self.name}, {self.pair} matches --origlang and --subset; change or omit them."
            )
        return selected


def chosen(
    name: str | None,
    lang: str | None,
    references: Sequence[str],
    origlang: str | None = None,
    subset: str | None = None,
) -> TestSet | None:
    """Return the test set of -t and -l; None without -t."""
    if name is None:
        if origlang or subset:
            raise click.UsageError("--origlang and --subset require a test set; add -t NAME.")
        _check_language(lang)
        return None
    if references:
        raise click.UsageError(f"-t {name} and -r {references[0]} both specify references; omit one.")
    if lang is None or "-" not in lang:
        raise click.UsageError(
            f"-t {name} needs a language pair, such as -l en-de; choose one of"
            f" {', '.join(_dataset(name).langpairs)}."
        )
    test_set = TestSet(name, lang, origlang, subset)
    test_set.check_downloaded()
    return test_set


def _check_language(lang: str | None) -> None:
    """Raise if -l may be a language pair or a language with its region."""
    from nlgauge._core.language import code, name

    if lang is None or not _PAIR.fullmatch(lang):
        return
    first, _, second = lang.partition("-")
    if name(second) != second:
        raise click.UsageError(
            f"-l {lang} is ambiguous; use -l {code(second)} for {name(second)}, -l {first}-{second.upper()} for"
            f" {name(first)} with a region, or add -t NAME for a language pair."
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
    """Print the texts, the citation, or the language pairs and fields of a test set, or list test sets."""
    from sacrebleu.dataset import DATASETS

    if fields:
        test_set = chosen(name, lang, (), origlang, subset)
        if test_set is None:
            raise click.UsageError("--echo needs a test set and a language pair, such as -t wmt17 -l en-de.")
        for line in test_set.lines(fields):
            click.echo(line)
    elif cite:
        if name is None:
            raise click.UsageError("--cite needs a test set; add -t NAME.")
        click.echo(_dataset(name).citation or f"{name} has no citation.")
    elif name is not None:
        for pair in [lang] if lang else _dataset(name).langpairs:
            click.echo(f"{pair}: {', '.join(_dataset(name).fieldnames(pair))}")
    else:
        for title in sorted(DATASETS):
            if lang is None or lang in DATASETS[title].langpairs:
                click.echo(f"{title:<30}: {DATASETS[title].description.strip()}")


def _dataset(name: str) -> Any:
    """Return sacreBLEU's test set; reading a test set that is not downloaded raises InputError."""
    from sacrebleu.dataset import DATASETS

    if name not in DATASETS:
        raise click.UsageError(
            f"unknown test set {name!r}{did_you_mean(name, DATASETS)}; list all with: nlgauge score --list"
        )
    dataset = copy(DATASETS[name])
    download = dataset.maybe_download

    def unpack() -> None:
        packed = [Path(dataset._rawdir) / dataset._get_tarball_filename(url) for url in dataset.data or ()]
        if not packed or not all(path.exists() for path in packed):
            raise click.UsageError(
                f"the test set {name} is not downloaded ({Path(dataset._outdir)}); {_download(name, 'PAIR')}"
            )
        download()

    dataset.maybe_download = unpack
    return dataset


def _download(name: str, pair: str) -> str:
    return f"download it with: sacrebleu --download {name} -l {pair}"
