"""The Shannon paper's Figures 1 and 2: the information of each token of a text, and original, shuffled and wrong
summaries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nlgauge import plots
from nlgauge.explanations import TokenScores
from nlgauge.meta.benchmarks import Benchmark
from nlgauge.meta.papers.shannon import Separation, spoilt
from nlgauge.reproduce.printed_tables import printed
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings, digest
from nlgauge.reproduce.shannon.rows import remark
from nlgauge.reproduce.steps import Answer, Picture, Verdict
from nlgauge.reproduce.verdicts import ClaimWord, Computed, difference_verdict
from nlgauge.scoring import Scorer, score

TOKENS, SEPARATION = "shannon-figure-1", "shannon-figure-2"
# The figure's text is the beginning of this article of SummEval.
_ARTICLE, _LAST_WORDS = "cnn-test-4761dc6d8bdf56b9ada97104113dd1bcf4aed3f1", "round trip"
_GOOD = "Varvara the gray whale traveled from Russia to Mexico, a swim of record breaking length."
_BAD = 'The round humpback has told CNN mammals that Baja was a previous Pacific website for "Guinness."'
_ALONE, _HELPED, _ITSELF = "alone", "given the summary", "given itself"
_SCENARIOS = {
    "I(D)": _ALONE,
    "I(D|S), good summary": "given the good summary",
    "I(D|D)": _ITSELF,
    "I(D|S), bad summary": "given the bad summary",
}
_OUTPUTS = {"Shannon Score": "shannon", "Information Difference": "information_difference"}
# Documents that are scored at once: an interrupted run loses at most these.
_AT_ONCE = 4
_KINDS = ("shuffled", "wrong")


def whale(settings: Settings) -> Answer:
    """Return Figure 1: the information of a text without help, given a good summary, given itself, and given a bad summary."""
    benchmark = settings.benchmark("summeval")
    sources = {row.segment: row.source or "" for row in benchmark.rows}
    if _ARTICLE not in sources:
        cells = {
            (row, "information"): Computed(why="data: the article is not in this benchmark")
            for row in _SCENARIOS
        }
        return Answer({TOKENS: cells})
    # With one space between words, as in the figure.
    article = " ".join(sources[_ARTICLE].replace("(CNN)", "(CNN) ").split())
    text = article[: article.index(_LAST_WORDS) + len(_LAST_WORDS)]
    model, other = settings.model("gpt2")
    numbers = settings.keep("tokens", lambda: _read(text, f"shannon(model={model!r})"))
    cells = {
        (row, "information"): Computed(
            sum(numbers["values"][name]), why="model", stand_in=other, n=len(numbers["ends"])
        )
        for row, name in _SCENARIOS.items()
    }
    starts = [0, *numbers["ends"][:-1]]
    tokens = [text[start:end] for start, end in zip(starts, numbers["ends"], strict=True)]
    title = f"Information of the beginning of an article of SummEval, {model}"
    explanation = TokenScores(title, {}, tokens, numbers["values"], "source")
    rows = [
        {"text": row, "information": cell.value, "printed": printed(TOKENS).value(row, "information")}
        for (row, _), cell in cells.items()
    ]
    names = list(_SCENARIOS.values())
    return Answer(
        {TOKENS: cells},
        pictures=[
            Picture(
                TOKENS,
                "Figure 1",
                f"Information of each token ({model})",
                rows,
                lambda: plots.tokens(explanation, names),
            )
        ],
        notes=["Values of Figure 1 are sums of natural logarithms over the tokens of the model."],
    )


def _read(text: str, metric: str) -> dict[str, Any]:
    """Return the end of each token in the text, and its information in each scenario."""
    result = score({"good": [_GOOD], "bad": [_BAD]}, sources=[text], metrics=metric)
    shown = {system: next(iter(result.explain(result.labels[0], 0, system))) for system in result.systems}
    good, bad = shown["good"], shown["bad"]
    if not isinstance(good, TokenScores) or not isinstance(bad, TokenScores):
        raise TypeError(f"the explanation of {metric} has no tokens.")
    values = dict(
        zip(
            _SCENARIOS.values(),
            (good.values[_ALONE], good.values[_HELPED], good.values[_ITSELF], bad.values[_HELPED]),
            strict=True,
        )
    )
    return {"ends": _ends(text, good.tokens), "values": values}


def _ends(text: str, tokens: Sequence[str]) -> list[int]:
    """Return the end of each token in the text; a token that is a part of a character has its start as its end.

    >>> _ends("a whale  swam", ["a", " whale", "swam"])
    [1, 7, 13]
    """
    ends, place = [], 0
    for token in tokens:
        found = text.find(token.strip(), place) if token.strip() else -1
        # The next token is close: anything farther away is another occurrence.
        if 0 <= found <= place + len(token) + 2:
            place = found + len(token.strip())
        ends.append(place)
    return ends


def separation(settings: Settings) -> Answer:
    """Return Figure 2: the scores of original, shuffled and wrong summaries of REALSumm's documents."""
    benchmark = settings.benchmark("realsumm")
    model, other = settings.model("gpt2")
    numbers = settings.keep(
        "separation",
        lambda: _scores(benchmark, f"shannon(model={model!r})", settings),
        texts=digest(benchmark, human=False),
    )
    found = {
        name: Separation({kind: np.array(values) for kind, values in numbers[output].items()}, True)
        for name, output in _OUTPUTS.items()
    }
    count = len(next(iter(found.values())).values["original"])
    stand_in = remark(settings, other, "REALSumm's documents")
    return Answer(
        tables=[_statements(found, count, stand_in)],
        pictures=[_picture(name, each, model) for name, each in found.items()],
        verdicts={"corrupted": _verdict(found, count, settings)},
    )


