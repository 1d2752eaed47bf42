"""Data of the page "Which metric?": the evidence, the settings of the rules, and the names of the languages."""

from __future__ import annotations

import json
from typing import Any

from nlgauge._core import language
from nlgauge.advisor import settings
from nlgauge.advisor.evidence import evidence_record
from tools.site.files import Target


def write(target: Target) -> None:
    """Write the data as a script, which a page can load without a server."""
    text = json.dumps(data(), separators=(",", ":"), ensure_ascii=False)
    target.write("_static/choose-data.js", f"window.nlgaugeChoose = {text};\n")


def data() -> dict[str, Any]:
    """Return what docs/_static/choose.js and choose-page.js read."""
    names = {code: f"{language.name(code)} ({code})" for code in language.codes()}
    return {
        "evidence": {name: part for name, part in evidence_record().items() if name != "others"},
        "settings": settings.as_record(),
        "languages": dict(sorted(names.items(), key=lambda pair: pair[1])),
    }
