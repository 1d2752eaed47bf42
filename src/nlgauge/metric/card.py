"""Card and the taxonomy: the meaning of a metric and how to read its scores, from the Markdown file next to
its module.

A card is TOML front matter between two `+++` lines, then Markdown under the headings of `HEADINGS`.
Direction, bounds, outputs and the need for references or sources come from the code, never from a card.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from nlgauge._core.shown import Shown
from nlgauge.errors import NlgaugeError, ParameterError, did_you_mean
from nlgauge.metric.registry import find, metric_classes

if TYPE_CHECKING:
    from nlgauge._core.page import Page

HEADINGS = (
    "What it measures",
    "How",
    "How to read the number",
    "When it misleads",
    "Parameters",
    "Example",
    "References",
)
_PAPER = re.compile(
    r"(?P<authors>.+?): (?P<title>.+?), (?P<venue>[^,]+?),? (?P<year>\d{4}), (?P<url>https://\S+)"
)


class Categories(Enum):
    """The method of a metric; `NGram` is NLG-Metricverse's name for overlap."""

    Embedding = "Embedding"
    Overlap = "Overlap"
    Distance = "Distance"
    Grammar = "Grammar"
    Statistics = "Statistics"
    NGram = "Overlap"


class ApplTasks(Enum):
    """The tasks that a metric is used for."""

    DataToText = "DataToText"
    MachineTranslation = "MachineTranslation"
    DocumentSummarization = "DocumentSummarization"
    ImageCaptioning = "ImageCaptioning"
    SpeechRecognition = "SpeechRecognition"
    DocumentGeneration = "DocumentGeneration"
    QuestionGeneration = "QuestionGeneration"
    ResponseGeneration = "ResponseGeneration"
    TextCompletion = "TextCompletion"
    D2T = "DataToText"
    MT = "MachineTranslation"
    SUM = "DocumentSummarization"
    IC = "ImageCaptioning"
    SR = "SpeechRecognition"
    DG = "DocumentGeneration"
    QG = "QuestionGeneration"
    RG = "ResponseGeneration"
    TC = "TextCompletion"


class QualityDims(Enum):
    """The quality of a text that a metric measures."""

    Informativeness = "Informativeness"
    Relevance = "Relevance"
    Fluency = "Fluency"
    Coherence = "Coherence"
    Factuality = "Factuality"
    SemanticCoverage = "SemanticCoverage"
    Adequacy = "Adequacy"


@dataclass(frozen=True, repr=False)
class Card(Shown):
    """A metric's card; `text` is the Markdown below the front matter."""

    name: str
    title: str
    paper: str
    year: int
    categories: tuple[Categories, ...]
    tasks: tuple[ApplTasks, ...]
    qualities: tuple[QualityDims, ...]
    trained: bool
    unsupervised: bool
    languages: Literal["any"] | tuple[str, ...]
    license: str
    default_model: str
    text: str
    # Other implementations that the tests compare with, and the parameters with which the scores are equal.
    tested_against: str = ""
    # The published definition in TeX, and one line of Markdown, "where ...", that explains its symbols.
    formula: str = ""
    where: str = ""

    @property
    def sections(self) -> dict[str, str]:
        """The Markdown under each heading."""
        parts = re.split(r"^## (.*)$", self.text, flags=re.MULTILINE)
        return {heading: body.strip() for heading, body in zip(parts[1::2], parts[2::2], strict=True)}

    @property
    def citation(self) -> str:
        """The paper as a BibTeX entry; empty if `paper` is not "Authors: Title, Venue Year, URL"."""
        paper = _PAPER.fullmatch(self.paper)
        if paper is None:
            return ""
        authors = paper["authors"].replace(" et al.", ", others").replace(" and ", ", ")
        values = {
            "title": "{" + paper["title"].replace("&", r"\&") + "}",
            "author": authors.replace(", ", " and "),
            "howpublished": paper["venue"],
            "year": paper["year"],
            "url": paper["url"],
        }
        lines = [f"  {name} = {{{value}}}," for name, value in values.items()]
        return "\n".join([f"@misc{{{self.name}{paper['year']},", *lines, "}"])

    def _short_page(self) -> Page:
        from nlgauge.show.pages.metrics import card_page

        return card_page(self)


def card(name: str) -> Card:
    """Return the card of a metric.

    Parameters
    ----------
    name : str
        Name or alias of a metric.

    Returns
    -------
    Card
        Description of the metric: title, paper, taxonomy, license and Markdown text.

    Raises
    ------
    UnknownMetricError
        If no metric has the name.
    NlgaugeError
        If the metric has no card, or the card cannot be read.

    Examples
    --------
    >>> card("chrf++").title
    'chrF, chrF++'
    """
    metric = find(name)
    path = _path(metric)
    if not path.is_file():
        raise NlgaugeError(
            f"{metric.name} has no card; write it to {path.name} next to the module that defines the metric."
        )
    return _read(metric.name, path)


