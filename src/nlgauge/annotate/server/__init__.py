"""The server of a campaign: annotators rate in the browser, the organizer sees the results so far.

It is a separate process: the explorer never writes.
"""

from __future__ import annotations

import re
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack

from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.creating import ORGANIZER
from nlgauge.annotate.tokens import Tokens
from nlgauge.errors import MissingExtraError, ParameterError
from nlgauge.show.explorer.hosts import check_host, is_loopback

# The largest rating, in bytes, and the number of ratings per minute and token.
LONGEST = 256_000
PER_MINUTE = 60
_ORIGIN = re.compile(r"https://([a-z0-9.-]+|\[[0-9a-f:]+\])(:\d{1,5})?")


def serve(
    campaign: Campaign,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    origin: str | None = None,
    insecure: bool = False,
    browser: bool = False,
    per_minute: int = PER_MINUTE,
    ready: Callable[[dict[str, str]], None] = print,
) -> None:
    """Serve a campaign until interrupted.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    host : str, default "127.0.0.1"
        Address of this machine.
    port : int, optional
        Port; 0 is any free port. Default: the port of the last time, so that addresses stay valid.
    origin : str, optional
        Address under which a proxy offers the server, such as "https://rate.example.org".
    insecure : bool, default False
        Let other machines connect without encryption.
    browser : bool, default False
        Open the page of the organizer in the browser.
    per_minute : int, default 60
        Largest number of ratings per minute and annotator.
    ready : callable
        Receives the addresses by role, before the first request is answered; "as before" for roles that got
        theirs when the campaign was served before.

    Raises
    ------
    MissingExtraError
        If the extra "web" is not installed.
    ParameterError
        If the host can be reached from other machines without `origin` or `insecure`, or the port is in use.
    ResultError
        If another process serves the campaign, or a line of its log is damaged.
    """
    try:
        import uvicorn  # noqa: F401

        from nlgauge.annotate.server.app import application
        from nlgauge.show.explorer.guard import Access, Guard
        from nlgauge.show.explorer.listening import answer, bound, hosts_of
    except ImportError:
        raise MissingExtraError("starlette and uvicorn", "web", "rating in the browser") from None

    check_host(host)
    if origin is not None and not _ORIGIN.fullmatch(origin):
        raise ParameterError(
            f"origin must be like https://rate.example.org, without a path, got {origin!r:.80}."
        )
    if not is_loopback(host) and origin is None and not insecure:
        raise ParameterError(
            f"{host!r} can be reached from other machines, and the connection is not encrypted",
            python="pass origin='https://...' of a proxy that encrypts, or insecure=True",
            cli="name a proxy that encrypts with --origin https://..., or use --insecure",
        )
    with ExitStack() as stack:
        rater = stack.enter_context(campaign.rating())
        tokens = Tokens(campaign.directory)
        opened = stack.enter_context(bound(host, tokens.port if port is None else port))
        number = opened.getsockname()[1]
        moved = tokens.port not in (0, number)
        tokens.set_port(number)
        hosts = [origin.removeprefix("https://")] if origin else hosts_of(host, number)
        start = origin or f"http://{hosts[-1]}"
        roles = [ORGANIZER, *campaign.plan.annotators]
        addresses = dict.fromkeys(roles, f"as before, with the port {number}" if moved else "as before")
        for role in tokens.missing(roles):
            addresses[role] = f"{start}/?token={tokens.new(role)}"
        access = Access(
            tokens.role_of,
            frozenset(hosts),
            f"nlgauge-{number}",
            origins=frozenset([origin]) if origin else None,
            writes=frozenset(["/api/rate"]),
            longest=LONGEST,
            secure=origin is not None,
            delay=0.2,
            command="nlgauge annotate serve",
        )
        guard = Guard(application(campaign, rater, per_minute), access)
        ready(addresses)
        if browser and addresses[ORGANIZER].startswith("http"):
            webbrowser.open(addresses[ORGANIZER])
        answer(guard, opened)
