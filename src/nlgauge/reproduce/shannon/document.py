"""The Shannon paper: its steps, tables, figures and claims. SmolLM2 replaces GPT-2 if this is not installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nlgauge.reproduce.printed_tables import names, printed
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.shannon import game, pictures, rows
from nlgauge.reproduce.shannon.rows import BIASES, TABLE
from nlgauge.reproduce.steps import Answer, Claimed, Document, Step, Verdict

_GAME = {"gpt2": "smollm2"}
# Measured with SmolLM2 on 100 documents and 17 systems.
_READING = 3600.0
_FIRST = 5


def _strings(settings: Settings) -> Answer:
    """Return the rows that need no model, and the claims on printed numbers."""
    return replace(rows.strings(settings), verdicts=_printed_verdicts())


def _printed_verdicts() -> dict[str, Verdict]:
    """Return the verdicts on claims about the printed numbers of Table 1."""
    table = printed(TABLE)
    # Rows that tie with the fifth value are among the five best.
    sizes = [[abs(row[at]) for row in table.values] for at in range(len(table.columns))]
    top = {
        column: {i for i, size in enumerate(column_sizes) if size >= sorted(column_sizes)[-_FIRST]}
        for column, column_sizes in zip(table.columns, sizes, strict=True)
    }
    always = [table.names[i] for i in range(len(table.names)) if all(i in best for best in top.values())]
    wrong = [
        f"{table.names[i]}, {column}"
        for at, column in enumerate(table.columns)
        for i in range(len(table.names))
        if table.bold[i][at] != (i in top[column])
    ]
    test = "printed numbers of Table 1, by magnitude"
    return {
        "top-five": Verdict(
            "supported" if sorted(always) == ["Info Diff", "Shannon"] else "contradicted",
            f"among the five best everywhere: {', '.join(always) or 'none'}",
            test,
        ),
        "bold": Verdict("contradicted" if wrong else "supported", "; ".join(wrong) or "no slip", test),
    }


def _step(
    name: str,
    makes: dict[str, tuple[str, ...]],
    run: Callable[[Settings], Answer],
    seconds: float,
    models: dict[str, str] | None = None,
    further: tuple[str, ...] = (),
    benchmark: str = "summeval",
) -> Step:
    return Step(
        name,
        makes,
        run,
        seconds=seconds,
        inputs=rows.DOCUMENTS,
        benchmark=benchmark,
        models=models or {},
        further_models=further,
    )


_LONG = ("Shannon Score", "Information Difference")
_SIZES = game.SIZES
DOCUMENT = Document(
    "shannon",
    "Egan, Vasilyev, Bohannon: Play the Shannon Game (AAAI 2022)",
    names("shannon"),
    [
        _step("strings", {TABLE: tuple(rows.STRINGS)}, _strings, 60),
        _step("statistics", {TABLE: tuple(rows.STATISTICS), BIASES: ()}, rows.statistics, 30),
        _step("peers", {TABLE: tuple(rows.PEERS)}, rows.peers, 5),
        _step(
            "vectors",
            {TABLE: tuple(rows.VECTORS)},
            rows.vectors,
            40,
            {"deps-words": "glove"},
        ),
        _step("blanc", {TABLE: ("BLANC",)}, rows.blanc, 4 * _READING, {"bert-base-uncased": ""}),
        _step(
            "encoders",
            {TABLE: rows.ENCODERS},
            rows.encoders,
            160,
            {"bert-base-uncased": "minilm", "bert-large-nli-stsb-mean-tokens": "minilm"},
        ),
        _step(
            "game",
            {TABLE: ("Shannon", "Info Diff"), game.BLANC: (), BIASES: ()},
            game.game,
            _READING,
            _GAME,
        ),
        _step(
            "models",
            {game.MODELS: tuple(f"{name}, {row}" for name in _LONG for row in _SIZES)},
            game.models,
            4 * _READING,
            {**_GAME, "gpt2-medium": ""},
            ("gpt2-large", "gpt2-xl", "openai-gpt"),
        ),
        # With 1 to 4 sentences of context a document takes 1.9, 2.3, 2.6 and 2.9 times as long.
        _step("upstream", {game.UPSTREAM: ()}, game.upstream, 10.7 * _READING, _GAME),
        _step("whale", {pictures.TOKENS: ()}, pictures.whale, 20, _GAME),
        _step(
            "separation",
            {pictures.SEPARATION: ()},
            pictures.separation,
            1300,
            _GAME,
            benchmark="realsumm",
        ),
    ],
    [
        Claimed(
            "top-five",
            "4.1",
            "Only Shannon Score and Information Difference are among the five best of every column, in print.",
            "strings",
        ),
        Claimed(
            "top-five-again",
            "4.1",
            "Shannon Score and Information Difference are among the five best of every column.",
            "game",
        ),
        Claimed("best", "4.1", "Both metrics agree best with coherence and with relevance.", "game"),
        Claimed("length-bias", "4.3", "Both metrics are biased to long summaries.", "game"),
        Claimed(
            "abstractive",
            "4.3",
            "Both metrics are less biased against abstractive summaries than people who judge consistency.",
            "game",
        ),
        Claimed(
            "upstream",
            "5.2",
            "Preceding sentences raise the agreement on consistency and lower it on the other dimensions.",
            "upstream",
        ),
        Claimed("size", "5.1", "Larger models of a family do not agree better with people.", "models"),
        Claimed(
            "corrupted",
            "3.2",
            "Original summaries score higher than shuffled and wrong summaries on every document.",
            "separation",
        ),
        Claimed(
            "accuracy",
            "5.3",
            "BLANC-Shannon is better on consistency and worse on the other dimensions.",
            "game",
        ),
        Claimed("bold", "4.1", "Bold marks the five highest values of every column.", "strings"),
    ],
    {
        f"{TABLE}/SummaQA": "weights: a model that answers questions, which is not built",
        "shannon-table-2": "data: DUC 2001 and 2002 are available under agreement with NIST",
        **{
            f"{game.MODELS}/{name}, {row}": f"weights: {model} is no causal model that reads a text from left"
            " to right in one pass, and is refused"
            for name in _LONG
            for row, model in (("XLNet", "XLNet"), ("TransfoXL", "Transformer-XL"))
        },
    },
)
