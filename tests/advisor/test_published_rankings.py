"""Recommendations beside rankings of metrics that others published, with their sources and the honest outcome.

A published ranking lists metrics from the best to the worst, by their registered names. The advice contradicts it
if it recommends the worse of two listed metrics without the better one, or before it. Metrics without evidence on the
task (COMET, BLEURT, ROUGE-3) are not in the lists: the advice names them as unknown or does not know them.

The outcomes were written with the answers in view: they describe the advice and do not confirm it. The values of
SummEval and REALSumm were compared with print; the orders of WMT17, WMT19, WMT22 and HATS are cited without the papers
at hand. Three of the nine rankings cannot be contradicted, since no metric of theirs is recommended.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import pytest

import nlgauge
from nlgauge.advisor import Advice
from nlgauge.advisor.settings import metric_name


class Published(NamedTuple):
    """A ranking, the question that it answers, and the pairs (better, worse) that the advice contradicts."""

    source: str
    question: dict[str, Any]
    ranking: tuple[str, ...]
    contradicted: frozenset[tuple[str, str]] = frozenset()


# Kendall's tau of system means with expert ratings, 11 references; printed again in Table 1 of the Shannon Score paper
# (Egan, Vasilyev and Bohannon 2022).
SUMMEVAL = "Fabbri et al. 2021, SummEval, TACL 9, table of system-level Kendall correlations: "
PUBLISHED = [
    Published(
        SUMMEVAL + "relevance, CHRF .588, METEOR .427, BERTScore-f .427, ROUGE-1 .412, BLEU .221, CIDEr .191",
        {"task": "summarization"},
        ("chrf", "meteor", "rouge", "bleu", "cider"),
    ),
    Published(
        SUMMEVAL + "coherence, CHRF .397, ROUGE-1 .250, METEOR .235, BERTScore-f .206, BLEU .118, CIDEr .118",
        {"task": "summarization", "want": "coherence"},
        ("chrf", "rouge", "meteor", "bertscore", "bleu"),
        # Of words, BLEU is the second choice; ROUGE and METEOR are within .01 of it and not separated from it.
        frozenset({("rouge", "bleu"), ("meteor", "bleu"), ("bertscore", "bleu")}),
    ),
    Published(
        SUMMEVAL + "consistency, BERTScore-r .662, METEOR .632, CHRF .529, BLEU .074, CIDEr -.191",
        {"task": "summarization", "want": "consistency"},
        ("bertscore", "meteor", "chrf", "bleu", "cider"),
        # The published values are of systems, the advice is of texts, on which METEOR is first.
        frozenset({("bertscore", "meteor"), ("bertscore", "chrf")}),
    ),
    Published(
        SUMMEVAL + "fluency, METEOR .613, ROUGE-1 .524, CHRF .465, BLEU .332, BERTScore-f .244",
        {"task": "summarization", "want": "fluency"},
        ("meteor", "rouge", "chrf", "bleu", "bertscore"),
        # The published values are of systems, the advice is of texts.
        frozenset({("rouge", "chrf")}),
    ),
    Published(
        "Bhandari et al. 2020, REALSumm, EMNLP, notebook of summary-level Kendall correlations:"
        " ROUGE-1 recall .489, ROUGE-L recall .487, BERTScore recall .468, MoverScore .436, JS-2 .425",
        {"task": "summarization", "want": "content", "have": ("references", "source")},
        ("rouge", "bertscore", "moverscore", "js_divergence"),
    ),
    Published(
        "Bojar et al. 2017, Results of the WMT17 Metrics Shared Task: segments, chrF above sentBLEU for all seven pairs",
        {"task": "translation", "budget": 1},
        ("chrf", "sentence_bleu"),
    ),
    Published(
        "Ma et al. 2019, Results of the WMT19 Metrics Shared Task, and Rei et al. 2020, COMET, EMNLP: segments into"
        " English, BERTScore above chrF above sentence BLEU for gu-en, kk-en and lt-en",
        {"task": "translation"},
        ("bertscore", "chrf", "sentence_bleu"),
    ),
    Published(
        "Freitag et al. 2022, Results of the WMT22 Metrics Shared Task: Stop Using BLEU: BERTScore above chrF above BLEU",
        {"task": "translation", "have": ("references", "source")},
        ("bertscore", "chrf", "bleu"),
    ),
    Published(
        "Bañeras-Roux et al. 2023, HATS, TSD: speech, SemDist above BERTScore above CER above WER",
        {"task": "speech", "lang": "fr"},
        ("bertscore", "cer", "wer"),  # the advice is EED, which the paper does not rank
    ),
]


def contradicted(advice: Advice, ranking: tuple[str, ...]) -> set[tuple[str, str]]:
    """Return the pairs of a ranking of which the worse is recommended without the better, or before it."""
    names = [metric_name(advised.metric) for advised in advice.recommendations]
    return {
        (better, worse)
        for better, worse in combinations(ranking, 2)
        if worse in names and (better not in names or names.index(better) > names.index(worse))
    }


@pytest.mark.parametrize("published", PUBLISHED, ids=[published.source[:60] for published in PUBLISHED])
def test_the_advice_contradicts_published_rankings_as_far_as_is_listed(published):
    advice = nlgauge.choose(**published.question)
    assert contradicted(advice, published.ranking) == published.contradicted


def test_three_rankings_have_no_recommended_metric():
    """They neither support nor contradict the advice."""
    silent = [
        published.source
        for published in PUBLISHED
        if not {
            metric_name(advised.metric) for advised in nlgauge.choose(**published.question).recommendations
        }
        & set(published.ranking)
    ]
    assert len(silent) == 3


def test_metrics_at_the_top_of_newer_rankings_are_named_as_unknown():
    """COMET, BLEURT and MetricX lead the rankings of WMT22 to WMT24; nlgauge has no evidence of its own."""
    advice = nlgauge.choose("translation", have=("references", "source"))
    [unknown] = [item for item in advice.unknown if item.startswith("no evidence on this task for: ")]
    assert "bleurt" in unknown and "comet" in unknown


def test_bleu_is_never_alone_for_translations():
    """Ma et al. 2019, Mathur et al. 2020 and Freitag et al. 2022 advise against BLEU alone."""
    assert {"bleu", "sentence_bleu"} <= set(nlgauge.choose("translation").never_alone)
