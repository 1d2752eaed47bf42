"""Judges: language models that are asked how good a text is, at an OpenAI-compatible endpoint, through a
user's own client, or on this machine.

A judge metric renders one or more prompts for each row; `ChatReplies` turns prompts into raw replies, which
are cached by content; `reading` makes numbers of them. Nothing is sent anywhere unless an endpoint or a
client was named. See docs/howto/judges.md.
"""

from __future__ import annotations

from nlgauge.judges.calls import Calls
from nlgauge.judges.clients import Client, Completes
from nlgauge.judges.requests import Request

__all__ = ["Calls", "Client", "Completes", "Request"]
