"""Judges at an endpoint: what servers do wrong, what is sent again, what is kept, what is never shown."""

from __future__ import annotations

import json
import math
import os
import re
import sqlite3
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from hostile_server import Answer, Script, completion, error, serving
from segment_rows import rows_by_label

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.engine.executors.processes import Processes
from nlgauge.errors import JudgeError, ParameterError
from nlgauge.judges import Calls, Client
from nlgauge.judges.limits import Bucket
from nlgauge.metrics.judge import FileJudge
from nlgauge.results.result import Result

pytest.importorskip("httpx")

KEY = "sk-verySecret-0123456789"
LEVELS = {"4": 0.75, "5": 0.25}


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "replies.sqlite"


def score(url: str, texts: list[str], cache: Path, calls: str = "", **parameters: Any) -> Result:
    """The result of the judge at this address, with short waits."""
    words = f"first_wait=0.01 cache={cache} {calls}"
    return nlgauge.score(
        texts,
        metrics={
            "path": FileJudge(model="gpt", base_url=url, calls=words, **parameters),
            "resulting_name": "j",
        },
    )


def steady(body: dict[str, Any], number: int) -> Answer:
    """What a good server answers: the probabilities where they are asked for, and as many replies as are
    wanted, in turn 1 to 5.
    """
    return completion(
        *[str(1 + (body["seed"] + i) % 5) for i in range(body.get("n", 1))],
        weights=LEVELS if body.get("logprobs") else None,
    )


def test_a_request_is_what_the_standard_says(cache):
    with serving(steady) as server:
        result = score(server.url, ["a text"], cache)
    (body,) = server.bodies
    assert body.pop("messages") == [
        {"role": "user", "content": FileJudge().template().render({"prediction": "a text"})}
    ]
    drawn = {
        "temperature": 0.0,
        "top_p": 1.0,
        "max_tokens": 3,
        "seed": 0,
        "logprobs": True,
        "top_logprobs": 20,
    }
    assert body == {"path": "/v1/chat/completions", "model": "gpt", **drawn}
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert result["j"]["score"] == pytest.approx(4.25) and result["j"]["covered"] == pytest.approx(1)
    used = {name.removeprefix("judge "): amount for name, amount in result.costs.used.items()}
    assert (
        used["requests"] == 1
        and used["prompt tokens"] == 100
        and used["reply tokens"] == 10
        and used["cached prompt tokens"] == 40
    )


def test_nothing_is_paid_twice(cache, tmp_path):
    with serving(steady) as server:
        first = score(server.url, ["a", "b", "a"], cache)
        assert len(server.bodies) == 2
        again = score(server.url, ["b", "a", "c"], cache, calls="offline=False")
        assert (
            len(server.bodies) == 3
            and again.costs.used["judge cached"] == 2
            and again.costs.used["judge requests"] == 1
        )
        other = score(server.url, ["a"], cache, seed=1)
        assert len(server.bodies) == 4 and other["j"]["score"] == first["j"]["score"]
    offline = score(server.url, ["a", "b", "c"], cache, calls="offline=True")
    assert offline["j"]["score"] == pytest.approx(4.25)
    with pytest.raises(JudgeError, match=r"1 .*offline"):
        score(server.url, ["a", "d"], cache, calls="offline=True")
    first.save(tmp_path / "result")
    assert nlgauge.load(tmp_path / "result").costs.used == first.costs.used


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_sent_again(cache, status):
    def script(body: dict[str, Any], number: int) -> Answer:
        return error(status, "not now") if number < 2 else steady(body, number)

    with serving(script) as server:
        result = score(server.url, ["a"], cache)
    assert len(server.bodies) == 3 and result["j"]["score"] == pytest.approx(4.25)
    assert result.costs.used["judge retries"] == 2 and result.costs.used["judge requests"] == 3


