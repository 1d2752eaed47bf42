"""The explorer answers a browser of this machine that has the token, and nobody else; what it answers is
what the result says.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import http.client
import json
import logging
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest

import nlgauge
from nlgauge.errors import MissingExtraError, NlgaugeError, ParameterError
from nlgauge.explanations.wire import document
from nlgauge.results.result import Result
from nlgauge.show.explorer import serve

pytest.importorskip("uvicorn", reason="needs the extra web")
from nlgauge.show.explorer.guard import Access, Guard, single
from nlgauge.show.explorer.served import Served

_TEXTS = [
    "the cat sat on the mat",
    "a dog barks at night",
    "hello again my world",
    "rain fell on the roof of the house",
]
_PREDICTIONS = {
    "A": [*_TEXTS[:3], "rain on the house"] * 5,
    "B": ["the cat sat", "dogs bark at night", "hello world", "the rain fell"] * 5,
}
_REFERENCES = [[text] for text in _TEXTS * 5]


@pytest.fixture(scope="module")
def result() -> Result:
    return nlgauge.score(
        _PREDICTIONS,
        _REFERENCES,
        _TEXTS * 5,
        metrics=["bleu", "ter", "cider"],
        ids=[f"s{i}" for i in range(20)],
        fields={"domain": ["news", "law"] * 10, "weather\u202e": ["dry", "wet", "dry", "dry"] * 5},
    )


class Client:
    """Asks the explorer, byte by byte as told."""

    def __init__(self, address: str) -> None:
        self.port = int(address.split(":")[2].partition("/")[0])
        self.token = address.partition("token=")[2]
        self.cookie = f"nlgauge-{self.port}={self.token}"

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, **headers: str | None
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body; underscores in names of headers stand for hyphens, None leaves a
        header out.
        """
        sent = {
            "host": f"127.0.0.1:{self.port}",
            "cookie": self.cookie,
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        connection.close()
        return found

    def json(self, path: str, **query: Any) -> Any:
        status, _, body = self.ask(f"{path}?{urlencode(query, doseq=True)}" if query else path)
        assert status == 200, body
        return json.loads(body)


@pytest.fixture(scope="module")
def client(result: Result, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    found: list[str] = []
    started = threading.Event()

    def ready(address: str) -> None:
        found.append(address)
        started.set()

    other = nlgauge.score({"A": ["x y"]}, [["x y z"]], metrics=["bleu"])
    # As a daemon it ends with the tests.
    threading.Thread(
        target=serve, args=({"first": result, "second\x1b": other},), kwargs={"ready": ready}, daemon=True
    ).start()
    assert started.wait(600)
    return Client(found[0])


_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
}


@pytest.mark.parametrize(
    ("path", "options", "status"),
    [
        ("/", {}, 200),
        ("/", {"host": "localhost:PORT"}, 200),
        ("/", {"host": "[::1]:PORT"}, 200),
        ("/", {"method": "HEAD"}, 200),
        ("/", {"origin": "http://127.0.0.1:PORT", "sec_fetch_site": "same-origin"}, 200),
        ("/web/main.js", {}, 200),
        ("/api/0/part/meta", {}, 200),
        ("/", {"host": "example.com"}, 421),
        ("/", {"host": "127.0.0.1.nip.io:PORT"}, 421),
        ("/", {"host": "127.0.0.1:1"}, 421),
        ("/", {"host": "127.0.0.1"}, 421),
        ("/", {"origin": "null"}, 403),
        ("/", {"origin": "https://example.com"}, 403),
        ("/api/0/part/meta", {"sec_fetch_site": "cross-site"}, 403),
        ("/api/0/part/meta", {"sec_fetch_site": "same-site"}, 403),
        ("/api/0/view?where=domain+%3D+news", {}, 200),
        ("/api/0/view?where=domain+%3D", {}, 422),
        ("/api/0/view?where=domain+%3D+nothing", {}, 422),
        ("/api/0/view?systems=0,99", {}, 422),
        ("/api/0/view?systems=x", {}, 422),
        ("/api/9/view", {}, 400),
        ("/api/9/trust", {}, 400),
        ("/api/0/trust?level=input&dimension=x", {}, 422),
        ("/", {"method": "POST"}, 405),
        ("/api/0/own", {"method": "PUT"}, 405),
        ("/", {"method": "DELETE"}, 405),
        ("/", {"method": "OPTIONS", "origin": "https://example.com"}, 405),
        ("/api/0/part/meta", {"cookie": None}, 403),
        ("/api/0/part/meta", {"cookie": "nlgauge-PORT=wrong"}, 403),
        ("/api/0/part/meta", {"cookie": "nlgauge-1=TOKEN"}, 403),
        ("/api/0/part/meta?token=TOKEN", {"cookie": None}, 403),
        ("/?token=wrong", {"cookie": None}, 403),
        ("/../../etc/passwd", {}, 404),
        ("/web/../explorer/app.py", {}, 404),
        ("/web/%2e%2e/%2e%2e/pyproject.toml", {}, 404),
        ("//etc/passwd", {}, 404),
        ("/web/main.js%00.css", {}, 404),
        ("/web/vendor/hashes.json", {}, 404),
        ("/api/0/part/../../etc", {}, 404),
        ("/api/0/part/nothing", {}, 404),
        ("/api/2/part/meta", {}, 404),
        ("/api/-1/part/meta", {}, 404),
        ("/api/%D9%A0/part/meta", {}, 404),
        ("/api/0/why?segment=%D9%A0&label=bleu", {}, 400),
        ("/api/0/why?segment=20&label=bleu", {}, 400),
        ("/api/0/why?segment=-1&label=bleu", {}, 400),
        ("/api/0/why?segment=0&label=nothing", {}, 400),
        ("/api/0/why?segment=0x1&label=bleu", {}, 400),
        ("/api/0/slices?by=nothing", {}, 400),
        ("/api/0/slices", {}, 400),
        ("/api/0/own?label=nothing", {}, 400),
        ("/api/0/own?label=ter", {}, 422),
    ],
)
def test_requests(client: Client, path: str, options: dict[str, str | None], status: int) -> None:
    def filled(text: str | None) -> str | None:
        return None if text is None else text.replace("PORT", str(client.port)).replace("TOKEN", client.token)

    found, headers, body = client.ask(
        filled(path) or "", **{name: filled(value) for name, value in options.items()}
    )
    assert found == status, body
    assert {name: headers.get(name) for name in _HEADERS} == _HEADERS
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert "server" not in headers
    assert "access-control-allow-origin" not in headers
    if status >= 400:
        assert headers["content-type"].startswith("text/plain")
        assert b"root:" not in body
        assert client.token.encode() not in body


def test_the_token_is_exchanged_for_a_cookie_and_leaves_the_address(client: Client) -> None:
    status, headers, _ = client.ask(f"/?token={client.token}", cookie=None)
    assert (status, headers["location"]) == (303, "/")
    cookie, *attributes = headers["set-cookie"].split("; ")
    assert cookie == client.cookie
    assert sorted(map(str.lower, attributes)) == ["httponly", "path=/", "samesite=strict"]
    assert client.ask("/", cookie=f"other=1; {cookie}")[0] == 200


def test_two_hosts_are_refused(client: Client) -> None:
    with socket.create_connection(("127.0.0.1", client.port)) as plain:
        plain.sendall(
            f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nHost: example.com\r\nCookie:"
            f" {client.cookie}\r\nConnection: close\r\n\r\n".encode()
        )
        assert plain.recv(100).split()[1] in (b"400", b"421")


def test_two_hosts_are_refused_by_the_guard_itself() -> None:
    """Over HTTP the server refuses them before the guard is asked."""
    sent: list[Any] = []

    async def reached(*_: Any) -> None:
        pytest.fail("the page was reached")

    async def send(message: Any) -> None:
        sent.append(message)

    hosts = frozenset({"127.0.0.1:80"})
    headers = [(b"host", b"127.0.0.1:80"), (b"host", b"example.com"), (b"cookie", b"nlgauge-80=secret")]
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": headers}
    asyncio.run(Guard(reached, Access(single("secret"), hosts, "nlgauge-80"))(scope, None, send))
    assert sent[0]["status"] == 421


OTHERS = [
    'a={"b": [1, 2]}',
    "x[0]=1",
    "me@here=1",
    "café=1",
    "path=/",
    "=;;",
    'q="a; b"',
    "expires=never; secure",
    "nlgauge-1=other",
    "a\tb=c",
]


@pytest.mark.parametrize("other", OTHERS)
def test_cookies_of_other_programs_do_not_lock_the_user_out(client: Client, other: str) -> None:
    for cookies in (
        f"{other}; {client.cookie}",
        f"{client.cookie}; {other}",
        f"{other}; nlgauge-{client.port}=old; {client.cookie}",
    ):
        assert client.ask("/api/results", cookie=cookies)[0] == 200
    assert client.ask("/api/results", cookie=other)[0] == 403
    assert client.ask("/api/results", cookie=f"{other}; nlgauge-{client.port}={client.token}x")[0] == 403


def test_half_a_request_does_not_stay_open(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nlgauge.show.explorer.protocol.PATIENCE", 0.2)
    for start in (
        b"",
        b"GET / HTTP/1.1\r\nHost: x",
        f"GET /api/results HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n\r\nGET /".encode(),
    ):
        with socket.create_connection(("127.0.0.1", client.port), timeout=600) as plain:
            plain.sendall(start)
            while plain.recv(4096):
                pass
    monkeypatch.undo()
    assert client.ask("/api/results")[0] == 200


def test_every_module_has_its_type(client: Client) -> None:
    for path, kind in (
        ("/web/main.js", "text/javascript"),
        ("/web/page.css", "text/css"),
        ("/web/vendor/inter.woff2", "font/woff2"),
        ("/", "text/html"),
    ):
        status, headers, body = client.ask(path)
        assert (status, headers["content-type"].partition(";")[0]) == (200, kind)
        assert b"@@" not in body or path.endswith("woff2")


def test_results_and_parts(client: Client, result: Result) -> None:
    assert client.json("/api/results") == ["first", "second\\x1b"]
    _, headers, body = client.ask("/api/0/part/meta")
    assert headers["content-encoding"] == "gzip"
    meta = json.loads(gzip.decompress(body))
    assert (meta["systems"], meta["segments"], meta["texts"]) == (["A", "B"], 20, "all")
    assert meta["slices"] == ["length", "domain", "weather\\u202e"]
    assert meta["outputs"][0]["scores"] == [result["A"]["bleu"]["bleu"], result["B"]["bleu"]["bleu"]]
    assert json.loads(gzip.decompress(client.ask("/api/1/part/meta")[2]))["segments"] == 1


def test_explanations_are_those_of_the_result(client: Client, result: Result) -> None:
    found = client.json("/api/0/why", segment=1, label="ter")
    assert list(found) == ["A", "B"]
    for system, (one,) in found.items():
        wanted = document(result.explain("ter", "s1", system=system)[0])
        assert one["edits"] == wanted["edits"]


def test_slices_are_those_of_where(client: Client, result: Result) -> None:
    for found in client.json("/api/0/slices", by="domain"):
        part = result.where(domain=found["value"])
        assert (found["segments"], found["few"]) == (10, False)
        ranked = {(row.label, row.output.name): row for row in part.ranks()}
        for output in found["outputs"]:
            key = output["label"], output["output"]
            assert output["scores"] == pytest.approx(
                [part[system][key[0]][key[1]] for system in part.systems]
            )
            assert output["letters"] == list(ranked[key].letters)
            assert output["low"] == pytest.approx(
                [part.intervals()[system][key[0]][key[1]].low for system in part.systems]
            )
    by_weather = client.json("/api/0/slices", by="weather\\u202e")
    assert {found["value"]: (found["segments"], found["few"]) for found in by_weather} == {
        "dry": (15, False),
        "wet": (5, False),
    }
    assert [output["name"] for output in by_weather[0]["outputs"]] == [
        output["output"] for output in by_weather[0]["outputs"]
    ]
    for count, few in ((4, True), (5, False)):
        part = Served(
            nlgauge.score(
                _TEXTS * 3, _TEXTS * 3, metrics="chrf", fields={"part": ["x"] * count + ["y"] * (12 - count)}
            ),
            "few",
        )
        assert {found["value"]: found["few"] for found in part.slices("part")} == {"x": few, "y": False}
    by_length = client.json("/api/0/slices", by="length")
    assert sum(found["segments"] for found in by_length) == 20


def test_two_results_are_compared_when_they_are_asked_for(result: Result) -> None:
    other = nlgauge.score({"A": ["x y"]}, [["x y z"]], metrics=["bleu"])
    found: list[str] = []
    started = threading.Event()

    def ready(address: str) -> None:
        found.append(address)
        started.set()

    results = {"new": result, "same": result, "other": other}
    threading.Thread(target=serve, args=(results,), kwargs={"ready": ready}, daemon=True).start()
    assert started.wait(600)
    client = Client(found[0])
    number = client.json("/api/compare", new=0, old=1)
    assert number == 3
    assert client.json("/api/compare", new=0, old=1) == number
    assert client.json("/api/results") == ["new", "same", "other"]
    meta = json.loads(gzip.decompress(client.ask(f"/api/{number}/part/meta")[2]))
    assert meta["runs"]["names"] == ["new", "same"]
    assert meta["runs"]["sentences"][0] == "No score can tell the two runs apart."
    assert client.ask(f"/api/{number}/part/old_scores")[0] == 200
    status, _, body = client.ask("/api/compare?new=0&old=2")
    assert (status, b"no common segment id" in body) == (422, True)
    for query in ("new=0&old=0", "new=0&old=3", "new=0", "new=-1&old=0", "new=0&old=%D9%A1"):
        assert client.ask(f"/api/compare?{query}")[0] == 400
    assert client.ask("/api/compare?new=1&old=0", cookie=None)[0] == 403


def test_an_older_run_that_cannot_be_compared_is_reported_before_serving(result: Result) -> None:
    other = nlgauge.score({"A": ["x y"]}, [["x y z"]], metrics=["bleu"])
    with pytest.raises(NlgaugeError, match="no common segment id"):
        serve({"new": result}, against=("old", other), ready=pytest.fail)


def test_slices_by_length_are_named_by_their_words() -> None:
    references = [
        "one",
        "one two",
        "three four",
        "one two three four",
        "one two three four five",
        "one two three four five six",
    ]
    served = Served(nlgauge.score(references, references, metrics="chrf"), "lengths")
    named = {found["value"]: found["segments"] for found in served.slices("length")}
    assert named == {"1 to 2 words": 3, "3 to 5 words": 2, "6 words": 1}
    same = Served(nlgauge.score(["one", "two"], ["one", "two"], metrics="chrf"), "same")
    assert [found["value"] for found in same.slices("length")] == ["1 word"]


def test_imported_scores_without_texts_can_be_served() -> None:
    served = Served(nlgauge.from_scores({"A": [1, 2, 3], "B": [2, 3, 5]}, name="q:higher"), "scores")
    assert served.labels == {}
    for dimension in served.dimensions:
        assert sum(part["segments"] for part in served.slices(dimension)) == 3
    assert "meta" in served.parts


def test_a_text_of_ones_own(client: Client) -> None:
    texts = {"prediction": "the cat sat on a mat", "reference": ["the cat sat on the mat", "a cat sat"]}
    found = client.json("/api/0/own", label="bleu", **texts)
    alone = nlgauge.score([texts["prediction"]], [texts["reference"]], metrics=["bleu"])
    assert found["scores"]["bleu"] == pytest.approx(
        alone._tables[alone.systems[0], "bleu"].segments()["bleu"][0]
    )
    assert found["why"][0]["kind"] == "NgramMatches"


def test_what_was_fitted_stays_as_it_was_fitted(client: Client, result: Result) -> None:
    """CIDEr's document frequencies are those of the result: a text of the corpus gets the score that it
    has there.
    """
    found = client.json(
        "/api/0/own", label="cider", prediction=_PREDICTIONS["B"][1], reference=_REFERENCES[1]
    )
    assert found["scores"]["cider"] == pytest.approx(result._tables["B", "cider"].segments()["cider"][1])
    alone = nlgauge.score([_PREDICTIONS["B"][1]], [_REFERENCES[1]], metrics=["cider"])
    assert found["scores"]["cider"] != pytest.approx(
        alone._tables[alone.systems[0], "cider"].segments()["cider"][0]
    )


def test_own_texts_may_be_long_but_not_too_long(client: Client) -> None:
    def status(text: str) -> int:
        return client.ask(f"/api/0/own?{urlencode({'label': 'bleu', 'prediction': text, 'reference': 'a'})}")[
            0
        ]

    assert status("𝒂 " * 9_999) == 200
    assert status("a" * 20_000) == 413


def test_a_metric_that_is_fitted_on_a_system_cannot_score_one_text(
    result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = Served(result, "x")
    metric = result._job.metrics["cider"]
    monkeypatch.setattr(type(metric), "fit", lambda self: SimpleNamespace(over="system"))
    with pytest.raises(ParameterError, match=r"texts.*system"):
        served.own("cider", "a", ["b"], "")


def test_nothing_is_written(
    client: Client, result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = result.save(tmp_path / "saved")

    def state() -> dict[str, tuple[int, str]]:
        return {
            str(path): (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
            for path in sorted(tmp_path.rglob("*"))
            if path.is_file()
        }

    before = state()
    monkeypatch.chdir(tmp_path)
    served = Served(nlgauge.load(saved), "saved")
    assert served.parts["meta"]
    assert served.why(0, "bleu")
    assert served.slices("domain")
    assert served.own("bleu", "a b", ["a b"], "")
    assert state() == before


def test_where_it_cannot_start(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="at least one result"):
        serve({})
    for host in ("0.0.0.0", "example.com", "::"):
        with pytest.raises(ParameterError, match="other machines"):
            serve({"x": result}, host=host)
    with pytest.raises(ParameterError, match=r"'0\.0\.0\.0'.*host"):
        serve({"x": result}, host="0.0.0.0", token="abcdefgh")
    with pytest.raises(ParameterError, match="at least 8 letters"):
        serve({"x": result}, token="a&b c")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ParameterError, match=r"port=0.*free"):
            serve({"x": result}, port=taken.getsockname()[1])
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtraError, match=r"nlgauge\[web\]"):
        serve({"x": result})


def test_serving_leaves_the_logging_of_the_process_alone(result: Result) -> None:
    """Configuring it anew would close what others log to; some handlers then close the stream of a test
    that is under way.
    """

    class Noted(logging.Handler):
        closed = False

        def close(self) -> None:
            self.closed = True
            super().close()

    handler = Noted()
    told: list[str] = []
    started = threading.Event()

    def ready(address: str) -> None:
        told.append(address)
        started.set()

    threading.Thread(target=serve, args=({"one": result},), kwargs={"ready": ready}, daemon=True).start()
    assert started.wait(600)
    assert Client(told[0]).ask("/")[0] == 200
    assert not handler.closed


def test_a_selection_has_the_numbers_of_where(client: Client, result: Result) -> None:
    found = client.json("/api/0/view", where="domain = news and bleu[B] < 90", systems="0,1")
    part = result.where("domain = news and bleu[B] < 90")
    bits = np.unpackbits(np.frombuffer(base64.b64decode(found["bits"]), dtype=np.uint8), count=20)
    assert [f"s{i}" for i in np.flatnonzero(bits)] == list(part.corpus.ids)
    assert found["segments"] == len(part.corpus)
    assert found["outputs"][0]["scores"] == [part[system]["bleu"]["bleu"] for system in ("A", "B")]
    one = client.json("/api/0/view", where="domain = news", systems="1")
    assert one["outputs"][0]["scores"] == [result.where(domain="news")["B"]["bleu"]["bleu"]]
    everything = client.json("/api/0/view")
    assert everything["outputs"][1]["scores"] == [result[system]["ter"]["ter"] for system in ("A", "B")]