def _scores(benchmark: Benchmark, metric: str, settings: Settings) -> dict[str, dict[str, list[float]]]:
    """Return the scores by output and kind of summary."""
    rows = {row.segment: row for row in reversed(benchmark.rows)}
    ordered = [rows[segment] for segment in dict.fromkeys(row.segment for row in benchmark.rows)]
    kinds = spoilt([row.references[0] for row in ordered], settings.seed)
    scorer = Scorer(metric)
    found: dict[str, dict[str, list[float]]] = {
        output: {kind: [] for kind in kinds} for output in _OUTPUTS.values()
    }
    for start in range(0, len(ordered), _AT_ONCE):
        settings.say(f"original, shuffled and wrong summaries: {start} of {len(ordered)} documents")
        part = slice(start, start + _AT_ONCE)
        result = scorer(
            {kind: summaries[part] for kind, summaries in kinds.items()},
            sources=[row.source or "" for row in ordered[part]],
            seed=settings.seed,
        )
        for system, kind in zip(result.systems, kinds, strict=True):
            columns = result._tables[system, result.labels[0]].segments()
            for output in _OUTPUTS.values():
                found[output][kind] += columns[output].tolist()
    return found


def _statements(found: Mapping[str, Separation], count: int, stand_in: str) -> Table:
    """Return the statements of the figure next to the numbers that decide them."""
    table = printed(SEPARATION)
    numbers = [
        {name: f"{each.preferred('shuffled') * count:g} of {count}" for name, each in found.items()},
        {name: f"{each.preferred('wrong') * count:g} of {count}" for name, each in found.items()},
        {name: f"AUC {each.separated('wrong'):.3f}" for name, each in found.items()},
        {name: f"AUC {each.separated('shuffled'):.3f}" for name, each in found.items()},
        {"Shannon Score": f"{np.nanmax(found['Shannon Score'].values['original']):.3f}"},
    ]
    rows = [
        {"statement": row, "printed": table.value(row, "statement"), **each}
        for row, each in zip(table.names, numbers, strict=True)
    ]
    remarks = [
        *table.remarks,
        f"Computed on {stand_in}; a summary's shuffle is one random order of its words.",
    ]
    return Table(table.id, table.number, table.caption, table.units, rows=rows, remarks=remarks)


def _picture(name: str, found: Separation, model: str) -> Picture:
    rows = [
        {
            "score": name,
            "summary": kind,
            "documents": len(values),
            "mean": float(np.nanmean(values)),
            "standard deviation": float(np.nanstd(values, ddof=1)),
            "least": float(np.nanmin(values)),
            "largest": float(np.nanmax(values)),
        }
        for kind, values in found.values.items()
    ]
    place = f"shannon-figure-2-{_OUTPUTS[name].replace('_', '-')}"
    caption = f"{name} of original, shuffled and wrong summaries ({model})"
    return Picture(place, "Figure 2", caption, rows, lambda: plots.distributions(found, name))


def _verdict(found: Mapping[str, Separation], count: int, settings: Settings) -> Verdict:
    """Return the verdict that the original has the best score on every document."""
    parts, words = [], []
    for name, each in found.items():
        for kind in _KINDS:
            share = each.preferred(kind)
            gains = each.values["original"] - each.values[kind]
            drawn = np.random.default_rng(settings.seed).integers(
                len(gains), size=(settings.resamples, len(gains))
            )
            low, high = np.nanpercentile(np.nanmean(gains[drawn], axis=1), [2.5, 97.5])
            words.append("contradicted" if share < 1 else difference_verdict(float(low), float(high)))
            parts.append(
                f"{name}, {kind}: {share * count:g} of {count}, mean gain {np.nanmean(gains):.3f} [{low:.3f}, {high:.3f}]"
            )
    word: ClaimWord = "supported" if all(each == "supported" for each in words) else "undecided"
    if "contradicted" in words:
        word = "contradicted"
    test = "number of documents on which the original has the higher score; bootstrap interval of the gain over documents"
    return Verdict(word, "; ".join(parts), test)
