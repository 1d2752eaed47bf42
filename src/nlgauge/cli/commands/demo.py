"""nlgauge demo: score the sample that ships with the package."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from nlgauge.cli.command import Command
from nlgauge.cli.options import NoCache, ShownOptions
from nlgauge.cli.output import say, show
from nlgauge.cli.parameters import option
from nlgauge.cli.present import present
from nlgauge.cli.program import note_written

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus

METRICS = ("bleu", "chrf", "rouge", "wer", "exact_match", "distinct")
MODEL_METRICS = ('bertscore(model="minilm", layer=6)', "shannon", "cosmic")


def sample() -> Corpus:
    """Return the sample: two systems that summarize short texts, in English and Hindi."""
    from nlgauge.io import Inputs

    with as_file(files("nlgauge") / "data" / "sample.jsonl") as path:
        return Inputs([str(path)]).read()


@Command
def demo(
    models: Annotated[bool, option("--models", help="Also run model-based metrics.")] = False,
    output: Annotated[
        Path, option("--output", "-o", help="Save the result to this directory.", metavar="RESULT")
    ] = Path("demo-result"),
    overwrite: Annotated[bool, option("--overwrite", help="Replace an existing result.")] = False,
    no_cache: NoCache = False,
) -> None:
    """Score the sample that ships with nlgauge; needs no files.

    Score the segments of two systems, compare the systems, and save the result to demo-result. With --models
    also run model-based metrics; first run `nlgauge models get minilm smollm2`.
    """
    from nlgauge.features import RunOptions
    from nlgauge.results.storage.save import check_free
    from nlgauge.scoring import Scorer

    check_free(output, overwrite)
    scorer = Scorer(METRICS + MODEL_METRICS if models else METRICS, cache=not no_cache)
    result = scorer.score_corpus(sample(), None, RunOptions())
    note_written(result.save(output, overwrite=overwrite))
    present(result, ShownOptions())
    say(f"saved to {output}")
    show(result.compare())
    say(f"try next: nlgauge explain {output} -m bleu --segment {result.corpus.ids[0]}")
