"""The base of metrics with the tokenizers of sacreBLEU."""

from __future__ import annotations

from dataclasses import replace
from typing import Self

from nlgauge.features.tokens.text import Tokens, language_tokenizer
from nlgauge.metric import AbstractMetric


class LanguageTokenizer(AbstractMetric):
    """A metric that uses the tokenizer of the language by default."""

    tokenizer: str | None
    lowercase: bool

    def for_language(self, lang: str | None) -> Self:
        return replace(self, tokenizer=self.tokenizer or language_tokenizer(lang))  # type: ignore[type-var]

    def words(self, lang: str | None) -> Tokens:
        return self.for_language(lang)._tokens

    @property
    def _tokens(self) -> Tokens:
        return Tokens(self.tokenizer or "13a", self.lowercase)
