"""nlgauge explain: why a segment of a saved result got its score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from nlgauge.cli.command import Command
from nlgauge.cli.complete import complete_labels, complete_systems
from nlgauge.cli.options import AsJson, ResultDirectory
from nlgauge.cli.output import show, show_json
from nlgauge.cli.parameters import option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from nlgauge.corpus import Corpus
    from nlgauge.explanations import Explanation
    from nlgauge.results.result import Result


@Command
def explain(
    directory: ResultDirectory,
    *,
    metric: Annotated[
        str,
        option("--metric", "-m", help="Metric of the result.", metavar="METRIC", complete=complete_labels),
    ],
    segment: Annotated[str, option("--segment", help="Id or number (from 0) of the segment.", metavar="ID")],
    system: Annotated[
        str | None,
        option(
            "--system",
            help="Explain only this system (default: all).",
            metavar="SYSTEM",
            complete=complete_systems,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Explain the score of a segment: matched words, edits, alignments.

    Show how a metric arrived at the score of one segment.

        nlgauge explain out/ -m bleu --segment 3
    """
    from nlgauge.explanations.wire import document
    from nlgauge.results.storage.load import load

    result = load(directory)
    explanations_of = {
        name: _explanations(result, metric, segment, name)
        for name in ([system] if system else result.systems)
    }
    number = result.corpus.number(segment)
    assert number is not None
    if as_json:
        show_json(
            {
                "metric": result._label(metric),
                "segment": result.corpus.ids[number],
                "systems": {
                    name: [document(explanation) for explanation in explanations]
                    for name, explanations in explanations_of.items()
                },
            }
        )
        return
    show(*_segment(result.corpus, number))
    for name, explanations in explanations_of.items():
        show(*_system(result.corpus, number, name, explanations))


def _explanations(result: Result, metric: str, segment: str, system: str) -> list[Explanation]:
    from nlgauge.errors import ResultError

    explanations = result.explain(metric, segment, system)
    if not explanations:
        raise ResultError(f"{result._label(metric)} does not explain segments; choose another metric.")
    return explanations


def _segment(corpus: Corpus, number: int) -> list[RenderableType]:
    shown = [_line("segment", str(corpus.ids[number]))]
    if corpus.sources is not None:
        shown.append(_line("source", corpus.texts[corpus.sources[number]]))
    if corpus.references is not None:
        shown += [_line("reference", corpus.texts[text]) for text in corpus.references[number]]
    return shown


def _system(
    corpus: Corpus, number: int, system: str, explanations: list[Explanation]
) -> list[RenderableType]:
    from rich.text import Text

    from nlgauge.show.pages.explanations import render

    predictions = [_line("prediction", corpus.texts[text]) for text in corpus.predictions[system][number]]
    return [
        Text(""),
        _line("system", system),
        *predictions,
        Text(""),
        *(render(explanation) for explanation in explanations),
    ]


def _line(name: str, text: str) -> RenderableType:
    from rich.text import Text

    from nlgauge._core.safe_text import visible

    return Text().append(f"{name}: ", style="dim").append(visible(text))
