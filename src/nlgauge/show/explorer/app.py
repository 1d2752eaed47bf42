"""The explorer's answers: files of the page, parts of results, explanations, slices. Valid requests are known
at the start or checked here: nothing of a request reaches the file system.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from nlgauge._core.safe_text import visible
from nlgauge.errors import NlgaugeError
from nlgauge.show.explorer.files import html_page, web_files
from nlgauge.show.explorer.served import Served
from nlgauge.show.report.page import body

# The greatest length of a text of the user, in characters.
_LONGEST = 20_000
_MOST_SYSTEMS = 1_000_000
_ASK = "Unknown result, metric or segment. Load the page again."

Endpoint = Callable[[Request], Awaitable[Response]]
# Computes an answer from an expression, numbers of systems, and the whole query.
OfSelection = Callable[[Served, str, tuple[int, ...], Mapping[str, str]], Any]


def application(served_results: Sequence[Served]) -> Starlette:
    """Return the page over these results, and over their comparisons on request."""
    results, count = list(served_results), len(served_results)
    compared: dict[tuple[int, int], int] = {}
    files = _files()
    # One at a time: results are not made for several threads, and two cores would not be faster.
    worker = ThreadPoolExecutor(1, "explorer")

    async def computed(function: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(worker, function)

    def found(request: Request) -> Served | None:
        number = _whole(request.path_params["result"], len(results))
        return None if number is None else results[number]

    async def file(request: Request) -> Response:
        content = files.get(request.url.path)
        return (
            PlainTextResponse("Unknown page. Open the address that `nlgauge serve` printed.", 404)
            if content is None
            else Response(content[0], media_type=content[1])
        )

    async def names(request: Request) -> Response:
        return _json([visible(served.name) for served in results[:count]])

    async def part(request: Request) -> Response:
        served = found(request)
        content = (
            None
            if served is None
            else (await computed(lambda: served.parts)).get(request.path_params["name"])
        )
        if content is None:
            return PlainTextResponse("Unknown part of the page. Load the page again.", 404)
        return Response(content, media_type="application/octet-stream", headers={"content-encoding": "gzip"})

    async def why(request: Request) -> Response:
        served, label = found(request), request.query_params.get("label", "")
        segment = (
            None
            if served is None
            else _whole(request.query_params.get("segment", ""), len(served.result.corpus))
        )
        if served is None or segment is None or label not in served.labels:
            return PlainTextResponse(_ASK, 400)
        return await answered(lambda: served.why(segment, label))

    async def slices(request: Request) -> Response:
        served, dimension = found(request), request.query_params.get("by", "")
        if served is None or dimension not in served.dimensions:
            return PlainTextResponse("Unknown result or field. Load the page again.", 400)
        where = request.query_params.get("where", "")
        return await answered(lambda: served.slices(dimension, where))

    def of_selection(compute: OfSelection) -> Endpoint:
        async def endpoint(request: Request) -> Response:
            served, query = found(request), request.query_params
            if served is None:
                return PlainTextResponse(_ASK, 400)
            where, systems = query.get("where", ""), _numbers(query.get("systems", ""))
            return await answered(lambda: compute(served, where, systems, query))

        return endpoint

    @of_selection
    def view(served: Served, where: str, systems: tuple[int, ...], _: Mapping[str, str]) -> Any:
        return served.view(where, systems)

    @of_selection
    def trust(served: Served, where: str, systems: tuple[int, ...], query: Mapping[str, str]) -> Any:
        return served.trust(query.get("level", ""), query.get("dimension", ""), where, systems)

    @of_selection
    def spans(served: Served, where: str, systems: tuple[int, ...], _: Mapping[str, str]) -> Any:
        return served.spans(where, systems)

    async def own(request: Request) -> Response:
        served, query = found(request), request.query_params
        label, prediction, source, references = (
            query.get("label", ""),
            query.get("prediction", ""),
            query.get("source", ""),
            query.getlist("reference"),
        )
        if served is None or label not in served.labels:
            return PlainTextResponse(_ASK, 400)
        if sum(map(len, (prediction, source, *references))) > _LONGEST:
            return PlainTextResponse(
                f"The texts are too long; use at most {_LONGEST:,} characters in total.", 413
            )
        return await answered(lambda: served.own(label, prediction, references, source))

    async def compare(request: Request) -> Response:
        new, old = (_whole(request.query_params.get(name, ""), count) for name in ("new", "old"))
        if new is None or old is None or new == old:
            return PlainTextResponse("Unknown results. Load the page again.", 400)

        def number() -> int:
            if (new, old) not in compared:
                one = results[new]
                served = Served(one.result, one.name, one.named, results[old])
                # Runs that cannot be compared raise here.
                _ = served.runs
                compared[new, old] = len(results)
                results.append(served)
            return compared[new, old]

        return await answered(number)

    async def answered(function: Callable[[], Any]) -> Response:
        try:
            return _json(await computed(function))
        except NlgaugeError as error:
            return PlainTextResponse(visible(str(error)), 422)

    return Starlette(
        routes=[
            Route("/api/results", names),
            Route("/api/compare", compare),
            Route("/api/{result}/part/{name}", part),
            Route("/api/{result}/why", why),
            Route("/api/{result}/slices", slices),
            Route("/api/{result}/view", view),
            Route("/api/{result}/trust", trust),
            Route("/api/{result}/spans", spans),
            Route("/api/{result}/own", own),
            Route("/{path:path}", file),
        ]
    )


def _files() -> dict[str, tuple[bytes, str]]:
    """Return the files of the page by their address, read once."""
    return {
        **web_files(),
        "/": html_page("/web/main.js", "/web/page.css", "nlgauge", body("nlgauge", ""), "/api"),
    }


def _json(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")


def _numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of systems, such as "0,2"; -1 stands for what is no number."""
    return tuple(
        -1 if (number := _whole(one, _MOST_SYSTEMS)) is None else number for one in text.split(",") if one
    )


def _whole(text: str, below: int) -> int | None:
    """Return a number of ASCII digits that is below a limit."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 and int(text) < below else None
