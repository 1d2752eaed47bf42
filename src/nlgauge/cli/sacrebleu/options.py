"""Options of `nlgauge score` that are the same as in sacreBLEU."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from nlgauge.cli.parameters import SACREBLEU, Options, option

if TYPE_CHECKING:
    from nlgauge.cli.sacrebleu.sets import TestSet


class SacrebleuOptions(Options):
    """Tokenizer and case of BLEU, and test sets."""

    tokenize: Annotated[
        str | None,
        option(
            "--tokenize",
            "-tok",
            help="Tokenizer of BLEU; without BLEU, of all metrics that have a tokenizer.",
            metavar="NAME",
            panel=SACREBLEU,
        ),
    ] = None
    lowercase: Annotated[
        bool,
        option(
            "--lowercase",
            "-lc",
            help="Lowercase texts for BLEU; without BLEU, for all metrics that support it.",
            panel=SACREBLEU,
        ),
    ] = False
    test_set: Annotated[
        str | None,
        option(
            "--test-set",
            "-t",
            help="Use the references and source texts of a sacreBLEU test set.",
            metavar="NAME",
            panel=SACREBLEU,
        ),
    ] = None
    origlang: Annotated[
        str | None,
        option(
            "--origlang",
            "-ol",
            help="Use only segments of the test set in this original language.",
            metavar="CODE",
            panel=SACREBLEU,
        ),
    ] = None
    subset: Annotated[
        str | None,
        option(
            "--subset",
            help="Use only documents of the test set that match a regular expression.",
            metavar="PATTERN",
            panel=SACREBLEU,
        ),
    ] = None
    echo: Annotated[
        list[str] | None,
        option(
            "--echo",
            help="Print fields of the test set, such as src or ref.",
            metavar="FIELD...",
            panel=SACREBLEU,
        ),
    ] = None
    list_sets: Annotated[bool, option("--list", help="List the test sets.", panel=SACREBLEU)] = False
    cite: Annotated[bool, option("--cite", help="Print the citation of the test set.", panel=SACREBLEU)] = (
        False
    )

    def describe(self, lang: str | None) -> bool:
        """Print what the options request about test sets; return whether they request anything."""
        requested = bool(self.list_sets or self.cite or self.echo)
        if requested:
            from nlgauge.cli.sacrebleu import sets as sacrebleu_sets

            sacrebleu_sets.describe(
                self.test_set,
                lang,
                self.echo or (),
                cite=self.cite,
                origlang=self.origlang,
                subset=self.subset,
            )
        return requested

    def chosen(self, lang: str | None, references: Sequence[str]) -> "TestSet | None":
        """Return the test set of -t."""
        if all(value is None for value in (self.test_set, lang, self.origlang, self.subset)):
            return None
        from nlgauge.cli.sacrebleu import sets as sacrebleu_sets

        return sacrebleu_sets.chosen(self.test_set, lang, references, self.origlang, self.subset)
