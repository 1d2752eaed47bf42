"""The options that `nlgauge score` has as sacreBLEU has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from nlgauge.cli.parameters import option

if TYPE_CHECKING:
    from nlgauge.cli.sacrebleu.sets import TestSet

_SACREBLEU = "As in sacreBLEU"


@dataclass(frozen=True)
class SacrebleuOptions:
    """Tokeniser and case of BLEU, and test sets."""

    tokenize: Annotated[
        str | None,
        option(
            "--tokenize",
            "-tok",
            help="Tokeniser of BLEU; without BLEU, of the metrics that take it.",
            metavar="NAME",
            panel=_SACREBLEU,
        ),
    ] = None
    lowercase: Annotated[
        bool,
        option(
            "--lowercase",
            "-lc",
            help="Lower case for BLEU; without BLEU, for the metrics that can.",
            panel=_SACREBLEU,
        ),
    ] = False
    test_set: Annotated[
        str | None,
        option(
            "--test-set",
            "-t",
            help="References and sources of a test set of sacreBLEU.",
            metavar="NAME",
            panel=_SACREBLEU,
        ),
    ] = None
    origlang: Annotated[
        str | None,
        option(
            "--origlang",
            "-ol",
            help="Of the test set: this original language.",
            metavar="CODE",
            panel=_SACREBLEU,
        ),
    ] = None
    subset: Annotated[
        str | None,
        option(
            "--subset",
            help="Of the test set: documents that match.",
            metavar="PATTERN",
            panel=_SACREBLEU,
        ),
    ] = None
    echo: Annotated[
        list[str] | None,
        option(
            "--echo",
            help="Print fields of the test set (src, ref, ...).",
            metavar="FIELD...",
            panel=_SACREBLEU,
        ),
    ] = None
    list_sets: Annotated[bool, option("--list", help="List test sets.", panel=_SACREBLEU)] = False
    cite: Annotated[bool, option("--cite", help="Print how to cite the test set.", panel=_SACREBLEU)] = False

    def describe(self, lang: str | None) -> bool:
        """Prints what is asked of test sets; whether anything is."""
        from nlgauge.cli.sacrebleu import sets as sacrebleu_sets

        wanted = bool(self.list_sets or self.cite or self.echo)
        if wanted:
            sacrebleu_sets.describe(
                self.test_set,
                lang,
                self.echo or (),
                cite=self.cite,
                origlang=self.origlang,
                subset=self.subset,
            )
        return wanted

    def chosen(self, lang: str | None, references: Sequence[str]) -> TestSet | None:
        """The test set that is asked for."""
        from nlgauge.cli.sacrebleu import sets as sacrebleu_sets

        return sacrebleu_sets.chosen(self.test_set, lang, references, self.origlang, self.subset)
