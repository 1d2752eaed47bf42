"""The server of a campaign refuses whatever is not a rating of this annotator, and loses nothing."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import servers
from marks import thorough
from rating_cases import SYSTEMS, made

from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.tokens import Tokens
from nlgauge.errors import ParameterError, ResultError

pytest.importorskip("uvicorn", reason="needs the extra web")
from nlgauge.annotate.server import PER_MINUTE, serve
from nlgauge.annotate.server.app import application
from nlgauge.show.explorer.guard import ROLE


class Client:
    """Asks as an annotator, byte by byte as told."""

    def __init__(self, address: str) -> None:
        self.port = int(address.split(":")[2].partition("/")[0])
        self.token = address.partition("token=")[2]

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, **headers: str | None
    ) -> tuple[int, dict[str, str], bytes]:
        sent: dict[str, str | None] = {
            "host": f"127.0.0.1:{self.port}",
            "cookie": f"nlgauge-{self.port}={self.token}",
        }
        if method == "POST":
            sent |= {
                "origin": f"http://127.0.0.1:{self.port}",
                "x-nlgauge": "1",
                "content-type": "application/json",
                "content-length": str(len(body or b"")),
            }
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        connection.close()
        return found

    def post(self, content: Any, **headers: str | None) -> tuple[int, dict[str, str], bytes]:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return self.ask("/api/rate", "POST", body, **headers)

    def rating(self, item: str, value: Any = 50, request: str = "page.0") -> dict[str, Any]:
        return {"kind": "rating", "item": item, "request": request, "answers": {"da": value}}


@pytest.fixture(scope="module", autouse=True)
def _servers_stop() -> Iterator[None]:
    with servers.stopped():
        yield


def started(campaign: Campaign, **options: Any) -> dict[str, str]:
    found: list[dict[str, str]] = []
    event = threading.Event()

    def ready(addresses: dict[str, str]) -> None:
        found.append(addresses)
        event.set()

    threading.Thread(
        target=serve, args=(campaign,), kwargs={"ready": ready, "port": 0, **options}, daemon=True
    ).start()
    assert event.wait(60)
    return found[0]


class Served:
    """A campaign that is being served, and a client of each role."""

    def __init__(self, campaign: Campaign, **options: Any) -> None:
        self.campaign = campaign
        self.addresses = started(campaign, **options)
        self.ana, self.ben, self.organizer = (
            Client(self.addresses[role]) for role in ("ana", "ben", "organizer")
        )
        self.first = campaign.order("ana")[0]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    yield Served(made(tmp_path_factory.mktemp("served")), per_minute=100_000)


_GOOD: dict[str, Any] = {"kind": "rating", "request": "page.0", "answers": {"da": 50}}


@pytest.mark.parametrize(
    ("change", "headers", "status"),
    [
        ({}, {"cookie": None}, 403),
        ({}, {"cookie": "nlgauge-PORT=wrong"}, 403),
        ({}, {"origin": "http://evil.example"}, 403),
        ({}, {"origin": None}, 403),
        ({}, {"origin": "null"}, 403),
        ({}, {"sec_fetch_site": "cross-site"}, 403),
        ({}, {"x_nlgauge": "0"}, 403),
        ({}, {"x_nlgauge": None}, 403),
        ({}, {"host": "evil.example:80"}, 421),
        ({}, {"content_type": "text/plain"}, 415),
        ({}, {"content_type": None}, 415),
        ({}, {"content_length": None, "transfer_encoding": "chunked"}, 411),
        ({}, {"content_length": "5", "transfer_encoding": "chunked"}, 411),
        ({"answers": {"da": 101}}, {}, 422),
        ({"answers": {"da": -1}}, {}, 422),
        ({"answers": {"da": True}}, {}, 422),
        ({"answers": {"da": "50"}}, {}, 422),
        ({"answers": {"da": 50.0}}, {}, 422),
        ({"answers": {}}, {}, 422),
        ({"answers": []}, {}, 422),
        ({"answers": {"da": 5, "other": 5}}, {}, 422),
        ({"item": "nothing"}, {}, 422),
        ({"item": -1}, {}, 422),
        ({"item": 0}, {}, 422),
        ({"item": "../../etc/passwd"}, {}, 422),
        ({"item": "BEN"}, {}, 422),
        ({"spans": [{"start": 0, "end": 999999, "severity": "minor"}]}, {}, 422),
        ({"kind": "note"}, {}, 422),
        ({"kind": "merged"}, {}, 422),
        ({"kind": "skip"}, {}, 422),
        ({"kind": "undo"}, {}, 422),
        ({"kind": "opened"}, {}, 422),
        ({"kind": None}, {}, 422),
        ({"reason": "hard"}, {}, 422),
        ({"merged": 0}, {}, 422),
        ({"annotator": "ben"}, {}, 422),
        ({"seconds": -1}, {}, 422),
        ({"seconds": True}, {}, 422),
        ({"request": ""}, {}, 422),
        ({"request": "x" * 65}, {}, 422),
        ({"request": None}, {}, 422),
    ],
)
def test_refusals(
    served: Served, change: dict[str, Any], headers: dict[str, str | None], status: int
) -> None:
    others = next(key for key in served.campaign.order("ben") if not served.campaign.has("ana", key))
    body = {**_GOOD, "item": served.first, **change}
    if body["item"] == "BEN":
        body["item"] = others
    filled = {name: value and value.replace("PORT", str(served.ana.port)) for name, value in headers.items()}
    before = len(served.campaign.records())
    content = b"0\r\n\r\n" if "transfer_encoding" in headers else json.dumps(body).encode()
    found, answered, words = served.ana.post(content, **filled)
    assert found == status, words
    assert "default-src 'none'" in answered["content-security-policy"]
    assert served.ana.token.encode() not in words
    assert len(served.campaign.records()) == before


_DEEP = b'{"kind":"rating","request":"page.0","item":"x","answers":'


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"[]",
        b"null",
        b"\xff",
        b'{"kind":"rating"}',
        _DEEP + b'{"da":' + b"[" * 50_000 + b"]" * 50_000 + b"}}",
        _DEEP + b'{"da":' * 30_000 + b"1" + b"}" * 30_001,
        _DEEP + b'{"da":' + b"9" * 5000 + b"}}",
        _DEEP + b'{"da":NaN}}',
        _DEEP + b'{"da":1},"seconds":1e400}',
        _DEEP + b'{"da":1},"spans":[{"severity":"minor","note":"\\ud800"}]}',
        _DEEP + b'{"da":1},"spans":[{"severity":"minor","start":true,"end":2}]}',
        _DEEP + b'{"da":1},"spans":[{"severity":"minor","who":"ben"}]}',
    ],
)
def test_bodies_that_are_no_ratings(served: Served, body: bytes) -> None:
    before = len(served.campaign.records())
    assert served.ana.post(body)[0] == 422
    assert len(served.campaign.records()) == before


def test_a_page_that_leaves_in_the_middle_of_a_rating_is_no_error(tmp_path: Path) -> None:
    """The terminal of the organizer shows no traceback, and nothing is written."""
    campaign = made(tmp_path)
    messages = iter(
        [{"type": "http.request", "body": b'{"kind":"rat', "more_body": True}, {"type": "http.disconnect"}]
    )
    sent: list[Any] = []

    async def receive() -> Any:
        return next(messages)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/rate",
        "headers": [],
        "query_string": b"",
        ROLE: "ana",
    }
    with campaign.rating() as rater:
        asyncio.run(application(campaign, rater, 60)(scope, receive, send))
    assert sent[0]["status"] == 400
    assert campaign.records() == []


_SKIP: dict[str, Any] = {"kind": "skip", "request": "page.0"}


@pytest.mark.parametrize(
    "change",
    [
        {"item": "OTHER"},
        {"item": "nothing"},
        {"item": ""},
        {"item": 0},
        {"reason": 5},
        {"reason": None},
        {"reason": "x" * 2001},
        {"reason": ["x"]},
        {"seconds": -1},
        {"seconds": "1"},
        {"active": 1e300},
        {"answers": {"da": 100}},
        {"spans": []},
        {"annotator": "ben"},
        {"request": ""},
        {"at": 5},
    ],
)
def test_what_is_no_skip_is_refused(served: Served, change: dict[str, Any]) -> None:
    others = next(key for key in served.campaign.order("ben") if not served.campaign.has("ana", key))
    body = {**_SKIP, "item": served.first, **change}
    if body["item"] == "OTHER":
        body["item"] = others
    before = len(served.campaign.records())
    assert served.ana.post(body)[0] == 422
    assert served.ana.post({"kind": "opened", "request": "page.1", "item": served.first})[0] == 422
    assert served.ana.post({"kind": "opened", "request": "x" * 65})[0] == 422
    assert served.organizer.post({**_SKIP, "item": served.first})[0] == 403
    assert served.organizer.post({"kind": "opened", "request": "page.1"})[0] == 403
    assert len(served.campaign.records()) == before


def test_large_bodies_are_not_read(served: Served) -> None:
    assert served.ana.post(b"x", content_length="300000")[0] == 413
    assert served.ana.post(b"x" * 256_001)[0] == 413


def test_roles_are_not_swapped(served: Served) -> None:
    good = {**_GOOD, "item": served.first}
    assert served.organizer.post(good)[0] == 403
    assert served.ana.ask("/api/state")[0] == 403
    assert served.organizer.ask("/api/work")[0] == 403
    assert served.ben.post(good)[0] == 422
    assert served.campaign.records() == []
    for client, name in ((served.ana, "ana"), (served.ben, "ben")):
        status, _, body = client.ask("/api/work")
        work = json.loads(body)
        assert (status, work["annotator"]) == (200, name)
        assert [item["key"] for item in work["items"]] == served.campaign.order(name)
        assert not [word for word in (*SYSTEMS, "seg-") if word.encode() in body]
    # A token in the address replaces the cookie of another role.
    status, headers, _ = served.ana.ask(f"/?token={served.organizer.token}")
    assert (status, headers["location"]) == (303, "/")
    assert served.organizer.token in headers["set-cookie"]
    assert "httponly" in headers["set-cookie"].lower() and "samesite=strict" in headers["set-cookie"].lower()


@pytest.mark.parametrize(
    "path",
    [
        "/tokens.json",
        "/ratings.jsonl",
        "/web/../../annotate/tokens.py",
        "/web/%2e%2e/page.html",
        "//etc/passwd",
    ],
)
def test_only_files_of_the_page_are_sent(served: Served, path: str) -> None:
    assert served.ana.ask(path)[0] == 404


def test_only_ratings_are_written(served: Served) -> None:
    for path in ("/", "/api/work", "/api/state", "/web/dom.js"):
        assert served.ana.ask(path, "POST", b"{}")[0] == 405
    assert served.ana.ask("/api/rate")[0] == 404
    assert served.ana.ask("/api/rate", "DELETE")[0] == 405


def test_a_replayed_request_is_written_once(tmp_path: Path) -> None:
    served = Served(made(tmp_path), per_minute=1000)
    sent = served.ana.rating(served.first)
    answers = [json.loads(served.ana.post(sent)[2]) for _ in range(3)]
    assert [answer["n"] for answer in answers] == [0, 0, 0]
    assert len(served.campaign.records()) == 1
    # Another window with the same address saves too, and both are told.
    other = json.loads(served.ana.post(served.ana.rating(served.first, 60, "window.0"))[2])
    assert other == {"n": 1, "elsewhere": True, "items": 45}
    assert [record["answers"]["da"] for record in served.campaign.records()] == [50, 60]
    assert served.ana.post({"kind": "undo", "item": served.first, "request": "page.1"})[0] == 200
    (work,) = [
        item for item in json.loads(served.ana.ask("/api/work")[2])["items"] if item["key"] == served.first
    ]
    assert [each["answers"] for each in work["responses"]] == [{"da": 50}]


def test_skips_are_saved_replayed_and_taken_back(tmp_path: Path) -> None:
    served = Served(made(tmp_path), per_minute=1000)
    assert served.ana.post({"kind": "opened", "request": "page.open"})[0] == 200
    reason = "<script>alert(1)</script> \u202e"
    skip = {**_SKIP, "item": served.first, "reason": reason, "active": 2.5, "seconds": 3.25}
    assert [json.loads(served.ana.post(skip)[2])["n"] for _ in range(3)] == [1, 1, 1]
    opened, record = served.campaign.records()
    assert (opened["kind"], opened["annotator"], opened["item"]) == ("opened", "ana", "")
    assert (record["kind"], record["reason"], record["active"], record["seconds"]) == (
        "skip",
        reason,
        2.5,
        3.2,
    )

    def first() -> Any:
        items = json.loads(served.ana.ask("/api/work")[2])["items"]
        return next(item for item in items if item["key"] == served.first)["responses"]

    assert first() == [{"kind": "skip", "reason": reason}]
    # A request that was a skip is not a rating when it is sent again, and the rating of another request counts.
    assert json.loads(served.ana.post(served.ana.rating(served.first, 5))[2])["n"] == 1
    assert served.ana.post({"kind": "undo", "item": served.first, "request": "page.2"})[0] == 200
    assert first() == []
    assert served.ana.post(skip | {"request": "page.3"})[0] == 200
    assert served.ana.post(served.ana.rating(served.first, 7, "page.4"))[0] == 200
    assert first()[-1]["answers"] == {"da": 7}
    state = json.loads(served.organizer.ask("/api/state")[2])
    assert [(row["done"], row["skipped"], row["opened"]) for row in state["annotators"]] == [
        (1, 0, 1),
        (0, 0, 0),
    ]
    # Another annotator of the same item sees nothing of this.
    assert b"script" not in served.ben.ask("/api/work")[2]


def test_a_page_that_is_opened_again_is_not_another_window(tmp_path: Path) -> None:
    served = Served(made(tmp_path), per_minute=1000)

    def elsewhere(content: dict[str, Any]) -> bool:
        return bool(json.loads(served.ana.post(content)[2])["elsewhere"])

    assert not elsewhere({"kind": "opened", "request": "a.open"})
    assert not elsewhere(served.ana.rating(served.first, 1, "a.0"))
    assert not elsewhere({"kind": "opened", "request": "b.open"})
    assert not elsewhere(served.ana.rating(served.first, 2, "b.0"))
    assert elsewhere(served.ana.rating(served.first, 3, "a.1"))


def test_too_many_ratings_in_a_minute_wait(tmp_path: Path) -> None:
    served = Served(made(tmp_path))
    statuses = [
        served.ana.post(served.ana.rating(served.first, number % 100, f"p.{number}"))[0]
        for number in range(PER_MINUTE + 1)
    ]
    assert statuses == [200] * PER_MINUTE + [429]
    status, headers, _ = served.ana.post(served.ana.rating(served.first, 1, "p.x"))
    assert status == 429
    assert 1 <= int(headers["retry-after"]) <= 60
    assert served.ben.post(served.ben.rating(served.campaign.order("ben")[0]))[0] == 200


def test_four_threads_get_numbers_without_gaps(tmp_path: Path) -> None:
    served = Served(made(tmp_path), per_minute=100_000)
    keys = {name: served.campaign.order(name) for name in ("ana", "ben")}

    def rate(number: int) -> int:
        name = ("ana", "ben")[number % 2]
        client = getattr(served, name)
        status, _, body = client.post(
            client.rating(keys[name][number % 40], number % 101, f"thread.{number}")
        )
        assert status == 200, body
        return int(json.loads(body)["n"])

    with ThreadPoolExecutor(4) as pool:
        numbers = list(pool.map(rate, range(120)))
    assert sorted(numbers) == list(range(120))
    records = served.campaign.records()
    assert [record["n"] for record in records] == list(range(120))
    for number, found in enumerate(numbers):
        assert records[found]["request"] == f"thread.{number}"


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = Served(made(tmp_path), per_minute=1000)
    assert served.ana.post(served.ana.rating(served.first, 1, "p.0"))[0] == 200
    write = os.write
    with monkeypatch.context() as patched:
        # Only lines of the log begin with this byte: the event loop writes to pipes and sockets.
        patched.setattr(
            "nlgauge.annotate.log.os.write",
            lambda file, line: write(file, line[:9]) if line.startswith(b'{"n"') else write(file, line),
        )
        status, _, words = served.ana.post(served.ana.rating(served.first, 2, "p.1"))
    assert (status, b"disk" in words) == (507, True)
    assert served.ana.post(served.ana.rating(served.first, 2, "p.1"))[0] == 200
    assert [record["answers"]["da"] for record in served.campaign.records()] == [1, 2]


def test_a_second_server_is_refused(served: Served) -> None:
    with pytest.raises(ResultError, match=f"served by process {os.getpid()}"):
        serve(served.campaign, port=0)


def test_tokens_are_saved_as_digests_and_replaced(tmp_path: Path) -> None:
    served = Served(made(tmp_path), per_minute=1000)
    file = served.campaign.directory / "tokens.json"
    if os.name != "nt":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    content = file.read_text("utf-8")
    assert not [address for address in served.addresses.values() if address.partition("token=")[2] in content]
    token = Tokens(served.campaign.directory).new("ana")
    assert served.ana.ask("/")[0] == 403
    served.ana.token = token
    assert served.ana.ask("/")[0] == 200
    saved = json.loads(content)
    saved["digests"]["ben"] = saved["digests"]["ana"]
    file.write_text(json.dumps(saved), "utf-8")
    with pytest.raises(ResultError, match="same token for ana and ben"):
        Tokens(served.campaign.directory)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"host": "0.0.0.0"}, "every address"),
        ({"host": "192.0.2.1"}, "not encrypted"),
        ({"origin": "http://rate.example.org"}, "https"),
        ({"origin": "https://rate.example.org/path"}, "without a path"),
    ],
)
def test_where_it_does_not_serve(tmp_path: Path, options: dict[str, str], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        serve(made(tmp_path), **options)  # type: ignore[arg-type]


def test_behind_a_proxy_only_its_address_counts(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    addresses = started(campaign, origin="https://rate.example.org")
    assert addresses["ana"].startswith("https://rate.example.org/?token=")
    port = Tokens(campaign.directory).port
    client = Client(f"http://127.0.0.1:{port}/?token={addresses['ana'].partition('token=')[2]}")
    assert client.ask("/")[0] == 421
    status, headers, _ = client.ask(f"/?token={client.token}", host="rate.example.org", cookie=None)
    assert status == 303
    assert "secure" in headers["set-cookie"].lower()
    good = client.rating(campaign.order("ana")[0])
    ours = {"host": "rate.example.org"}
    assert client.post(good, **ours)[0] == 403
    assert client.post(good, **ours, origin="https://rate.example.org")[0] == 200


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is a signal of Unix")
@pytest.mark.parametrize("kills", [2, *thorough(20)])
def test_no_acknowledged_rating_is_lost_by_kill_of_the_server(tmp_path: Path, kills: int) -> None:
    campaign = made(tmp_path)
    keys = campaign.order("ana")
    acknowledged: set[int] = set()
    client = None
    for number in range(kills):
        process = subprocess.Popen(
            [sys.executable, "-m", "nlgauge", "annotate", "serve", str(campaign.directory)],
            stderr=subprocess.PIPE,
            text=True,
        )
        lines = _lines_until(process, "Ratings are saved")
        if client is None:
            client = Client(next(line for line in lines if "ana" in line).split()[-1])
        else:
            assert "as before" in "".join(lines)
        _wait_for(lambda client=client: client.ask("/")[0] == 200)
        for place in range(5 + number):
            sent = client.rating(keys[place], place, f"k{number}.{place}")
            if place % 2:
                sent = {"kind": "skip", "item": keys[place], "request": sent["request"], "reason": "hard"}
            status, _, body = client.post(sent)
            assert status == 200
            acknowledged.add(json.loads(body)["n"])
        process.send_signal(signal.SIGKILL)
        process.wait()
        if process.stderr is not None:
            process.stderr.close()
        with (campaign.directory / "ratings.jsonl").open("ab") as file:
            file.write(b'{"n":999,"at":1,"kind":"rat')
    numbers = [record["n"] for record in campaign.records()]
    assert numbers == list(range(len(numbers)))
    assert acknowledged <= set(numbers)


def _lines_until(process: subprocess.Popen[str], last: str) -> list[str]:
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if last in line:
            return lines
    raise AssertionError("".join(lines))


def _wait_for(ready: Callable[[], bool]) -> None:
    for _ in range(600):
        try:
            if ready():
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise AssertionError("the server does not answer")
