"""Parity with other programs on real data: WMT 2019. Published figures are in test_published.py.

The data may not be redistributed. They are looked for where NLGAUGE_BENCHMARKS points, else in
shared/benchmarks beside the repository; without them these tests are skipped.
"""

from __future__ import annotations

from functools import cache

import jiwer
import numpy as np
import pytest
import sacrebleu
from human_judgments import rows_of
from rouge_score.rouge_scorer import RougeScorer
from segment_rows import rows_by_label

import nlgauge
from nlgauge.results.result import Result


@cache
def wmt19() -> tuple[list[str], list[str]]:
    """3,000 distinct pairs of prediction and reference."""
    pairs = {
        (row[side]["text"], row["references"][0]): None
        for row in rows_of("wmt19_darr")
        for side in ("better", "worse")
    }
    assert len(pairs) > 10_000
    chosen = list(pairs)[:9_000:3]
    return [prediction for prediction, _ in chosen], [reference for _, reference in chosen]


@pytest.fixture(scope="module")
def scored() -> Result:
    return nlgauge.score(*wmt19(), metrics=["bleu", "chrf", "wer"])


def column(result: Result, label: str) -> np.ndarray:
    return np.array([row[label] for row in rows_by_label(result)])


def test_chrf_on_wmt19_equals_sacrebleu(scored):
    predictions, references = wmt19()
    peer = sacrebleu.CHRF()
    statistics = np.array(peer._extract_corpus_statistics(predictions, [references]))
    expected = [peer._compute_score_from_stats(list(row)).score for row in statistics]
    np.testing.assert_allclose(column(scored, "chrf"), expected, rtol=0, atol=1e-9)
    assert scored["chrf"]["score"] == pytest.approx(
        peer._compute_score_from_stats(list(statistics.sum(axis=0))).score, abs=1e-9
    )


def test_bleu_on_wmt19_equals_sacrebleu(scored):
    predictions, references = wmt19()
    assert scored["bleu"]["score"] == pytest.approx(
        sacrebleu.corpus_bleu(predictions, [references]).score, abs=1e-9
    )
    sentence = sacrebleu.BLEU(effective_order=True)
    expected = [
        sentence.sentence_score(p, [r]).score
        for p, r in zip(predictions[:3000], references[:3000], strict=True)
    ]
    np.testing.assert_allclose(column(scored, "bleu")[:3000], expected, rtol=0, atol=1e-9)


def test_wer_on_wmt19_equals_jiwer(scored):
    predictions, references = wmt19()
    expected = jiwer.process_words(references, predictions)
    assert scored["wer"]["score"] == pytest.approx(expected.wer, abs=1e-12)
    assert scored["wer"]["hits"] == expected.hits
    every = slice(None, None, 10)
    expected_rates = [
        jiwer.wer(reference, prediction)
        for prediction, reference in zip(predictions[every], references[every], strict=True)
    ]
    np.testing.assert_allclose(column(scored, "wer")[every], expected_rates, rtol=0, atol=1e-12)


def test_rouge_on_wmt19_equals_rouge_score():
    predictions, references = (texts[:1000] for texts in wmt19())
    types = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    for use_stemmer in (False, True):
        result = nlgauge.score(
            predictions, references, metrics=f"rouge(stem={use_stemmer}, tokenizer='google')"
        )
        peer = RougeScorer(types, use_stemmer=use_stemmer)
        expected = [
            peer.score(reference, prediction)
            for prediction, reference in zip(predictions, references, strict=True)
        ]
        for kind in types:
            label = result.labels[0] if kind == "rougeL" else f"{result.labels[0]}.{kind}"
            np.testing.assert_allclose(
                column(result, label), [scores[kind].fmeasure for scores in expected], rtol=0, atol=1e-9
            )
