"""Explanations: why a text got its score, as typed values; `nlgauge.show.pages.explanation` displays them.

Each carries the statistics of the row it explains, so that the display always matches the score.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from nlgauge._core.page import Line, Page
from nlgauge._core.ragged import Array
from nlgauge._core.shown import Shown

Span = tuple[int, int]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Shown):
    """The base of every explanation: a title, the statistics of the row by part, the texts that counted, and
    the places of the tokens.

    `prediction_number` and `reference_number` count the segment's texts from 0; without a reference if no
    single reference counts. `spans` has for each text ("prediction", "reference", "source") the start and end
    of each of its tokens, in the order in which the explanation has them; None if the text does not have the
    token.
    """

    title: str
    statistics: dict[str, Array]
    prediction_number: int = field(default=0, kw_only=True)
    reference_number: int | None = field(default=None, kw_only=True)
    spans: dict[str, list[Span | None]] = field(default_factory=dict, kw_only=True)

    def _short_page(self) -> Page:
        from nlgauge.show.pages.explanation import explanation_page

        return explanation_page(self)


class Explanations(Shown, list[Explanation]):
    """The explanations of one segment, which show themselves one after the other."""

    def _short_page(self) -> Page:
        return Page(
            [block for explanation in self for block in explanation._short_page().blocks]
            or [Line("no explanation")]
        )


@dataclass(frozen=True)
class Order:
    """The counts of one n-gram order: how many match, how many the prediction has and, if counted, how many
    the reference has.
    """

    name: str
    matched: float
    predicted: float
    expected: float | None = None


@dataclass(frozen=True)
class Brevity:
    """The penalty of a short prediction, a factor of its score, and the two lengths that determine it."""

    penalty: float
    length: float
    expected: float


@dataclass(frozen=True, eq=False, repr=False)
class NgramMatches(Explanation):
    """The tokens of the prediction, and for each the length of the longest matched n-gram that contains
    it (0: none); the brevity penalty, if the metric has one.
    """

    tokens: list[str]
    longest: list[int]
    orders: list[Order]
    brevity: Brevity | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Edit:
    """One run of an alignment: "equal", "replace", "delete" or "insert", with the tokens of both sides.

    A "shift" moves tokens of the prediction to the position `target` before anything is aligned; a "jump"
    continues reading the prediction there.
    """

    kind: str
    reference: list[str]
    prediction: list[str]
    target: int | None = None

    @classmethod
    def of(cls, run: tuple[str, int, int, int, int], reference: list[str], prediction: list[str]) -> Edit:
        """Return the edit of a run of an alignment: kind, start and end in the reference, start and end in
        the prediction.
        """
        kind, start, end, first, last = run
        return (
            cls(kind, [], [], last)
            if kind == "jump"
            else cls(kind, reference[start:end], prediction[first:last])
        )


@dataclass(frozen=True, eq=False, repr=False)
class Edits(Explanation):
    """The edits that turn the reference into the prediction, from left to right; shifts come first.

    `prediction` has all tokens of the prediction if the edits may jump over some of them; else it is empty.
    """

    edits: list[Edit]
    prediction: list[str] = field(default_factory=list, kw_only=True)


@dataclass(frozen=True, eq=False, repr=False)
class Alignment(Explanation):
    """The tokens of both texts, their similarities, and the weight of each token."""

    prediction: list[str]
    reference: list[str]
    similarity: Array
    prediction_weights: Array
    reference_weights: Array


@dataclass(frozen=True, eq=False, repr=False)
class Transport(Explanation):
    """The tokens of both texts, how much mass moves from each prediction token to each reference token,
    and the cost per unit of mass.
    """

    prediction: list[str]
    reference: list[str]
    plan: Array
    cost: Array


@dataclass(frozen=True)
class Guesses:
    """Predictions of a model at one position of a text: the probability of the actual token, and the most
    likely tokens with their probabilities.
    """

    token: str
    probability: float
    likeliest: list[tuple[str, float]]


@dataclass(frozen=True, eq=False, repr=False)
class Distributions(Explanation):
    """The tokens whose probabilities in two distributions differ most, and what the model expects at each
    position of both texts.

    `differences` has (token, its probability for the prediction, for the reference), the largest difference
    first; `covered` is the share of the total difference that these tokens make up.
    """

    differences: list[tuple[str, float, float]]
    covered: float
    prediction: list[Guesses]
    reference: list[Guesses]


@dataclass(frozen=True, eq=False, repr=False)
class TokenScores(Explanation):
    """The tokens of one text with one or more values each, such as its information with and without the
    summary.

    `text` is its name: "prediction", "reference" or "source"; "" if the tokens are not in the order of a
    text.
    """

    tokens: list[str]
    values: dict[str, list[float]]
    text: str = "prediction"


@dataclass(frozen=True, eq=False, repr=False)
class WordGroups(Explanation):
    """Words grouped by what happened to them, such as those added correctly and those added wrongly.

    `against` names the groups that lower the score.
    """

    groups: dict[str, list[str]]
    against: list[str] = field(default_factory=list, kw_only=True)


@dataclass(frozen=True, eq=False, repr=False)
class WordAlignment(Explanation):
    """The words of both texts, the matches (position in the prediction, position in the reference,
    reason), and the METEOR chunk of each match.

    `factors` are the numbers from 0 to 1 that make up the score, by name: precision, recall, order.
    """

    prediction: list[str]
    reference: list[str]
    matches: list[tuple[int, int, str]]
    chunks: list[int]
    factors: dict[str, float] = field(default_factory=dict, kw_only=True)


@dataclass(frozen=True, eq=False, repr=False)
class Verdict(Explanation):
    """The reply of a judge: the criterion, the score, the probability or share of each level, the share of
    the probability that the levels cover, and the reason.

    `reason` is the cause of a missing score, or "". Prompts and replies are literal, with one list of replies
    for each prompt. `read_by` names the rule that read the replies, if they were read as text.
    """

    criterion: str
    score: float
    levels: dict[str, float]
    covered: float
    reason: str
    prompts: list[str]
    replies: list[list[str]]
    read_by: str = ""


@dataclass(frozen=True)
class ErrorSpan:
    """A stretch of a text, text[start:end], that was found to be wrong; `confidence` is from 0 to 1, or None
    if it is unknown.
    """

    start: int
    end: int
    severity: str
    confidence: float | None = None
    category: str = ""
    side: str = "target"


@dataclass(frozen=True)
class UnplacedError:
    """An error without a place in the text, such as an omission; `words` are those that a judge named."""

    severity: str
    category: str
    words: str


@dataclass(frozen=True, eq=False, repr=False)
class ErrorSpans(Explanation):
    """The text that was judged, and the errors found in it, from left to right; `unplaced` are errors whose
    words the text lacks.
    """

    text: str
    errors: list[ErrorSpan]
    unplaced: list[UnplacedError] = field(default_factory=list)


@dataclass(frozen=True)
class ModuleValue:
    """A number that a module of a metric computed: the module, its model, and what the number means."""

    module: str
    model: str
    name: str
    value: float
    meaning: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Entailment(Explanation):
    """Judgments of a classifier on sentences (`hypotheses`) given other texts (`premises`): a (premises,
    hypotheses) matrix of probabilities per label.

    `best` is the premise that decided each hypothesis, by number. The first matrix is that which decides.
    `modules` are the numbers of all modules in the order of computation, if the classifier is only one of
    several.
    """

    premises: list[str]
    hypotheses: list[str]
    probabilities: dict[str, Array]
    best: list[int]
    modules: list[ModuleValue] = field(default_factory=list, kw_only=True)

    @property
    def entail(self) -> Array | None:
        """The probabilities of entailment; None if the classifier has no such label."""
        return self.probabilities.get("entail")

    @property
    def contradict(self) -> Array | None:
        """The probabilities of contradiction; None if the classifier has no such label."""
        return self.probabilities.get("contradict")

    @property
    def neutral(self) -> Array | None:
        """The probabilities of neither; None if the classifier has no such label."""
        return self.probabilities.get("neutral")
