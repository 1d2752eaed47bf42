"""Downloads of benchmarks from a server on this machine: pinned files only, and nothing is installed otherwise."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from click.testing import CliRunner
from workbooks import ratings_workbook

from nlgauge.cli.commands import app
from nlgauge.errors import InputError, ParameterError
from nlgauge.meta.benchmarks import catalog, downloading, load
from nlgauge.meta.benchmarks.card import Download

NAME = "cdsr_cogito"


class Files(BaseHTTPRequestHandler):
    content: ClassVar[dict[str, bytes]] = {}
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        body = self.content.get(self.path)
        self.send_response(404 if body is None else 200)
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Files]]:
    """A server with the file of one benchmark, which the catalog names."""
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path / "kept"))
    monkeypatch.delenv("NLGAUGE_OFFLINE", raising=False)
    served = ThreadingHTTPServer(("127.0.0.1", 0), Files)
    content = ratings_workbook(tmp_path / "human_evaluation.xlsx").read_bytes()
    Files.content, Files.asked = {"/file": content}, []
    url = f"http://127.0.0.1:{served.server_port}/file"
    pinned = Download(url, len(content), hashlib.sha256(content).hexdigest(), "human_evaluation.xlsx")
    card = replace(catalog.CATALOG[NAME], downloads=(pinned,))
    monkeypatch.setitem(catalog.CATALOG, NAME, card)
    monkeypatch.setitem(catalog._BY_ANY_NAME, NAME, card)
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield Files
    served.shutdown()
    served.server_close()


def test_a_pinned_file_is_downloaded_and_installed(server: type[Files]) -> None:
    said: list[str] = []
    benchmark, place = downloading.get(NAME, say=said.append)
    assert place.is_file() and load(NAME).systems == benchmark.systems == ("rl", "norl", "nograph")
    assert "1 file" in said[0] and "http://127.0.0.1" in said[1] and "CC BY-NC-SA" in said[2]
    with pytest.raises(InputError, match="already"):
        downloading.get(NAME)
    downloading.get(NAME, overwrite=True)


@pytest.mark.parametrize(
    "change", [lambda body: body[:-1], lambda body: body + b"x", lambda body: b"x" + body[1:]]
)
def test_another_file_is_refused(server: type[Files], change, tmp_path: Path) -> None:
    server.content["/file"] = change(server.content["/file"])
    with pytest.raises(InputError, match="nothing was installed"):
        downloading.get(NAME)
    assert not (tmp_path / "kept").exists()


def test_an_installed_benchmark_survives_a_failure(server: type[Files], tmp_path: Path) -> None:
    _, place = downloading.get(NAME)
    content = place.read_bytes()
    server.content.clear()
    with pytest.raises(InputError, match="404"):
        downloading.get(NAME, overwrite=True)
    assert place.read_bytes() == content


def test_the_network_is_used_only_if_asked(server: type[Files], monkeypatch: pytest.MonkeyPatch) -> None:
    done = CliRunner().invoke(app, ["benchmarks", "get", NAME])
    assert done.exit_code == 2 and "--download" in done.stderr and "http://127.0.0.1" in done.stderr
    assert not server.asked
    monkeypatch.setenv("NLGAUGE_OFFLINE", "1")
    with pytest.raises(InputError, match="NLGAUGE_OFFLINE"):
        downloading.get(NAME)
    assert not server.asked
    monkeypatch.delenv("NLGAUGE_OFFLINE")
    done = CliRunner().invoke(app, ["benchmarks", "get", NAME, "--download"])
    assert done.exit_code == 0 and done.stdout.strip().endswith(f"{NAME}.jsonl.gz")


def test_a_benchmark_without_files_says_how_to_get_it() -> None:
    with pytest.raises(ParameterError, match="nlgauge benchmarks import"):
        downloading.get("summeval")


def test_all_downloads_are_pinned_to_a_commit() -> None:
    found = [each for card in catalog.CATALOG.values() for each in card.downloads]
    assert found
    for each in found:
        assert each.url.startswith("https://raw.githubusercontent.com/")
        assert len(each.url.split("/")[5]) == 40 and len(each.sha256) == 64 and each.bytes > 0


@pytest.mark.parametrize("path", ["../a", "/etc/passwd", "a/../../b", "C:\\a", ""])
def test_paths_outside_are_refused(path: str) -> None:
    with pytest.raises(ValueError, match="safe path"):
        Download("https://example.org/a", 1, "0" * 64, path)