def list_metrics(
    category: Any = None,
    appl_task: Any = None,
    quality_dim: Any = None,
    trained: bool | None = None,
    unsupervised: bool | None = None,
    *,
    needs_references: bool | None = None,
    needs_source: bool | None = None,
) -> list[str]:
    """Return the names of all metrics that meet every condition, in alphabetical order.

    Parameters
    ----------
    category : str, Categories or list of these, optional
        Member of `Categories`, or its name in any case. A list selects metrics that match any of its items.
    appl_task : str, ApplTasks or list of these, optional
        Member of `ApplTasks`, or its name, its short name ("MT") or a usual word ("translation") in any case. A list
        selects metrics that match any of its items.
    quality_dim : str, QualityDims or list of these, optional
        Member of `QualityDims`, or its name in any case. A list selects metrics that match any of its items.
    trained : bool, optional
        Select metrics that are trained (True) or not (False).
    unsupervised : bool, optional
        Select metrics that are unsupervised (True) or not (False).
    needs_references : bool, optional
        Select metrics that read references (True) or do not (False).
    needs_source : bool, optional
        Select metrics that read sources (True) or do not (False).

    Returns
    -------
    list of str
        Names of metrics. A metric without a card meets no condition on `category`, `appl_task`, `quality_dim`, `trained`
        or `unsupervised`.

    Raises
    ------
    ParameterError
        If a category, task or quality is unknown.

    Examples
    --------
    >>> "smog" in list_metrics(category="grammar", needs_references=False)
    True
    """
    categories, tasks, qualities = (
        _members(Categories, category),
        _members(ApplTasks, appl_task),
        _members(QualityDims, quality_dim),
    )
    asks_card = any(
        condition is not None for condition in (category, appl_task, quality_dim, trained, unsupervised)
    )
    found = []
    for name, metric in metric_classes().items():
        if needs_references not in (None, metric.takes != "alone") or needs_source not in (
            None,
            metric.source,
        ):
            continue
        if asks_card:
            if not _path(metric).is_file():
                continue
            it = card(name)
            wanted = ((categories, it.categories), (tasks, it.tasks), (qualities, it.qualities))
            if any(asked is not None and asked.isdisjoint(has) for asked, has in wanted):
                continue
            if trained not in (None, it.trained) or unsupervised not in (None, it.unsupervised):
                continue
        found.append(name)
    return found


Kind = TypeVar("Kind", bound=Enum)


# Usual words for tasks and qualities.
_KINDS = {"Categories": "category", "ApplTasks": "task", "QualityDims": "quality"}
_USUAL = {
    **dict.fromkeys(("summary", "summaries", "summarize"), "summarization"),
    **dict.fromkeys(("dialogue", "dialog", "chat", "conversation", "qa", "questionanswering"), "response"),
    **dict.fromkeys(("asr", "transcription"), "speech"),
    **dict.fromkeys(("caption", "captions"), "captioning"),
    **dict.fromkeys(("faithfulness", "consistency", "factual"), "factuality"),
    **dict.fromkeys(("story", "stories", "storygeneration"), "documentgeneration"),
}


def _members(kind: type[Kind], given: Any) -> set[Kind] | None:
    """Return the requested members; None if none were requested."""
    if given is None:
        return None
    items = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    return {_member(kind, item) for item in items}


def _member(kind: type[Kind], given: Any) -> Kind:
    if isinstance(given, kind):
        return given
    known = {_folded(name): member for name, member in kind.__members__.items()}
    if isinstance(given, str) and _folded(given) in known:
        return known[_folded(given)]
    # A word that only one of the names has: translation, summarization, captioning.
    word = (
        _USUAL.get(_folded(given), _folded(given)).replace("isation", "ization")
        if isinstance(given, str)
        else ""
    )
    members = {member for name, member in known.items() if len(word) > 3 and word in name}
    if len(members) == 1:
        return members.pop()
    hint = did_you_mean(_folded(given), known) if isinstance(given, str) else ""
    raise ParameterError(
        f"unknown {_KINDS[kind.__name__]} {given!r}{hint}; choose from {', '.join(kind.__members__)}."
    )


def _folded(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _path(metric: type) -> Path:
    module = sys.modules[metric.__module__]
    return Path(getattr(module, "__file__", None) or module.__name__).with_name(f"{metric.name}.md")  # type: ignore[attr-defined]


@cache
def _read(name: str, path: Path) -> Card:
    empty, *parts = path.read_text(encoding="utf-8").split("+++\n", 2)
    if empty or len(parts) != 2:
        raise NlgaugeError(
            f"the card {path.name} has no TOML header; start it with TOML between two lines of +++."
        )
    front, text = parts
    headings = tuple(re.findall(r"^## (.*)$", text, flags=re.MULTILINE))
    if headings != HEADINGS:
        raise NlgaugeError(
            f"the card {path.name} has the headings {', '.join(headings)}; use {', '.join(HEADINGS)}."
        )
    try:
        given = msgspec.toml.decode(front)
        unknown = given.keys() - ({field.name for field in fields(Card)} - {"name", "text"})
        if unknown:
            raise NlgaugeError(f"the card {path.name} has an unknown field {min(unknown)!r}; remove it.")
        return msgspec.convert({**given, "name": name, "text": text.strip() + "\n"}, Card)
    except msgspec.MsgspecError as error:
        raise NlgaugeError(f"the header of the card {path.name} is invalid: {error}") from None