@pytest.mark.parametrize("header", ["0.4", "date", "nonsense"])
def test_the_wait_that_a_server_asks_for_is_kept(cache, header):
    def script(body: dict[str, Any], number: int) -> Answer:
        when = (
            format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
            if header == "date"
            else header
        )
        return error(429, "slow down", {"Retry-After": when}) if number == 0 else steady(body, number)

    with serving(script) as server:
        score(server.url, ["a"], cache)
    waited = server.times[1] - server.times[0]
    assert waited > {"0.4": 0.39, "date": 0.9, "nonsense": 0}[header]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ((200, {}, b"<html>gateway</html>"), "not a chat completion .*<html>gateway"),
        ((200, {}, {"choices": []}), "not a chat completion .it has no choices"),
        ((200, {}, {"error": "odd"}), "not a chat completion .*missing required field `choices`"),
        ((200, {}, b"[1]"), "not a chat completion .*got `array`"),
        ((200, {"Content-Length": "500"}, b'{"choices": [{"mess'), "RemoteProtocolError"),
        (error(500, "broken"), "answered 500: broken"),
        (error(418, "a teapot"), "answered 418: a teapot"),
    ],
)
def test_a_row_that_got_no_reply_is_not_a_score_and_says_why(cache, answer, reason):
    def script(body: dict[str, Any], number: int) -> Answer:
        return answer if "bad" in body["messages"][0]["content"].split("Text:")[1] else steady(body, number)

    with (
        serving(script) as server,
        pytest.warns(UserWarning, match=f"reply.*{reason}"),
    ):
        result = score(server.url, ["good", "bad"], cache, calls="tries=2")
    assert result["j"]["score"] == pytest.approx(4.25) and result["j"]["failed"] == 1
    rows = rows_by_label(result)
    assert math.isnan(rows[1]["j"]) and not math.isnan(rows[0]["j"])
    assert len([body for body in server.bodies if "Text:\nbad" in body["messages"][0]["content"]]) == (
        1 if "418" in reason else 2
    )
    (count,) = sqlite3.connect(cache).execute("SELECT count(*) FROM replies").fetchone()
    assert count == 1, "only whole replies are kept"
    with serving(script):
        (verdict,) = result.explain("j", 1)
    assert re.search(reason, " ".join(str(verdict).split()))


def test_a_server_that_does_not_answer_is_given_up_after_the_timeout(cache):
    second = threading.Event()

    def script(body: dict[str, Any], number: int) -> Answer:
        if number:
            second.set()
        second.wait(600)  # the first request is answered only after another one came
        return steady(body, number)

    with serving(script) as server:
        result = score(server.url, ["a"], cache, calls="timeout=0.5 tries=100")
    assert result["j"]["score"] == pytest.approx(4.25) and len(server.bodies) >= 2


def test_five_failures_in_a_row_end_the_run_and_keep_what_there_is(cache):
    def script(body: dict[str, Any], number: int) -> Answer:
        return steady(body, number) if number < 3 else error(500, "down")

    with (
        serving(script) as server,
        pytest.raises(JudgeError, match=r"5 requests.*500: down.*cache"),
    ):
        score(server.url, [f"text {i}" for i in range(40)], cache, calls="tries=1 concurrency=1")
    assert len(server.bodies) == 8
    (count,) = sqlite3.connect(cache).execute("SELECT count(*) FROM replies").fetchone()
    assert count == 3


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            error(401, f"wrong key {KEY}"),
            r"401: wrong key \*\*\*.*OPENAI_API_KEY",
        ),
        (
            error(404, "no such model"),
            "404.*base_url.*'gpt'",
        ),
        (
            (302, {"Location": "http://elsewhere.example/v1"}, b""),
            "302.*'elsewhere.example'.*base_url",
        ),
        ((307, {"Location": "http://elsewhere.example/v1"}, b""), "307.*'elsewhere.example'"),
    ],
)
def test_what_holds_for_all_requests_ends_the_run_at_once(cache, answer, message):
    with serving(lambda body, number: answer) as server, pytest.raises(JudgeError, match=message):
        score(server.url, [f"text {i}" for i in range(20)], cache, calls="concurrency=1")
    assert len(server.bodies) == 1


def test_what_is_too_long_or_refused_is_counted_and_nothing_is_cut(cache):
    def script(body: dict[str, Any], number: int) -> Answer:
        words = body["messages"][0]["content"].split("Text:")[1]
        if "long" in words:
            return error(
                400, "the request exceeds the available context size", type="exceed_context_size_error"
            )
        if "filtered" in words:
            return error(400, "filtered", code="content_filter")
        if "held" in words:
            return completion("", weights={"?": 1.0}, finish="content_filter")
        return steady(body, number)

    with serving(script) as server:
        result = score(server.url, ["long " * 50, "filtered", "held", "fine", "other"], cache)
    scores = result["j"]
    assert (scores["too_long"], scores["refused"], scores["failed"], scores["unparsed"]) == (1, 2, 0, 0)
    assert scores["score"] == pytest.approx(4.25)
    assert any("long " * 50 in body["messages"][0]["content"] for body in server.bodies)


