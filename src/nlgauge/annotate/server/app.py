"""The answers of the server: the pages, an annotator's items, ratings, and the state for the organizer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from nlgauge._core.safe_text import visible
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.creating import ORGANIZER
from nlgauge.annotate.marks import Mark
from nlgauge.annotate.pages import BODY, work_of
from nlgauge.annotate.rating import Rater
from nlgauge.annotate.server.limits import Limits
from nlgauge.errors import InputError, NlgaugeError
from nlgauge.show.explorer.files import html_page, web_files
from nlgauge.show.explorer.guard import ROLE

_FORBIDDEN = "Your address is not for this page."


class _Sent(msgspec.Struct, forbid_unknown_fields=True, tag_field="kind"):
    """A message of the page of an annotator; `request` has the id of the page before the first dot."""

    request: str


class _Rating(_Sent, tag="rating"):
    item: str
    answers: dict[str, Any]
    spans: list[Mark] = []
    seconds: float = 0.0
    active: float = 0.0


class _Skip(_Sent, tag="skip"):
    item: str
    reason: str = ""
    seconds: float = 0.0
    active: float = 0.0


class _Undo(_Sent, tag="undo"):
    item: str


class _Opened(_Sent, tag="opened"):
    pass


def application(campaign: Campaign, rater: Rater, per_minute: int) -> Starlette:
    """Return the pages of a campaign."""
    files = web_files()
    title = visible(campaign.plan.title or "Rate texts")
    pages = {
        True: html_page("/web/rate/organizer.js", "/web/rate/rate.css", title, BODY, "/api"),
        False: html_page("/web/rate/rate.js", "/web/rate/rate.css", title, BODY, "/api"),
    }
    # One at a time: the log has one writer, and events have numbers in their order.
    writer, reader = ThreadPoolExecutor(1, "ratings"), ThreadPoolExecutor(1, "state")
    limits = Limits(per_minute)
    last_page: dict[str, str] = {}
    state: dict[int, Any] = {}

    async def run(pool: ThreadPoolExecutor, function: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(pool, function)

    async def file(request: Request) -> Response:
        if request.url.path == "/":
            content, kind = pages[request.scope[ROLE] == ORGANIZER]
            return Response(content, media_type=kind)
        known = files.get(request.url.path)
        if known is None:
            return PlainTextResponse("Unknown page. Open the address that you were given.", 404)
        return Response(known[0], media_type=known[1])

    async def work(request: Request) -> Response:
        role = request.scope[ROLE]
        if role not in campaign.plan.orders:
            return PlainTextResponse(_FORBIDDEN, 403)
        return _json(await run(writer, lambda: work_of(rater.campaign, role, rater.log.records)))

    async def rate(request: Request) -> Response:
        role = request.scope[ROLE]
        if role not in campaign.plan.orders:
            return PlainTextResponse(_FORBIDDEN, 403)
        try:
            sent = msgspec.json.decode(await request.body(), type=_Rating | _Skip | _Undo | _Opened)
        except (msgspec.DecodeError, RecursionError) as error:
            return PlainTextResponse(visible(f"This is not a rating: {error}."), 422)
        except ClientDisconnect:
            # Nobody reads this answer.
            return PlainTextResponse("The rating is incomplete.", 400)
        wait = limits.wait(role)
        if wait:
            return PlainTextResponse("Too many ratings in a minute.", 429, {"retry-after": str(wait)})

        try:
            number = await run(writer, lambda: _saved(rater, role, sent))
        except InputError as error:
            return PlainTextResponse(visible(str(error)), 422)
        except OSError:
            return PlainTextResponse("The disk of the server is full or cannot be written.", 507)
        page = sent.request.partition(".")[0]
        # A page that was opened replaces the page before; if the page before saves too, both are in use.
        elsewhere = last_page.setdefault(role, page) != page and not isinstance(sent, _Opened)
        last_page[role] = page
        # The page gets further items if there are more than it has.
        return _json({"n": number, "elsewhere": elsewhere, "items": len(rater.campaign.order(role))})

    async def known(request: Request) -> Response:
        if request.scope[ROLE] != ORGANIZER:
            return PlainTextResponse(_FORBIDDEN, 403)
        from nlgauge.annotate.state import state_of

        count = len(rater.log.records)
        if count not in state:
            try:
                content = await run(
                    reader, lambda: state_of(rater.campaign, rater.log.records[:count]).plain()
                )
            except NlgaugeError as error:
                return PlainTextResponse(visible(str(error)), 422)
            state.clear()
            state[count] = content
        return _json(state[count])

    return Starlette(
        routes=[
            Route("/api/work", work),
            Route("/api/rate", rate, methods=["POST"]),
            Route("/api/state", known),
            Route("/{path:path}", file),
        ]
    )


def _saved(rater: Rater, role: str, sent: _Rating | _Skip | _Undo | _Opened) -> int:
    page: dict[str, Any] = {"request": sent.request}
    match sent:
        case _Rating():
            page |= {"seconds": sent.seconds, "active": sent.active}
            return rater.rate(role, sent.item, sent.answers, sent.spans, **page)
        case _Skip():
            page |= {"seconds": sent.seconds, "active": sent.active}
            return rater.skip(role, sent.item, sent.reason, **page)
        case _Undo():
            return rater.undo(role, sent.item, **page)
        case _Opened():
            return rater.opened(role, **page)


def _json(value: Any) -> Response:
    return Response(msgspec.json.encode(value), media_type="application/json")
