"""The study of the regret of `nlgauge choose`, on made-up evidence."""

from __future__ import annotations

import math

import pytest

from nlgauge.advisor import settings
from nlgauge.advisor.evidence import Evidence, Table, of_tables
from studies import regret

NEEDS = {
    label: {"references": True, "source": False, "weights": False, "languages": "any", "unsplit": []}
    for label in (*settings.USUAL, "eed")
}


def table(benchmark: str, task: str, lang: str, **values: float) -> Table:
    metrics = {
        label: {
            "texts": {
                "value": value,
                "low": value - 0.01,
                "high": value + 0.01,
                "unbeaten": True,
                "beats": [],
            },
            "seconds": 0.1,
        }
        for label, value in {**values, "length in words": 0.01, "random numbers": 0.0}.items()
    }
    return Table(
        benchmark,
        task,
        [lang],
        2020,
        "quality",
        True,
        None,
        10,
        100,
        1000,
        {"texts": "Kendall's tau-b"},
        {},
        metrics,
    )


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Evidence:
    tables = [
        table("wmt19_darr", "translation", "en", chrf=0.3, eed=0.5, wer=0.1, bleu=0.2),
        table("wmt24_esa.en-cs", "translation", "cs", chrf=0.3, eed=0.25, wer=0.1),
        table("wmt24_esa.en-hi", "translation", "hi", chrf=0.4, eed=0.1, wer=0.1),
        table("hats", "speech", "fr", chrf=0.3, eed=0.4),
    ]
    found = of_tables(tables, NEEDS, dict.fromkeys(NEEDS, 0.1))
    monkeypatch.setattr(regret, "evidence", lambda: found)
    return found


def test_each_benchmark_is_judged_by_the_others(known: Evidence) -> None:
    news, czech, hindi, speech = regret.trials(known)
    # WMT19 is answered from WMT24, on which chrF is better; WMT24 from WMT19 alone, on which EED is.
    assert (news.first, news.best, czech.first, hindi.first) == ("chrf", "eed", "eed", "eed")
    assert news.regret("chrf") == pytest.approx(0.2) and hindi.regret("eed") == pytest.approx(0.3)
    assert math.isnan(czech.regret("bleu"))
    assert speech.first is None and speech.best == "eed"


def test_the_report_has_a_row_for_each_table(known: Evidence) -> None:
    lines = regret.report().splitlines()
    assert (
        lines[2]
        == "| wmt19_darr | translation | `chrf` | 0.300 | 2 of 4 | `eed` | 0.500 | 0.200 | 0.200 | 0.300 | 0.400 |"
    )
    assert lines[5].startswith("| hats | speech | refused |")
    assert lines[-1] == "3 of 4 questions answered; mean regret 0.183, largest 0.300."