@pytest.mark.parametrize("reply", ["I'm sorry, but I cannot rate this.", "As an AI, I have no opinion"])
def test_a_refusal_in_words_is_not_an_unread_reply(cache, reply):
    with serving(lambda body, number: completion(reply)) as server:
        result = score(server.url, ["a"], cache, scoring="single")
    assert result["j"]["refused"] == 1 and result["j"]["unparsed"] == 0 and len(server.bodies) == 2


def test_a_reply_that_was_cut_is_asked_for_once_more_with_the_next_seed(cache):
    with serving(
        lambda body, number: completion("5", finish="length") if number == 0 else completion("4")
    ) as server:
        result = score(server.url, ["a"], cache, scoring="single", seed=7)
    assert [body["seed"] for body in server.bodies] == [7, 8] and [
        body["temperature"] for body in server.bodies
    ] == [0, 0]
    assert result["j"]["score"] == 4


def test_probabilities_that_were_not_given_are_missed(cache):
    with (
        serving(lambda body, number: completion("4")) as server,
        pytest.raises(JudgeError, match=r"logprobs.*scoring='samples'"),
    ):
        score(server.url, ["a"], cache)
    assert sqlite3.connect(cache).execute("SELECT count(*) FROM replies").fetchone() == (0,)


@pytest.mark.parametrize("behaviour", ["all", "ignores n", "refuses n"])
def test_samples_come_at_once_or_one_by_one(cache, behaviour):
    def script(body: dict[str, Any], number: int) -> Answer:
        if behaviour == "refuses n" and body.get("n", 1) > 1:
            return error(400, "n must be 1")
        return steady({**body, "n": 1} if behaviour == "ignores n" else body, number)

    with serving(script) as server:
        result = score(server.url, ["a", "b"], cache, calls="concurrency=1", scoring="samples", n=4)
    assert result["j"]["score"] == pytest.approx((1 + 2 + 3 + 4) / 4)
    assert result["j"]["sd_within"] == pytest.approx(math.sqrt(5 / 3))
    asked = [(body.get("n", 1), body["seed"]) for body in server.bodies]
    singles = [(1, 0), (1, 1), (1, 2), (1, 3)]
    assert (
        asked
        == {
            "all": [(4, 0)] * 2,
            "ignores n": [(4, 0), *singles[1:], *singles],
            "refuses n": [(4, 0), *singles, *singles],
        }[behaviour]
    )
    with serving(script) as more:
        wider = score(server.url, ["a"], cache, calls="offline=True", scoring="samples", n=3)
        assert wider["j"]["score"] == 2 and more.bodies == []


def test_equal_samples_at_a_temperature_are_suspicious(cache):
    with (
        serving(lambda body, number: completion(*["3"] * body.get("n", 1))) as server,
        pytest.warns(UserWarning, match="4.*samples"),
    ):
        score(server.url, ["a", "b"], cache, scoring="samples", n=4)


def test_another_fingerprint_is_told(cache):
    def script(body: dict[str, Any], number: int) -> Answer:
        return completion("4", weights=LEVELS, system_fingerprint=f"fp_{number}")

    with serving(script) as server, pytest.warns(UserWarning, match=r"different fingerprints \(fp_0, fp_1\)"):
        result = score(server.url, ["a", "b"], cache, calls="concurrency=1")
    assert result.signatures["j"].split("|")[-2] == "fingerprint:fp_0,fp_1"


def test_limits_stop_before_anything_is_sent(cache):
    texts = [f"text {i}" for i in range(6)]
    with serving(steady) as server:
        with pytest.raises(
            JudgeError,
            match=r"6.*0.*max_requests is 5",
        ):
            score(server.url, texts, cache, calls="max_requests=5")
        with pytest.raises(JudgeError, match=r"6.*0.*max_cost is 0.0001"):
            score(server.url, texts, cache, calls="max_cost=0.0001 prices=1,2")
        assert server.bodies == []
        result = score(server.url, texts, cache, calls="max_requests=6 max_cost=1 prices=1,2")
        assert len(server.bodies) == 6
        assert result.costs.used["judge cost"] == pytest.approx(6 * (100 * 1 + 10 * 2) / 1e6)
        score(server.url, texts, cache, calls="max_requests=0")
        assert len(server.bodies) == 6


def test_a_server_that_ignores_n_cannot_exceed_the_limit(cache):
    with (
        serving(lambda body, number: completion("3")) as server,
        pytest.raises(JudgeError, match="max_requests is 3"),
    ):
        score(server.url, ["a"], cache, scoring="samples", n=8, calls="max_requests=3")
    assert len(server.bodies) == 3


