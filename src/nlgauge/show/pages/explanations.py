"""Explanations in a terminal."""

from __future__ import annotations

from rich.console import RenderableType

from nlgauge.explanations import Explanation
from nlgauge.show.pages.explanation import explanation_page
from nlgauge.show.writers.text import Printed


def render(explanation: Explanation) -> RenderableType:
    """Return the explanation as something that rich prints."""
    return Printed(explanation_page(explanation))
