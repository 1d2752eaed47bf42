"""The test sets of sacreBLEU: what sacreBLEU itself has fetched and knows of them. Nothing is fetched here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

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
    def _dataset(self) -> Any:
        return _dataset(self.name)

    @property
    def references(self) -> list[str]:
        """The files of references."""
        return list(map(str, self._dataset.get_reference_files(self.pair)))

    @property
    def source(self) -> str:
        """The file of sources."""
        return str(self._dataset.get_source_file(self.pair))

    def part_of(self, corpus: Corpus) -> Corpus:
        """The segments of the part that was asked for."""
        if self.origlang is None and self.subset is None:
            return corpus
        import numpy as np
        from sacrebleu.utils import filter_subset

        numbers = filter_subset([list(range(len(corpus)))], self.name, self.pair, self.origlang, self.subset)[0]
        if not numbers:
            raise InputError(f"{self.name}, {self.pair} has no segment of this part.")
        return corpus.take(np.array(numbers))

    def check_here(self) -> None:
        """Raises where sacreBLEU would have to fetch the test set."""
        dataset = self._dataset
        if self.pair not in dataset.langpairs:
            pairs = ", ".join(dataset.langpairs)
            raise ParameterError(f"{self.name} has no language pair {self.pair!r}{did_you_mean(self.pair, dataset.langpairs)}; there are {pairs}.")
        texts = [Path(dataset._get_txt_file_path(self.pair, field)) for field in dataset.fieldnames(self.pair)]
        packed = [Path(dataset._rawdir) / dataset._get_tarball_filename(url) for url in dataset.data or ()]
        if not all(path.exists() for path in texts) and not (packed and all(path.exists() for path in packed)):
            raise InputError(
                f"the test set {self.name} is not on this machine ({Path(dataset._outdir)}); "
                f"sacreBLEU fetches it: sacrebleu --download {self.name} -l {self.pair}"
            )


def chosen(name: str | None, lang: str | None, references: Sequence[str], origlang: str | None = None, subset: str | None = None) -> TestSet | None:
    """The test set that -t and -l name; None without -t."""
    if name is None:
        if origlang or subset:
            raise ParameterError("--origlang and --subset choose a part of a test set; name it with -t.")
        _check_language(lang)
        return None
    if references:
        raise ParameterError(f"-t {name} brings its own references; leave out -t or -r {references[0]}.")
    if lang is None or "-" not in lang:
        raise ParameterError(f"-t {name} needs a language pair, such as -l en-de; there are {', '.join(_dataset(name).langpairs)}.")
    found = TestSet(name, lang, origlang, subset)
    found.check_here()
    return found


def _check_language(lang: str | None) -> None:
    """Raises where -l may be a language pair or a language with its region."""
    from nlgauge.corpus.language import code, name

    if lang is None or not _PAIR.fullmatch(lang):
        return
    first, _, second = lang.partition("-")
    if name(code(second)) != code(second):
        raise ParameterError(
            f"-l {lang}: for texts in {name(second)} write -l {second}, for {name(first)} with a region -l {first}-{second.upper()}; "
            "a language pair belongs to a test set, -t NAME."
        )


def describe(name: str | None, lang: str | None, fields: Sequence[str], *, cite: bool, origlang: str | None, subset: str | None) -> None:
    """Prints what sacreBLEU knows of its test sets: their list, language pairs and fields, citation or texts."""
    from sacrebleu.dataset import DATASETS

    if fields:
        if name is None:
            raise ParameterError("--echo needs a test set and a language pair: -t NAME -l en-de.")
        found = chosen(name, lang, (), origlang, subset)
        assert found is not None
        _echo(found, fields)
    elif cite:
        if name is None:
            raise ParameterError("--cite needs a test set: -t NAME.")
        typer.echo(_dataset(name).citation or f"{name} names no citation.")
    elif name is not None:
        for pair in [lang] if lang else _dataset(name).langpairs:
            typer.echo(f"{pair}: {', '.join(_dataset(name).fieldnames(pair))}")
    else:
        for known in sorted(DATASETS):
            if lang is None or lang in DATASETS[known].langpairs:
                typer.echo(f"{known:<30}: {DATASETS[known].description.strip()}")


def _dataset(name: str) -> Any:
    from sacrebleu.dataset import DATASETS

    if name not in DATASETS:
        raise ParameterError(f"sacreBLEU has no test set {name!r}{did_you_mean(name, DATASETS)}; nlgauge score --list shows all.")
    return DATASETS[name]


def _echo(found: TestSet, fields: Sequence[str]) -> None:
    from sacrebleu.utils import print_test_set

    known = _dataset(found.name).fieldnames(found.pair)
    for field in fields:
        if field not in (*known, "all", "ref"):
            raise ParameterError(f"{found.name}, {found.pair} has no field {field!r}; there are {', '.join(known)}.")
    print_test_set(found.name, found.pair, list(fields), found.origlang, found.subset)