def test_a_dry_run_sends_nothing_and_counts(cache):
    with serving(steady) as server:
        result = score(server.url, ["a", "b", "a"], cache, calls="dry_run=True prices=1,2")
        assert server.bodies == []
    used = result.costs.used
    words = sum(len(FileJudge().template().render({"prediction": text})) for text in "ab")
    assert (
        used["judge requests not sent"] == 2
        and used["judge characters not sent"] == words
        and used["judge estimated cost"] > 0
    )
    assert math.isnan(result["j"]["score"]) and result["j"]["failed"] == 3
    shown = " ".join(str(result).split())
    assert (
        "3 rows have no score: this was a dry run, and nothing was sent" in shown and "not reply" not in shown
    )
    prompt, reply = used["judge estimated prompt tokens"], used["judge estimated reply tokens"]
    assert (
        f"Expected: 2 requests, about {prompt:,.0f} tokens of prompts and up to {reply:,.0f} of replies;"
        " price at most about" in shown
    )
    assert used["judge estimated cost"] == pytest.approx((prompt + 2 * reply) / 1e6)
    assert next(iter(result.reasons().values())) == "this was a dry run, and nothing was sent"
    with serving(steady) as server:
        assert 'price not known without calls="prices=IN,OUT"' in " ".join(
            str(score(server.url, ["a"], cache, calls="dry_run=True")).split()
        )
        assert "Dry run" not in str(score(server.url, ["a"], cache))


def test_no_more_requests_at_a_time_than_allowed(cache):
    together = threading.Barrier(3)

    def script(body: dict[str, Any], number: int) -> Answer:
        together.wait(600)  # nobody is answered before three have asked
        return steady(body, number)

    with serving(script) as server:
        score(server.url, [f"text {i}" for i in range(12)], cache, calls="concurrency=3")
    assert server.most_at_once == 3


