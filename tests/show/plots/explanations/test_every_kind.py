"""The contract of explanations: every kind has a renderer in every medium, which shows its tokens and
takes none of them for markup.
"""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

import nlgauge.plots
from nlgauge.explanations import Explanation, wire
from nlgauge.show.pages.explanation import _blocks, explanation_page
from nlgauge.show.plots.explanations.explanation import KINDS
from nlgauge.show.writers import latex, markdown
from nlgauge.show.writers.html import html_of
from nlgauge.show.writers.latex import latex_of
from nlgauge.show.writers.markdown import markdown_of
from nlgauge.show.writers.text import text_of
from tests.show.plots.drawn import check_readable, words
from tests.show.plots.explanations.explained_cases import HOSTILE, every_kind

EVERY = every_kind()
WHY = Path(nlgauge.plots.__file__).parent / "show" / "web" / "why.js"
# Tags that a notebook may show; none of them runs anything.
SAFE = {"div", "span", "table", "caption", "thead", "tbody", "tr", "th", "td", "sup", "br", "mark"}


class Tags(HTMLParser):
    """The tags and attributes of a piece of HTML, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def page_kinds() -> dict[str, str]:
    """The kinds of KINDS in why.js, with the name of the function that renders each."""
    body = re.search(r"^export const KINDS = \{\n(.*?)^\};", WHY.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert body is not None
    entries = re.split(r"^  (?=\w+: \{)", body[1], flags=re.MULTILINE)[1:]
    return {entry.partition(":")[0]: re.findall(r"render: (\w+)", entry)[0] for entry in entries}


def test_every_kind_is_tried_here() -> None:
    assert set(EVERY) == set(wire.kinds())


def test_the_page_renders_every_kind_with_a_function_of_its_own() -> None:
    rendered = page_kinds()
    assert set(wire.kinds()) <= set(rendered)
    script = WHY.read_text("utf-8")
    for kind, function in rendered.items():
        assert re.search(rf"^function {function}\(", script, re.MULTILINE), kind
    assert len(set(rendered.values())) == len(rendered)


def test_matplotlib_draws_every_kind_with_a_function_of_its_own() -> None:
    assert set(wire.kinds()) <= set(KINDS)
    assert len(set(KINDS.values())) == len(KINDS)
    assert {function.__name__ for function in KINDS.values()} <= set(nlgauge.plots.__all__)


@pytest.mark.parametrize("kind", EVERY)
def test_export_has_a_renderer_of_its_own_for_every_kind(kind: str) -> None:
    assert _blocks.dispatch(type(EVERY[kind])) is not _blocks.dispatch(Explanation)


@pytest.mark.parametrize("kind", EVERY)
def test_every_medium_shows_the_title_and_what_is_marked(kind: str) -> None:
    page = explanation_page(EVERY[kind])
    shown = {
        "text": text_of(page, 200),
        "markdown": markdown_of(page),
        "latex": latex_of(page),
        "html": Tags(html_of(page)).text,
    }
    for medium, text in shown.items():
        assert EVERY[kind].title.split()[0] in text, medium
    assert HOSTILE in shown["html"]
    assert HOSTILE in " ".join(shown["text"].split())
    assert markdown.escaped(HOSTILE) in shown["markdown"]
    assert latex.escaped(HOSTILE) in shown["latex"]


@pytest.mark.parametrize("kind", EVERY)
def test_notebooks_show_every_kind_without_scripts_styles_and_ids(kind: str) -> None:
    seen = Tags(EVERY[kind]._repr_html_())
    assert seen.tags <= SAFE
    assert seen.attributes <= {"style", "title", "dir"}
    assert html.escape(HOSTILE) in EVERY[kind]._repr_html_()


@pytest.mark.parametrize("kind", EVERY)
def test_every_kind_is_drawn_so_that_it_can_be_read(kind: str) -> None:
    ax = nlgauge.plots.explanation(EVERY[kind])
    check_readable(ax.figure)
    seen = " ".join(words(ax.figure))
    assert HOSTILE in seen.replace("\n", " ")
    assert EVERY[kind].title in seen.replace("\n", " ")
    assert nlgauge.plots.alt(ax).startswith(EVERY[kind].title)


@pytest.mark.parametrize("kind", EVERY)
def test_every_kind_is_drawn_on_an_axes_of_ones_own(kind: str) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 8), layout="constrained")
    own = figure.subplots(2, 1)
    assert nlgauge.plots.explanation(EVERY[kind], ax=own[0]) is own[0]
    assert own[0].has_data() or own[0].texts
    assert not own[1].has_data()


def test_what_is_no_explanation_is_refused() -> None:
    from nlgauge.errors import InputError

    with pytest.raises(InputError, match=r"plot.*Alignment"):
        nlgauge.plots.explanation([])


def test_a_form_is_that_of_the_plot() -> None:
    from nlgauge.errors import ParameterError

    lattice = nlgauge.plots.explanation(EVERY["Edits"], form="lattice")
    assert (lattice.get_xlabel(), lattice.get_ylabel()) == ("prediction", "reference")
    with pytest.raises(ParameterError, match=r"plot.*form='links'"):
        nlgauge.plots.explanation(EVERY["WordAlignment"], form="links")
