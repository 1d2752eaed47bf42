"""A small server with OpenAI's chat completions, that does what real ones do wrong.

As a program it serves until it is killed, and logs requests.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# What the server does with a request, given its body and its number: (status, headers, body), where a body
# that is bytes is sent as it is.
Answer = tuple[int, dict[str, str], Any]
Script = Callable[[dict[str, Any], int], Answer]


def completion(
    *texts: str, weights: dict[str, float] | None = None, finish: str = "stop", **more: Any
) -> Answer:
    """A response with these replies; with weights each has the probabilities of its first token."""
    choices = []
    for index, text in enumerate(texts):
        found: dict[str, Any] = {
            "index": index,
            "message": {"role": "assistant", "content": text},
            "finish_reason": finish,
        }
        if weights is not None:
            top = [{"token": token, "logprob": math.log(weight)} for token, weight in weights.items()]
            found["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
        choices.append(found)
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 40}}
    return 200, {}, {"choices": choices, "usage": usage, **more}


def error(status: int, message: str, headers: dict[str, str] | None = None, **more: str) -> Answer:
    return status, headers or {}, {"error": {"message": message, **more}}


class Server:
    """A server that answers by a script, and remembers bodies and headers."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.most_at_once = 0
        self._now = 0
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer.answer(self)

            def log_message(self, *arguments: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            number = len(self.bodies)
            self.bodies.append({**body, "path": handler.path})
            self.headers.append(dict(handler.headers))
            self.times.append(time.monotonic())
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        status, headers, found = self.script(body, number)
        with self._lock:
            self._now -= 1
        data = found if isinstance(found, bytes) else json.dumps(found).encode()
        handler.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
            **headers,
        }.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)
        if int(headers.get("Content-Length", len(data))) > len(data):
            handler.close_connection = True  # a reply of which half is missing

    def __enter__(self) -> Server:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def serving(script: Script) -> Iterator[Server]:
    """A server meanwhile."""
    with Server(script) as server:
        yield server
