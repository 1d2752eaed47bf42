"""Asking until sure: a judge is asked about random segments only as long as needed."""

from __future__ import annotations

import json
import re
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from judge_cases import choice, client

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError, ResultError, UnknownNameError
from nlgauge.judges import Client
from nlgauge.metrics.yes_no import YesNo
from nlgauge.results.asking import Progress, Sure, sentences

SEGMENTS = 120


def corpus(share: float = 0.9, documents: bool = False) -> Corpus:
    """Texts of two systems; the first says "good" in a share of its texts, the second in half of them."""
    rng = np.random.default_rng(3)
    texts = {
        system: [f"{'good' if rng.random() < chance else 'bad'} {system} {i}" for i in range(SEGMENTS)]
        for system, chance in (("A", share), ("B", 0.5))
    }
    return Corpus.read(texts, documents=[f"d{i // 2}" for i in range(SEGMENTS)] if documents else None)


def judge(broken: bool = False, **parameters: Any) -> YesNo:
    def answer(request: Any, number: int) -> dict[str, Any]:
        quality, number_of_text = re.findall(r"(good|bad) [AB] (\d+)", request.messages[-1][1])[0]
        if broken and int(number_of_text) % 7 == 0:
            return choice("perhaps")
        return choice("yes" if quality == "good" else "no")

    return YesNo(question="Is it good?", model=client(answer), scoring="single", **parameters)


def named(metric: YesNo) -> dict[str, Any]:
    return {"path": metric, "resulting_name": "good"}


def asked(metric: YesNo) -> int:
    return len(metric.model.client.seen)  # type: ignore[union-attr]


def test_a_clear_difference_stops_early_and_a_saved_result_has_the_verdict(tmp_path: Path) -> None:
    metric, seen = judge(), list[Progress]()
    result = nlgauge.Scorer([metric, "ari"]).score_until_sure(corpus(), Sure(), report=seen.append)
    found = result.sequential
    assert found is not None
    assert (found["better"], found["stopped"]) == ("A", "decided")
    assert found["p"] < 0.05
    assert 10 <= found["asked"] < SEGMENTS
    assert asked(metric) == 2 * found["asked"]
    assert [each.look for each in seen] == list(range(1, found["look"] + 1))
    label = result.labels[0]
    assert sum(np.isfinite(result._tables["A", label].segments_of("yes_no"))) == found["asked"]
    assert result.undefined().get(("A", "ari", "ari"), 0) == 0
    result.save(tmp_path / "run")
    loaded = nlgauge.load(tmp_path / "run")
    assert loaded.sequential == found
    assert loaded.to_text() == result.to_text()
    assert f"asked about {found['asked']} of {SEGMENTS}" in " ".join(result.to_text().split())
    for view in (result, loaded):
        compared = {row.label: row for row in view.compare()}
        assert np.isnan(compared[label].p)
        assert "sequential" in compared[label].reason
        assert np.isfinite(compared["ari"].p)
        assert view.ranks()[label].reason == compared[label].reason
    assert result.report(tmp_path / "run.html").exists()


def test_equal_systems_are_asked_about_to_the_end() -> None:
    metric = judge()
    result = nlgauge.Scorer([metric]).score_until_sure(corpus(0.5), Sure(looks=3))
    assert result.sequential is not None
    assert result.sequential["asked"] == SEGMENTS
    assert result.sequential["better"] is None
    assert "not significantly different" in " ".join(sentences(result.sequential))


def test_one_look_is_the_ordinary_test() -> None:
    texts = corpus(0.62)
    result = nlgauge.Scorer([judge()]).score_until_sure(texts, Sure(looks=1))
    whole = nlgauge.Scorer([judge()]).score_corpus(texts, None, result._job.options)
    assert result.sequential is not None
    ordinary = whole.compare(resamples=5000)[whole.labels[0]]
    assert result.sequential["p"] == pytest.approx(ordinary.p, abs=1e-12)
    assert result.sequential["gain"] == pytest.approx(ordinary.gain)


