"""English stop words: the 198 words of NLTK's list (Apache-2.0), which extends Porter's."""

from __future__ import annotations

from importlib.resources import files

ENGLISH = frozenset((files("nlgauge") / "data" / "english_stop_words.txt").read_text("ascii").split())
