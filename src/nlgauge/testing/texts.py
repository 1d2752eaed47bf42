"""Texts on which metrics are checked."""

from __future__ import annotations

import random

SENTENCES = [
    ("The cat is sitting on the mat.", ["The cat sat on the mat.", "A cat is on the mat."]),
    ("The minister met the president on Tuesday.", ["On Tuesday, the minister met with the president."]),
    (
        "He said: 'It won't happen again.'",
        ["“It will never happen again,” he said.", "He said it won't happen again.", "Never again, he said."],
    ),
    ("Well!", ["Well!"]),
    ("a", ["a"]),
    ("It costs $1,234.56 (about 20% more).", ["It costs $1,234.56, some 20% more."]),
    ("", ["Nothing was sent here."]),
    (
        "Shares fell 3.5€ in early trading , traders said .",
        ["Shares fell by 3.5 € in early trading, traders said."],
    ),
]
WORDS = "the cat sat on a Mat mat. (hi) don't 3,000.5 U.S. $5 - &amp; ﬁ Straße I".split()

# Texts that often break metrics, by their oddity; `not_best_when_equal` uses these names.
ODD = {
    "empty": "",
    "only spaces": " \t\u3000 ",
    "newline": "\n",
    "one token": "cat",
    "one letter": "a",
    "repeated token": "the " * 50,
    "long": " ".join(WORDS[i * i % len(WORDS)] for i in range(2000)),
    "right to left": "القطة جلست على السجادة \u200fשלום עולם",
    "emoji": "👩‍👩‍👧 🏳️‍🌈 👍🏽",
    "combining marks": "Z̷̢̛a̸̧̛l̶g̴o e\u0301\u0301\u0301",
    "leading mark": "\u0301a",
    "mixed scripts": "Hello мир 世界 नमस्ते สวัสดี 123",
    "only punctuation": "?!... -- ;;",
    "zero": "a\x00b \x00",
    "not a character": "\ufffe \U0010ffff",
}

Sample = tuple[list[str], list[list[str]], list[str]]


def sample(seed: int = 1, segments: int = 12) -> Sample:
    """Return predictions, one to three references each, and sources; some are empty or repeated."""
    rng = random.Random(seed)  # noqa: S311
    predictions, references, sources = [], [], []
    for i in range(segments):
        prediction, group = SENTENCES[rng.randrange(len(SENTENCES))]
        words = prediction.split()
        rng.shuffle(words)
        predictions.append(prediction if i % 3 else " ".join(words[: rng.randrange(1, 9)]))
        references.append(
            [rng.choice([*group, "The cat sat on the mat."]) for _ in range(rng.randrange(1, 4))]
        )
        sources.append(" ".join(rng.choice(WORDS) for _ in range(6)) + ". " + rng.choice(group))
    return predictions, references, sources
