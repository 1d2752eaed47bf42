"""Compiled tokenizers, vocabularies and characters against those in plain Python."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from marks import thorough
from token_cases import NASTY, OWN
from twins import needs_native

from benchmarks.workloads import _find
from nlgauge._core import backend
from nlgauge.features.lexical.rouge155 import RougeTokens
from nlgauge.features.tokens.characters import character_column
from nlgauge.features.tokens.text import Tokens
from nlgauge.features.tokens.tokenizers import CHARACTER_TOKENIZERS

pytestmark = [needs_native, pytest.mark.slow]

FEATURES = [
    *(Tokens(name, lowercase, stem) for name, lowercase, stem in product(OWN, (False, True), (False, True))),
    *(
        RougeTokens("1.5.5", stem=stem, stop_words=stop_words)
        for stem, stop_words in product((False, True), (False, True))
    ),
    *(Tokens(name, lowercase=True) for name in ("intl", "zh", "char")),
]


def in_both(work: Any) -> list[Any]:
    """What a function returns with plain and with compiled kernels."""
    found = []
    for kernels in ("python", "native"):
        with backend.using(kernels):
            found.append(work())
    return found


def of_all(feature: Tokens, given_texts: list[str]) -> tuple[Any, ...]:
    """Numbers, words and hashes of texts that come in two calls, and the places of the last text."""
    memory = feature.new_memory()
    found: list[Any] = []
    for part in (given_texts[:2], given_texts[2:]):
        column = memory.tokens(part)
        assert (column.values.dtype, column.offsets.dtype) == (np.int32, np.int64)
        found += [column.values.tolist(), column.offsets.tolist()]
    words = (memory.words(), memory.keys().tolist()) if hasattr(memory, "words") else None
    return (
        *found,
        words,
        [feature.places(text) for text in given_texts],
        [feature.of(text) for text in given_texts],
    )


@pytest.mark.parametrize("feature", FEATURES, ids=str)
@given(st.lists(NASTY, min_size=1, max_size=5))
def test_compiled_tokens_are_those_of_plain_python(feature, given_texts):
    plain, compiled = in_both(lambda: of_all(feature, given_texts))
    assert plain == compiled


@pytest.mark.parametrize("feature", FEATURES, ids=str)
def test_texts_and_words_of_many_lengths(feature):
    """Texts are split 64 characters at a time, and words compared 16 characters at a time."""
    given_texts = ["a" * length for length in range(140)] + ["b" * length + " c d" for length in range(140)]
    given_texts += ["x" * length + ending for length in range(12, 36) for ending in "yzé"]
    plain, compiled = in_both(lambda: of_all(feature, given_texts))
    assert plain == compiled


@given(st.lists(NASTY, max_size=5), st.booleans())
def test_compiled_characters_are_those_of_plain_python(given_texts, lowercase):
    for form in (*CHARACTER_TOKENIZERS, "padded", "words"):
        plain, compiled = in_both(lambda form=form: character_column(given_texts, form, lowercase))
        assert (plain.values.tolist(), plain.offsets.tolist()) == (
            compiled.values.tolist(),
            compiled.offsets.tolist(),
        )
        assert (
            (plain.values.dtype, plain.offsets.dtype)
            == (compiled.values.dtype, compiled.offsets.dtype)
            == (np.int32, np.int64)
        )


@pytest.mark.parametrize(
    "feature", [Tokens("13a"), Tokens("unicode", stem=True), RougeTokens("1.5.5", stop_words=True)], ids=str
)
@given(st.lists(NASTY, max_size=9))
def test_the_number_of_threads_changes_nothing(feature, given_texts):
    with backend.using("native"):
        alone = of_all(feature, given_texts)
        try:
            backend.NATIVE.set_threads(3, worthwhile=1)
            assert of_all(feature, given_texts) == alone
        finally:
            backend.NATIVE.set_threads(1)


def sample(step: int) -> list[str]:
    """Some texts of every set of human judgments."""
    if _find("wmt19_darr") is None:
        pytest.skip("the sets of human judgments are not here")
    found: dict[str, None] = {}
    for path in sorted(_find("wmt19_darr").parent.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in islice(lines, 0, 3000, step):
                found.update(dict.fromkeys(_strings(json.loads(line))))
    return list(found)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


@pytest.mark.parametrize("step", [160, *thorough(40)])
def test_real_texts_have_the_same_tokens_compiled_and_not(step):
    given_texts = sample(step)
    for feature in (
        *(Tokens(name) for name in OWN),
        *(Tokens(name, stem=True) for name in ("13a", "google")),
        RougeTokens("1.5.5", stem=True),
    ):
        plain, compiled = in_both(lambda feature=feature: _numbers(feature, given_texts))
        assert plain == compiled, feature


def _numbers(feature: Tokens, given_texts: list[str]) -> tuple[Any, ...]:
    memory = feature.new_memory()
    column = memory.tokens(given_texts)
    return (
        column.values.tobytes(),
        column.offsets.tobytes(),
        memory.words() if hasattr(memory, "words") else None,
    )


def test_more_words_than_are_remembered():
    texts = [
        " ".join(f"running{number}s" for number in range(start, start + 7_000))
        for start in range(0, 70_000, 7_000)
    ]
    found = []
    for kernels in ("python", "native"):
        with backend.using(kernels):
            memory = Tokens("whitespace", stem=True).new_memory()
            found.append([*memory.tokens(texts[:5] + texts).lists(), memory.words(), memory.keys().tolist()])
    assert found[0] == found[1]
