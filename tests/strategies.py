"""Texts and corpora that Hypothesis draws, and realistic ones, for every test that needs them."""

from __future__ import annotations

from hypothesis import strategies as st

# Words whose n-grams meet often, and what breaks tokenizers: punctuation, case, marks, scripts, joiners, odd
# white space.
WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "Mat",
    "mat.",
    "(hi)",
    "don't",
    "3,000.5",
    "U.S.",
    "$5",
    "-",
    "&amp;",
    "ﬁ",
    "Straße",
    "I",
]
ODD_WORDS = [
    "é",
    "e\u0301",
    "हिन्दी",
    "猫が",
    "我们走",
    "кот",
    "قطة",
    "👩‍👩‍👧",
    "İ",
    "\u00ad",
    "x\u00a0y",
    "ǅ",
    "½",
]
SPACES = [" ", " ", " ", " ", "  ", "\t", "\n", "\u3000", " \t"]

SENTENCES = [
    ("The cat is sitting on the mat.", ["The cat sat on the mat.", "A cat is on the mat."]),
    (
        "Prime Minister Narendra Modi met the president on Tuesday.",
        ["On Tuesday, PM Narendra Modi met with the president."],
    ),
    (
        "He said: 'It won't happen again, ever.'",
        ["“It will never happen again,” he said.", "He said it won't happen again.", "Never again, he said."],
    ),
    ("Well!", ["Well!"]),
    ("a", ["a"]),
    ("It costs $1,234.56 (about 20% more).", ["It costs $1,234.56, some 20% more."]),
    ("", ["Nothing was said here."]),
    (
        "Shares fell 3.5% in early trading , traders said .",
        ["Shares fell by 3.5 % in early trading, traders said."],
    ),
]


def texts(odd: bool = True, max_words: int = 8) -> st.SearchStrategy[str]:
    """Texts of up to `max_words` words with the white space between them that people really have."""
    words = st.sampled_from(WORDS + ODD_WORDS if odd else WORDS)
    joined = st.lists(st.tuples(words, st.sampled_from(SPACES if odd else [" "])), max_size=max_words).map(
        lambda pairs: "".join(w + s for w, s in pairs)
    )
    if not odd:
        return joined
    letters = st.text(alphabet="ab c.,-é猫\u0301\t\n", max_size=12)
    return joined | letters | joined.map(str.strip)


def corpora(
    odd: bool = True, max_references: int = 3, max_segments: int = 5
) -> st.SearchStrategy[tuple[list[str], list[list[str]]]]:
    """Predictions, and one to `max_references` references for each of them."""
    segment = st.tuples(texts(odd), st.lists(texts(odd), min_size=1, max_size=max_references))
    return st.lists(segment, min_size=1, max_size=max_segments).map(
        lambda rows: ([row[0] for row in rows], [row[1] for row in rows])
    )


def streams(references: list[list[str]]) -> list[list[str | None]]:
    """Ragged references as sacreBLEU takes them: one stream a reference, None where a segment has none."""
    most = max(len(group) for group in references)
    return [[group[i] if i < len(group) else None for group in references] for i in range(most)]