def test_a_repeated_run_asks_nothing_again_and_has_the_same_verdict() -> None:
    metric = judge()
    first, second = (nlgauge.Scorer([metric]).score_until_sure(corpus(), Sure()) for _ in range(2))
    assert first.sequential == second.sequential
    assert first.sequential is not None
    assert asked(metric) == 2 * first.sequential["asked"]


def test_documents_are_asked_about_as_a_whole() -> None:
    texts = corpus(documents=True)
    result = nlgauge.Scorer([judge()]).score_until_sure(texts, Sure())
    present = np.isfinite(result._tables["A", result.labels[0]].segments_of("yes_no"))
    assert (present[::2] == present[1::2]).all()


def test_unreadable_replies_are_left_out_for_both_systems() -> None:
    result = nlgauge.Scorer([judge(broken=True)]).score_until_sure(corpus(), Sure())
    assert result.sequential is not None
    assert result.sequential["better"] == "A"


def test_a_budget_is_kept() -> None:
    prices = {"calls": "prices=1000,1000"}
    metric = judge(**prices)
    whole = nlgauge.Scorer([judge(**prices)]).score_until_sure(corpus(0.5), Sure())
    assert whole.sequential is not None
    budget = whole.sequential["cost"] / 3
    result = nlgauge.Scorer([metric]).score_until_sure(corpus(0.5), Sure(budget=budget))
    assert result.sequential is not None
    assert 0 < result.sequential["cost"] <= budget
    assert result.sequential["stopped"] == "budget"
    assert "budget" in " ".join(sentences(result.sequential))


def test_a_budget_below_the_first_look_asks_about_one_segment() -> None:
    metric = judge(calls="prices=1000,1000")
    with pytest.raises(ParameterError, match="the first look has 10 segments and would cost about"):
        nlgauge.Scorer([metric]).score_until_sure(corpus(), Sure(budget=0.15))
    assert asked(metric) == 2


def test_no_request_is_sent_that_could_exceed_the_budget() -> None:
    metric = judge(calls="prices=1000,1000")
    with pytest.raises(
        ParameterError, match=r"the first look has 10 segments, and 0 of the budget 0\.03 was spent"
    ):
        nlgauge.Scorer([metric]).score_until_sure(corpus(), Sure(budget=0.03))
    assert not asked(metric)


class Busy(Exception):
    status_code = 429


class Billing:
    """Judge whose replies cost one token per word, and which is busy now and then."""

    def __init__(self) -> None:
        self.billed: list[int] = []
        self.paid: list[str] = []
        self.requests = 0
        self._lock = threading.Lock()

    def complete(self, request: Any) -> dict[str, Any]:
        text = request.messages[-1][1]
        name, number = re.findall(r"([AB] (\d+)):", text)[0]
        with self._lock:
            self.requests += 1
            if self.requests % 5 == 2:
                raise Busy("try again")
        time.sleep(0.001)
        with self._lock:
            self.billed.append(len(text.split()) + 1)
            self.paid.append(name)
        usage = {"prompt_tokens": len(text.split()), "completion_tokens": 1}
        return {"choices": [choice("yes" if int(number) % 3 else "no")], "usage": usage}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_budget_is_kept_with_long_texts_retries_and_many_requests_at_once(seed: int) -> None:
    words = np.random.default_rng(seed).pareto(0.8, (2, SEGMENTS)).clip(max=150) * 20
    texts = Corpus.read(
        {
            system: [f"{system} {i}: " + "word " * int(words[number, i]) for i in range(SEGMENTS)]
            for number, system in enumerate("AB")
        }
    )
    server, budget = Billing(), 12.0
    metric = YesNo(
        question="Good?",
        model=Client(server, name=f"billing {seed}"),
        scoring="single",
        calls="prices=1000,1000 concurrency=16 first_wait=0.001",
    )
    scorer = nlgauge.Scorer([metric])
    result = scorer.score_until_sure(texts, Sure(looks=8, budget=budget))
    for _ in range(30):
        assert result.sequential is not None
        assert result.sequential["cost"] == pytest.approx(sum(server.billed) / 1000)
        assert result.sequential["cost"] == pytest.approx(result.costs.used["judge cost"])
        assert sum(server.billed) / 1000 <= budget
        if result.sequential["stopped"] != "budget":
            break
        budget = sum(server.billed) / 1000 + 12.0
        result = scorer.ask_on(result, 12.0)
    whole = nlgauge.Scorer([metric]).score_until_sure(texts, Sure(looks=8)).sequential
    assert len(set(server.paid)) == len(server.paid) == 2 * SEGMENTS
    assert whole == {**result.sequential, "cost": 0.0}


