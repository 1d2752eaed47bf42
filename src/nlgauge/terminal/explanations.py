"""How explanations look in a terminal."""

from __future__ import annotations

from rich.console import RenderableType

from nlgauge.explain import Explanation
from nlgauge.export.of_explanation import explanation_page
from nlgauge.terminal.pages import Printed


def render(explanation: Explanation) -> RenderableType:
    """The explanation as something that rich prints."""
    return Printed(explanation_page(explanation))
