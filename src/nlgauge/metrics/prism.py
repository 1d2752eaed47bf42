"""PRISM: how probable a translation is to a multilingual translation model that has read the reference, or
the source, per token on average.

    score(a -> b) = (1 / |y|) sum_t log p(y_t | <lang>, y_<t, a)     y: the pieces of b and </s>; the tag of the language is given, not scored

    with references (score(r -> h) + score(h -> r)) / 2, with sources score(s -> h)

in natural logarithms. The authors' program names log_base 2 in its identifier and gives natural logarithms
all the same. What does not fit into the model's positions is cut. Any model that translates between languages
by tags can be asked; its number is PRISM's only with PRISM's weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from nlgauge._core.language import code
from nlgauge._core.ragged import Array
from nlgauge.corpus import Corpus
from nlgauge.errors import ParameterError
from nlgauge.features.language_models.causal_lm import TokenInformation
from nlgauge.features.language_models.seq2seq import Seq2SeqLogProbs, marks_of
from nlgauge.metric import View, register
from nlgauge.metric.domains import require_choice
from nlgauge.metrics._shared.likelihood import Direction, LikelihoodMetric, pairs
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded
from nlgauge.models.weights.catalog import Kind

_DIRECTIONS = {
    "reference": (
        Direction("precision", "reference", "prediction"),
        Direction("recall", "prediction", "reference"),
    ),
    "source": (Direction("prism", "source", "prediction"),),
}


@register
@dataclass(frozen=True)
class Prism(LikelihoodMetric):
    """PRISM with references, or, with `given="source"`, without."""

    model: ModelSpec = "prism"
    given: str = "reference"
    lang: str | None = None
    source_lang: str | None = None

    name: ClassVar[str] = "prism"
    shows_empty: ClassVar[bool] = True
    kind: ClassVar[Kind] = "seq2seq"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_choice(self, "given", _DIRECTIONS)
        for parameter in ("lang", "source_lang"):
            value = getattr(self, parameter)
            self.require(
                value is None or (isinstance(value, str) and bool(value)),
                parameter,
                "the code of a language, such as 'de', or None",
            )
        self.take_sides(self.sides())

    def for_language(self, lang: str | None) -> Prism:
        return self if self.lang is not None or not code(lang) else replace(self, lang=code(lang))

    def facts(self, corpus: Corpus) -> dict[str, str]:
        return {**super().facts(corpus), "lang": self._lang}

    @property
    def _lang(self) -> str:
        return self.lang or "en"

    def directions(self) -> tuple[Direction, ...]:
        return _DIRECTIONS[self.given]

    def ask(
        self, view: View, given: list[Array], written: list[Array]
    ) -> tuple[TokenInformation, list[Array]]:
        loaded = self.loaded(view.features.options.device)
        # Some models, but not PRISM's own, want to know the language that they read as well.
        read = self._lang if self.given == "reference" else self.source_lang
        if marks_of(loaded).before and read is None:
            raise ParameterError(
                f"prism: {loaded.name} needs the language of the sources; set source_lang, such as 'de'."
            )
        tag = _tag(loaded, read) if marks_of(loaded).before and read is not None else ""
        information, *places = view.get(
            Seq2SeqLogProbs(self.model, None, (_tag(loaded, self._lang),), tag), *map(pairs, given, written)
        )
        return information, places


def _tag(loaded: Loaded, lang: str) -> str:
    """Return the token of a language: PRISM's <de>, M2M100's __de__, or the code as the model spells it."""
    unknown = getattr(loaded.tokenizer, "unk_token_id", None)
    for tag in (f"<{lang}>", f"__{lang}__", lang):
        if loaded.tokenizer.convert_tokens_to_ids(tag) not in (None, unknown):
            return tag
    raise ParameterError(
        f"prism: {loaded.name} has no tag for the language {lang!r}; write lang or source_lang as the model"
        " does, or use a model that translates."
    )
