"""Judges: language models that rate texts.

A judge is a model at an OpenAI-compatible endpoint, a client of the user, or a model on this machine. A judge
metric renders one or more prompts for each row. `ChatReplies` turns prompts into raw replies, which are
cached by content, and `reading` turns replies into numbers. Nothing is sent unless the user has named an
endpoint or a client. See docs/howto/judges.md.
"""

from __future__ import annotations

from nlgauge.judges.calls import Calls
from nlgauge.judges.clients import Client, Completes
from nlgauge.judges.requests import Request

__all__ = ["Calls", "Client", "Completes", "Request"]
