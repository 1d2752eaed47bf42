"""llms.txt, a list of all pages with a sentence each, and llms-full.txt, pages and cards as one Markdown file."""

from __future__ import annotations

import re
from pathlib import Path

from tools.site.files import ADDRESS, Target

INTRODUCTION = """# nlgauge

> nlgauge scores generated text with confidence intervals, significance tests and explanations, as a Python library, on the
> command line and in a local web page.
"""
SECTIONS = {
    "start": "Start",
    "howto": "How to",
    "statistics": "Statistics",
    "reference": "Reference",
    "metrics": "Metrics",
    "migration": "Migration",
    "results": "Studies",
    "about": "About",
    "": "Other pages",
}
# Pages that are too long, or of interest only to people who develop nlgauge.
NOT_IN_FULL = (
    "results/",
    "about/add-a-metric",
    "about/changelog",
    "about/contributing",
    "about/kernels",
    "about/meta-speed",
    "about/performance",
    "about/release",
    "about/style",
    "reference/errors",
    "statistics/few-labels-benchmarks",
    "statistics/few-labels-simulations",
)


def write(target: Target) -> None:
    """Write both files, from the pages that are in the target."""
    pages = {
        page.relative_to(target.directory).as_posix()[:-3]: page
        for page in sorted(target.files)
        if page.suffix == ".md"
    }
    lines, full = [INTRODUCTION], [INTRODUCTION]
    for section, title in SECTIONS.items():
        chosen = {
            name: page for name, page in pages.items() if name.rpartition("/")[0].partition("/")[0] == section
        }
        lines.append(f"\n## {title}\n")
        for name, page in chosen.items():
            text = page.read_text("utf-8")
            heading, sentence = _head(text)
            lines.append(f"- [{heading}]({ADDRESS}{address(name)}): {sentence}".rstrip(": "))
            if not name.startswith(NOT_IN_FULL):
                full.append(f"\n\n---\n{ADDRESS}{address(name)}\n\n{_plain(text)}")
    target.write("_extra/llms.txt", "\n".join(lines) + "\n")
    target.write("_extra/llms-full.txt", "".join(full) + "\n")


def address(name: str) -> str:
    """Return the path of a page in the site.

    >>> address("metrics/chrf"), address("metrics/index"), address("index")
    ('metrics/chrf/', 'metrics/', '')
    """
    path = Path(name)
    return (f"{path.parent.as_posix()}/" if path.name == "index" else f"{name}/").removeprefix("./")


def _head(text: str) -> tuple[str, str]:
    """Return the title of a page and its first sentence."""
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    rest = text[title.end() :] if title else text
    paragraph = next((part for part in re.split(r"\n\s*\n", rest) if re.match(r"\s*[A-Z`*\[]", part)), "")
    sentence = re.split(r"(?<=[.?!])\s", " ".join(paragraph.split()), maxsplit=1)[0]
    return (title[1] if title else ""), re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", sentence)


def _plain(text: str) -> str:
    """Remove pictures and embedded HTML, which mean nothing in a text file."""
    text = re.sub(r"^```\{(?:raw|toctree|image)\}.*?^```\n", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^!\[[^\]]*\]\([^)]*\)\n?", "", text, flags=re.MULTILINE).strip()