def test_a_bucket_gives_a_minutes_worth_and_then_the_rate(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("nlgauge.judges.limits.time.monotonic", lambda: now[0])
    bucket = Bucket(60)
    assert [bucket.take(30), bucket.take(30), bucket.take(1), bucket.take(1)] == [0, 0, 1, 2]
    now[0] = 32.0
    assert bucket.take(30) == 0 and bucket.take(1) == 1
    assert Bucket(None).take(1e9) == 0


KILLED = """
import sys, nlgauge
from nlgauge.metrics.judge import FileJudge
url, cache, first, last = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
metric = FileJudge(model="gpt", base_url=url, calls=f"cache={cache} concurrency=2")
print(nlgauge.score([f"text {i}" for i in range(first, last)], metrics=metric).costs.used.get("judge requests", 0))
"""


def test_a_killed_run_goes_on_and_nothing_is_paid_twice(cache):
    killed = threading.Event()

    def script(body: dict[str, Any], number: int) -> Answer:
        if number >= 10:
            killed.wait(600)
        return steady(body, number)

    def program(*arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", KILLED, *map(str, arguments)], stdout=subprocess.PIPE, text=True
        )

    with serving(script) as server:
        process = program(server.url, cache, 0, 60)
        while len(server.bodies) < 12:  # ten were answered, and two are in flight
            assert process.poll() is None
            time.sleep(0.005)
        process.kill()
        process.communicate()
        killed.set()
        kept = {row[0] for row in sqlite3.connect(cache).execute("SELECT key FROM replies")}
        sent = len(server.bodies)
        assert len(kept) == 10 and sent == 12
        result = score(server.url, [f"text {i}" for i in range(60)], cache)
        # At most the two requests that were under way when the process was killed are sent again.
        assert len(server.bodies) == sent + 60 - len(kept) <= 60 + 2
        assert result["j"]["score"] == pytest.approx(4.25)


def test_two_processes_share_one_cache(cache):
    def script(body: dict[str, Any], number: int) -> Answer:
        return steady(body, number)

    with serving(script) as server:
        both = [
            subprocess.Popen(
                [sys.executable, "-c", KILLED, server.url, str(cache), str(first), str(first + 30)],
                stdout=subprocess.PIPE,
                text=True,
            )
            for first in (0, 20)
        ]
        assert all(process.wait() == 0 for process in both)
        for process in both:
            process.communicate()
        asked = len(server.bodies)
        assert 50 <= asked <= 60
        score(server.url, [f"text {i}" for i in range(50)], cache)
        assert len(server.bodies) == asked


def test_a_damaged_cache_is_set_aside(cache):
    with serving(steady) as server:
        score(server.url, [f"text {i} " * 20 for i in range(30)], cache)
        sqlite3.connect(cache).execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cache.write_bytes(cache.read_bytes()[:4096] + b"\xff" * 8192)
        with pytest.warns(
            UserWarning,
            match=r"renamed.*replies\.sqlite\.damaged-",
        ):
            result = score(server.url, ["text 0 " * 20], cache)
        assert result["j"]["score"] == pytest.approx(4.25) and len(server.bodies) == 31
        assert len(list(cache.parent.glob("replies.sqlite.damaged-*"))) == 1
        score(server.url, ["text 0 " * 20], cache, calls="offline=True")


@pytest.mark.parametrize("name", ["file/replies.sqlite", "folder"])
def test_nothing_is_asked_where_replies_cannot_be_kept(tmp_path, name):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    with serving(steady) as server:
        with pytest.raises(JudgeError, match=rf"{name}.* \(.+\).*calls='cache=FILE'"):
            score(server.url, ["text"], tmp_path / name)
        assert not server.bodies


def test_the_key_is_nowhere_but_in_the_header(cache, tmp_path, capfd):
    def script(body: dict[str, Any], number: int) -> Answer:
        words = body["messages"][0]["content"]
        if "echo" in words:
            return completion(f"your key is {KEY}", weights=LEVELS, key=KEY)
        if "angry" in words:
            return error(400, f"bad {KEY}", {"X-Echo": KEY})
        return steady(body, number)

    with serving(script) as server:
        with pytest.warns(UserWarning, match="not reply") as warned:
            result = score(server.url, ["a", "echo", "angry"], cache, calls="tries=1")
            explained = "".join(str(result.explain("j", i)) for i in range(3))
        result.save(tmp_path / "result")
        with pytest.raises(JudgeError) as raised:
            score(server.url, ["angry", *(f"angry {i}" for i in range(9))], cache, calls="tries=1")
    assert all(headers["Authorization"] == f"Bearer {KEY}" for headers in server.headers)
    sqlite3.connect(cache).execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shown = [
        *(str(one.message) for one in warned),
        explained,
        repr(result),
        str(raised.value),
        repr(result._job.metrics),
        json.dumps(dict(result.signatures)),
        *capfd.readouterr(),
    ]
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 4
    assert all(KEY not in text for text in shown) and all(KEY.encode() not in data for data in files)
    assert "***" in explained


def test_without_a_key_no_header_is_sent_and_another_variable_can_hold_it(cache, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("MY_KEY", "mine-1234")
    with serving(steady) as server:
        score(server.url, ["a"], cache)
        score(server.url, ["b"], cache, calls="key_env=MY_KEY")
    assert (
        "Authorization" not in server.headers[0] and server.headers[1]["Authorization"] == "Bearer mine-1234"
    )


def test_the_variable_names_the_endpoint_and_local_overrules_it(monkeypatch, cache, tiny_models):
    with serving(steady) as server:
        monkeypatch.setenv("NLGAUGE_JUDGE_URL", server.url + "/")
        metric = FileJudge(model="gpt", calls=f"cache={cache}")
        assert metric.base_url == server.url and f"host:{server.url.split('/')[2]}" in metric.signature(
            Corpus.read(["a"])
        )
        assert nlgauge.score(["a"], metrics=metric)[str(metric)]["score"] == pytest.approx(4.25)
        with pytest.warns(UserWarning, match="of the judge's probability"):
            nlgauge.score(
                ["a"], metrics=FileJudge(model=str(tiny_models["chat"]), base_url="local", calls="cache=off")
            )
        assert len(server.bodies) == 1


def test_the_limit_of_a_reply_has_the_name_that_the_endpoint_wants(cache):
    with serving(steady) as server:
        score(server.url, ["a"], cache, calls="limit_field=max_completion_tokens")
    assert "max_tokens" not in server.bodies[0] and server.bodies[0]["max_completion_tokens"] == 3


def test_metrics_with_an_endpoint_stay_in_this_process(cache):
    with serving(steady) as server:
        metric = FileJudge(model="gpt", base_url=server.url, calls=f"cache={cache} max_requests=8")
        result = nlgauge.score(
            [f"text {i}" for i in range(8)], ["x"] * 8, metrics=[metric, "bleu"], run_concurrent=True
        )
        assert result[str(metric)]["score"] == pytest.approx(4.25) and len(server.bodies) == 8
        # Chunks of one segment in processes of their own would each have the limit for themselves.
        few = FileJudge(model="gpt", base_url=server.url, calls="cache=off max_requests=4")
        with pytest.raises(JudgeError, match="max_requests is 4"):
            nlgauge.score(
                [f"text {i}" for i in range(8)],
                ["x"] * 8,
                metrics=[few, "bleu"],
                executor=Processes(characters=1),
            )
        assert len(server.bodies) == 12


# --- clients of the user's own


class LikeOpenAI:
    """The shape of openai.OpenAI(): client.chat.completions.create(**fields) gives an object with
    model_dump.
    """

    def __init__(self, script: Script) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.script = script
        self.chat = self.completions = self

    def create(self, **body: Any) -> Any:
        self.bodies.append(body)
        answer = self.script(body, len(self.bodies) - 1)[2]
        return type("Response", (), {"model_dump": lambda self: answer})()


def test_clients_like_openai_and_functions_like_litellm(cache):
    client = LikeOpenAI(steady)
    for number, given in enumerate((client, client.create)):
        metric = FileJudge(model=Client(given, "gpt", name=f"mine-{number}"), calls=f"cache={cache}")
        assert nlgauge.score(["a"], metrics=metric)[str(metric)]["score"] == pytest.approx(4.25)
    assert [body["model"] for body in client.bodies] == ["gpt", "gpt"]
    with pytest.raises(ParameterError, match="base_url"):
        FileJudge(model=Client(client), base_url="http://localhost/v1")


class StatusError(Exception):
    def __init__(self, status: int) -> None:
        super().__init__("rate limited")
        self.status_code = status


def test_errors_of_a_client_are_read_by_their_status(cache):
    def script(body: dict[str, Any], number: int) -> Answer:
        if number == 0:
            raise StatusError(429)
        if "odd" in body["messages"][0]["content"]:
            raise ValueError("odd")
        return steady(body, number)

    client = LikeOpenAI(script)
    metric = FileJudge(
        model=Client(client, name="failing"), calls=f"cache={cache} first_wait=0.01 concurrency=1"
    )
    with pytest.warns(UserWarning, match="reply.*requests"):
        result = nlgauge.score(["a", "odd"], metrics=metric)
    assert result[str(metric)]["failed"] == 1 and result[str(metric)]["score"] == pytest.approx(4.25)
    with pytest.raises(JudgeError, match=r"str.*choices"):
        nlgauge.score(["a"], metrics=FileJudge(model=Client(lambda **body: "4", name="words")))
    with pytest.raises(JudgeError, match=r"nothing.*object.*complete\(request\)"):
        nlgauge.score(["a"], metrics=FileJudge(model=Client(object(), name="nothing")))


@pytest.mark.parametrize(("status", "hint"), [(401, "the key of the client"), (404, "its model 'gpt'")])
def test_refusals_of_a_client_name_the_client_instead_of_the_endpoint(cache, status, hint):
    def refusing(**body: Any) -> Answer:
        raise StatusError(status)

    metric = FileJudge(model=Client(refusing, "gpt", name="refusing"), calls=f"cache={cache}")
    with pytest.raises(JudgeError, match=hint) as caught:
        nlgauge.score(["a"], metrics=metric)
    assert "base_url" not in str(caught.value) and "OPENAI_API_KEY" not in str(caught.value)


def test_calls_are_a_value_and_a_line_of_words():
    given = Calls(max_cost=2, prices=(0.15, 0.6), cache="/a dir/x.sqlite", offline=True, concurrency=2)
    assert Calls.of(given.text()) == given and " dir" not in given.text()
    metric = FileJudge(calls=given)
    assert metric == FileJudge(calls=given.text())
    for wrong in (
        "concurrency=0",
        "timeout=nan",
        "prices=1",
        "tries=x",
        "offline=maybe",
        "key_env=a-b",
        "sk-abc",
    ):
        with pytest.raises(ParameterError, match="calls: "):
            Calls.of(wrong)


def test_without_httpx_the_extra_is_named(cache):
    program = (
        "import sys; sys.modules['httpx'] = None\nimport nlgauge\nfrom nlgauge.metrics.judge import"
        " FileJudge\nnlgauge.score(['a'], metrics=FileJudge(base_url='http://localhost:1/v1',"
        f" calls='cache={cache}'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=dict(os.environ), check=False
    )
    assert 'pip install "nlgauge[judge]"' in done.stderr