def test_a_budget_is_kept_if_the_first_looks_are_cached() -> None:
    texts, metric = corpus(0.5), judge(calls="prices=1000,1000")
    whole = nlgauge.Scorer([metric]).score_until_sure(texts, Sure(looks=12, budget=1.0))
    assert whole.sequential is not None
    assert whole.sequential["stopped"] == "budget"
    spent, before = whole.sequential["cost"], asked(metric)
    assert 0.7 < spent <= 1.0
    # The replies of these looks are cached and cost nothing; the cost of further looks is still known.
    further = nlgauge.Scorer([metric]).score_until_sure(texts, Sure(looks=12, budget=0.6))
    assert further.sequential is not None
    assert 0 < further.sequential["cost"] <= 0.6
    assert further.sequential["cost"] == pytest.approx((asked(metric) - before) * spent / before)


@pytest.mark.parametrize(
    ("texts", "metrics", "sure", "error", "message"),
    [
        (Corpus.read(["a"] * 30), [judge()], Sure(), InputError, "two systems"),
        (corpus(), ["ari"], Sure(), ParameterError, "ari"),
        (corpus(), [judge()], Sure(budget=1), ParameterError, "prices"),
        (corpus(), [judge(calls="concurrency=2")], Sure(budget=1), ParameterError, "prices"),
        *(
            (corpus(), [judge(calls="prices=1,1")], Sure(budget=budget), ParameterError, "above 0")
            for budget in (-1, 0, float("nan"), float("inf"))
        ),
        (corpus(), [judge(), "ari"], Sure(decide_on="ari"), UnknownNameError, "ari"),
        (corpus(), [judge()], Sure(decide_on="yes_no.unparsed"), ParameterError, "unparsed.*direction"),
        (corpus(), [judge()], Sure(looks=0), ParameterError, "looks"),
        (corpus(), [judge()], Sure(spending="all"), ParameterError, "spending"),
    ],
)
def test_wrong_use_is_refused(
    texts: Corpus, metrics: list[Any], sure: Sure, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        nlgauge.Scorer(metrics).score_until_sure(texts, sure)
    assert not any(asked(metric) for metric in metrics if isinstance(metric, YesNo))


def test_a_run_that_stopped_at_its_budget_continues_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    texts, prices = corpus(0.7), {"calls": "prices=1000,1000 cache=off"}
    whole = nlgauge.Scorer([named(judge(**prices)), "ari"]).score_until_sure(texts, Sure(looks=12)).sequential
    assert whole is not None
    assert whole["look"] > 4
    metric = judge(**prices)
    scorer = nlgauge.Scorer([named(metric), "ari"], cache=False)
    budget = whole["cost"] / 3
    result = scorer.score_until_sure(texts, Sure(looks=12, budget=budget))
    assert result.sequential is not None
    assert result.sequential["stopped"] == "budget"
    parts = 1
    while result.sequential["stopped"] == "budget":
        before = result.sequential
        result.save(tmp_path / f"run{parts}")
        # A part of the budget buys no look.
        assert scorer.ask_on(nlgauge.load(tmp_path / f"run{parts}"), budget / 100).sequential == before
        result = scorer.ask_on(nlgauge.load(tmp_path / f"run{parts}"), budget)
        assert result.sequential is not None
        assert before["look"] < result.sequential["look"]
        assert result.sequential["cost"] - before["cost"] <= budget
        parts += 1
    assert parts > 2
    assert asked(metric) == 2 * whole["asked"]
    assert result.sequential == {**whole, "cost": pytest.approx(whole["cost"])}
    assert result.costs.used["judge requests"] == asked(metric)
    assert list(result.labels) == ["good", "ari"]
    assert result.undefined().get(("A", "ari", "ari"), 0) == 0
    scores = result._tables["A", result.labels[0]].segments_of("yes_no")
    assert np.isfinite(scores).sum() == whole["asked"]
    with pytest.raises(ParameterError, match="has ended"):
        scorer.ask_on(result)


def test_a_run_that_dies_between_looks_is_repeated_without_asking_twice() -> None:
    texts, metric = corpus(), judge()
    whole = nlgauge.Scorer([named(judge())]).score_until_sure(texts, Sure()).sequential

    def dies(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nlgauge.Scorer([named(metric)]).score_until_sure(texts, Sure(), report=dies)
    assert asked(metric) == 20
    again = nlgauge.Scorer([named(metric)]).score_until_sure(texts, Sure()).sequential
    assert again == whole
    assert again is not None
    assert asked(metric) == 2 * again["asked"]


def test_only_an_undecided_run_is_continued(tmp_path: Path) -> None:
    metric = judge()
    scorer = nlgauge.Scorer([metric])
    ordinary = scorer.score_corpus(corpus(), None, scorer.score_until_sure(corpus(), Sure())._job.options)
    with pytest.raises(ParameterError, match="not from a run that stops when sure"):
        scorer.ask_on(ordinary)
    decided = scorer.score_until_sure(corpus(), Sure())
    with pytest.raises(ParameterError, match="A was better at look"):
        scorer.ask_on(decided)
    undecided = scorer.score_until_sure(corpus(0.5), Sure(looks=2))
    with pytest.raises(ParameterError, match="the last look was look 2 of 2"):
        scorer.ask_on(undecided)
    priced = nlgauge.Scorer([judge(calls="prices=1000,1000")])
    open_result = priced.score_until_sure(corpus(0.5), Sure(budget=0.6))
    with pytest.raises(ParameterError, match="scorer has no metric"):
        nlgauge.Scorer(["ari"]).ask_on(open_result)
    open_result.save(tmp_path / "run", texts=False)
    with pytest.raises(ResultError, match="without its texts"):
        priced.ask_on(nlgauge.load(tmp_path / "run"))
    assert open_result.sequential is not None
    for name, value in (("looks", [10, 5]), ("looks", [10]), ("resamples", "x"), ("at", 99)):
        state = {**open_result.sequential["state"], name: value}
        damaged = replace(open_result, sequential={**open_result.sequential, "state": state})
        with pytest.raises(ResultError, match="damaged"):
            priced.ask_on(damaged)


@pytest.mark.parametrize(
    ("name", "value"), [("p", "x"), ("systems", ["A"]), ("look", None), ("gain_low", "q")]
)
def test_a_damaged_verdict_is_refused(tmp_path: Path, name: str, value: Any) -> None:
    nlgauge.Scorer([judge()]).score_until_sure(corpus(), Sure(looks=2)).save(tmp_path / "run")
    place = tmp_path / "run" / "run.json"
    run = json.loads(place.read_text("utf-8"))
    run["sequential"][name] = value
    place.write_text(json.dumps(run), "utf-8")
    with pytest.raises(ResultError, match="damaged"):
        nlgauge.load(tmp_path / "run")
