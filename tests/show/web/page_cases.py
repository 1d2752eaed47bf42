"""Small results of every shape that a page must show, and what Chromium is asked with."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.engine.run_options import run_options
from nlgauge.results.equal_outputs import equal_outputs
from nlgauge.results.imported.human import with_human_scores
from nlgauge.results.result import Result

_SENTENCES = [
    "The committee agreed on the new budget after a long night of talks.",
    "Heavy rain closed two roads near the river on Tuesday.",
    "She found the old letters in a box under the stairs.",
    "The museum opens its doors again in spring, with fewer rooms.",
    "Nobody had expected the small club to win the final.",
    "Prices of bread rose by four per cent within a year.",
    "委员会在漫长的会谈之后就新预算达成了一致。",
    "周二的大雨使河边的两条道路关闭。",
    "وافقت اللجنة على الميزانية الجديدة بعد ليلة طويلة من المحادثات.",
    "أغلقت الأمطار الغزيرة طريقين قرب النهر يوم الثلاثاء.",
    "A rocket 🚀 and a whale 🐋 share one line of 𝒎𝒂𝒕𝒉.",
    "The last train left at ten, so they walked home along the canal.",
]

# Texts that would do something where a text became markup, script or a command of a terminal.
HOSTILE = [
    "</script><script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 2'>",
    '"><svg onload=window.pwned=3>',
    "line\u2028separator\u2029here",
    "left \u202e thgir ot \u2066 isolate",
    "escape \x1b[2J and nul \x00 end",
    "<!-- <script> --> ]]> <![CDATA[",
    "</style></noscript></title><iframe src=https://example.invalid/x>",
    "{{constructor.constructor('window.pwned = 4')()}} ${window.pwned = 5}",
    "javascript:window.pwned=6",
    "&lt;b&gt; &amp; \\u003cscript\\u003e @@STATIC@@",
    "\ufeffbegins with a mark of order",
]


def _worse(text: str, draw: random.Random, share: float) -> str:
    """The text with some words left out or moved, as a system might have written it."""
    words = text.split(" ") if " " in text else list(text)
    kept = [word for word in words if draw.random() > share] or words[:1]
    if len(kept) > 3 and draw.random() < share:
        place = draw.randrange(len(kept) - 1)
        kept[place], kept[place + 1] = kept[place + 1], kept[place]
    return (" " if " " in text else "").join(kept)


def _outputs(systems: list[str], references: list[str]) -> dict[str, list[str]]:
    return {
        system: [_worse(text, random.Random(f"{system} {text}"), 0.08 + 0.05 * place) for text in references]
        for place, system in enumerate(systems)
    }


def _three() -> Result:
    references = [[text, _worse(text, random.Random(text), 0.1)] for text in _SENTENCES]
    sources = [" ".join([text, "More of it stood in the papers of that day."]) for text in _SENTENCES]
    corpus = Corpus.read(
        _outputs(["Alpha", "Beta", "Gamma"], _SENTENCES),
        references,
        sources,
        ids=[f"doc-{number}" for number in range(len(_SENTENCES))],
        fields={"domain": ["news", "sport", "law"] * 4},
    )
    draw = random.Random(4)
    judged = {system: tuple(round(draw.uniform(1, 5), 1) for _ in _SENTENCES) for system in corpus.systems}
    scorer = nlgauge.Scorer(["bleu", "chrf", "ter", "rouge", "meteor", "sari", "novelty"])
    return scorer.score_corpus(replace(corpus, system_fields={"fluency": judged}), None, run_options())


def _hostile() -> Result:
    systems = ["</script><script>window.pwned=7</script>", "B\u202e\x1b[1m<b>"]
    scorer = nlgauge.Scorer(["bleu", "ter", "novelty"])
    scorer.metrics = dict(
        zip(
            ["bleu <img src=x onerror=window.pwned=8>", "ter\u202e\x1b", "novelty"],
            scorer.metrics.values(),
            strict=True,
        )
    )
    return scorer(
        {systems[0]: HOSTILE, systems[1]: HOSTILE[::-1]},
        [[text] for text in HOSTILE],
        HOSTILE,
        ids=[f"{number} {text}" for number, text in enumerate(HOSTILE)],
        fields={"<i>field</i>\u202e": HOSTILE[:2] * 6},
    )


def _few(count: int, segments: int, metrics: list[str]) -> Result:
    return nlgauge.score(
        _outputs([f"system {number + 1}" for number in range(count)], _SENTENCES[:segments]),
        [[t] for t in _SENTENCES[:segments]],
        metrics=metrics,
    )


def _people() -> Result:
    """Metrics prefer A, which repeats the references; people prefer B."""
    rows = [
        {
            "id": number,
            "system": system,
            "prediction": text,
            "references": [text],
            "human.quality": score,
            "domain": domain,
        }
        for number, text in enumerate(_SENTENCES)
        for domain in ("news" if number % 2 else "law",)
        for system, score in (("A", 1.0 + number % 3), ("B", 4.0 + number % 2))
    ]
    for row in rows:
        if row["system"] == "B":
            row["prediction"] = _worse(row["prediction"], random.Random(row["id"]), 0.4)
    return nlgauge.score(rows, metrics=["bleu", "chrf"])


def _rated() -> Result:
    """One system with two human scores and a further number."""
    draw = random.Random(2)
    rows = [
        {
            "id": number,
            "prediction": _worse(text, draw, 0.3),
            "references": [text],
            "human.coherence": number % 5,
            "human.fluency": draw.randrange(5),
            "year": 2000 + number % 4,
        }
        for number, text in enumerate(_SENTENCES)
    ]
    return nlgauge.score(rows, metrics=["bleu", "chrf"])


def _much_rated() -> Result:
    """Two systems with ten human scores; the names of all are long."""
    draw = random.Random(3)
    rows = [
        {
            "id": number,
            "system": system,
            "prediction": _worse(text, draw, 0.3),
            "references": [text],
            **{f"human.dimension_{place}_of_the_study": draw.randrange(5) for place in range(10)},
        }
        for number, text in enumerate(_SENTENCES)
        for system in ("the first of two systems with a long name of many words", "second_" * 10)
    ]
    return nlgauge.score(rows, metrics=["bleu", "rouge"])


# Every metric whose corpus score is not the mean of segment scores, and whose statistics are sums.
POOLED = [
    *("bleu", "chrf", "ter", "wer", "cer", "mer", "wil", "wip", "gleu", "cder", "sari", "nist", "meteor"),
    *("ari", "coleman_liau", "flesch_kincaid", "flesch_reading_ease"),
]


def _pooled() -> Result:
    """Two systems, one of them clearly worse, and one in the middle, with documents and missing ratings."""
    texts = [text for text in _SENTENCES if text.isascii()] * 6
    rows = [
        {
            "id": f"s{number}",
            "system": system,
            "prediction": _worse(text, random.Random(f"{number} {system}"), share),
            "references": [text],
            "source": _worse(text, random.Random(number), 0.3),
            "domain": "law" if number % 3 else "news",
            "human.quality": None
            if (number, system) == (4, "good")
            else round(5 - 6 * share + number % 2, 1),
        }
        for number, text in enumerate(texts)
        for system, share in (("good", 0.05), ("middle", 0.15), ("poor", 0.7))
    ]
    return nlgauge.score(rows, metrics=[*POOLED, "rouge", "compression_ratio"])


_MADE: dict[str, Callable[[], Result]] = {
    "three systems": _three,
    "one system": lambda: _few(1, 8, ["bleu", "ter"]),
    "seventeen systems": lambda: _few(17, 8, ["bleu", "chrf", "ter"]),
    "one segment": lambda: _few(2, 1, ["bleu", "ter"]),
    "no references": lambda: nlgauge.score(
        _outputs(["one", "two"], _SENTENCES[:6]), metrics=["mattr", "flesch_kincaid"]
    ),
    "only whole-corpus metrics": lambda: nlgauge.score(
        _outputs(["one", "two"], _SENTENCES[:8]), metrics=["self_bleu", "compression_ratio"]
    ),
    "unknown scores": lambda: nlgauge.score(
        {"one": ["", "two words here", "x y", ""], "two": ["a b c", "", "x", ""]},
        [["a"], ["b"], ["c"], ["d"]],
        ["a b", "c", "x y z", "q"],
        metrics=["novelty", "mattr", "bleu"],
    ),
    "identical": lambda: nlgauge.score(
        dict.fromkeys("ABC", _SENTENCES[:6]),
        [[text] for text in _SENTENCES[1:7]],
        metrics=["bleu", "chrf", "ter"],
    ),
    "one metric in five ways": lambda: _few(
        3,
        8,
        [
            "chrf",
            "chrf(word_order=2)",
            "chrf(beta=1)",
            "chrf(char_order=4)",
            "chrf(beta=1, word_order=2)",
            "ter",
        ],
    ),
    "people": _people,
    "many human scores": _much_rated,
    "pooled": _pooled,
    "one rated system": _rated,
    "hostile": _hostile,
    # A text with an astral character, which explanations of every kind are put into.
    "rocket": lambda: nlgauge.score(
        {"system 1": ["🚀 the Cat sat"] * 12}, [["a cat"]] * 12, metrics=["bleu"]
    ),
}
VARIANTS = [
    name
    for name in _MADE
    if name not in ("hostile", "rocket", "people", "many human scores", "one rated system", "pooled")
]


def outputs_of(result: Result) -> list[tuple[str, str]]:
    """Return the outputs that a page shows, by label and name: the first of each part but for those that
    repeat another on every segment.
    """
    equal = equal_outputs(result._tables)
    every = [
        (label, output.name)
        for label in result.labels
        for output in result._tables[result.systems[0], label].leading()
    ]
    return [key for key in every if key not in equal]


@functools.cache
def result_of(variant: str) -> Result:
    """The result of a variant, scored once."""
    return _MADE[variant]()


def rated_result_of(variant: str) -> Result:
    """The result of a variant with its human scores among its metrics, as the page shows it."""
    return with_human_scores(result_of(variant)).result


def pause(page: Any, milliseconds: int) -> None:
    """Wait until a page has drawn itself and run every timer of up to so many milliseconds, however slowly."""
    page.evaluate(
        "time => new Promise(done => requestAnimationFrame(() => setTimeout(done, time)))", milliseconds
    )
