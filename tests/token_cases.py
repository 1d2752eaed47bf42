"""Texts that break tokenisers, and the tokenisers whose rules are our own."""

from __future__ import annotations

from hypothesis import strategies as st
from strategies import texts

from nlgauge.features.tokens.tokenizers import CHARACTER_TOKENIZERS

# What breaks a tokeniser: entities and their halves, hyphens before line breaks, numbers with marks, letters whose lower case is longer or depends on
# what follows, marks, scripts without spaces, signs beyond 16 bits, white space and signs without width of all kinds, contractions, lone surrogates.
PIECES = (
    *("<skipped>", "<skip", "ped>", "-\n", "-", "\n", "\r\n", "&quot;", "&amp;", "&lt;", "&gt;", "&", "lt;", "amp;"),
    *("1", "23", "4,5", ",", ".", "..", ".,", "3.", "½", "²", "𝟙", "〇", "'", "’", "'s", "’re", "'ve", "’ll", "'d", "'m", "n't", "n’t", "don"),
    *("a", "an", "the", "The", "İ", "Σ", "ΑΣ", "K", "ﬁ", "ǅ", "é", "e\u0301", "\u0301", "猫", "が", "ー", "⺀", "\U00016ff0", "👩‍👩‍👧", "Ⓐ", "_"),
    *("\u200b", "\u2028", "\u00a0", "\u3000", " ", "  ", "\t", "\x1c", "\x00", "\u00ad", "(", ")", "/", "$", "{", "~", "`", "!", "–", "\ud800"),
    *("x", "word", "running", "Relational", "dying", "flies", "happily", "generously", "responsibilities", "internationalist"),
)
# Texts of ASCII are split 64 characters at a time, and their words are compared 16 characters at a time.
ASCII = st.lists(st.sampled_from([piece for piece in PIECES if piece.isascii()]), max_size=40).map("".join)
NASTY = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | ASCII | texts() | st.text(max_size=12)
OWN = (
    *("13a", "none", "unicode", "punctuated", "google", "1.5.5", "jiwer", "chrf-words", "squad", "nlg-metricverse", "whitespace"),
    *CHARACTER_TOKENIZERS,
)
