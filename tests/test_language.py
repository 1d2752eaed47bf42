"""What is asked about the language before anything is scored: which codes there are, and the one warning."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import nlgauge
from nlgauge.corpus import Corpus, language
from nlgauge.errors import ParameterError

TEXT = "The cat sat on the mat."


@pytest.mark.parametrize(
    ("lang", "code", "name"),
    [
        ("en", "en", "English"),
        ("en-GB", "en", "English"),
        ("EN_us", "en", "English"),
        ("zh_Hans", "zh", "Chinese"),
        ("zho_Hant", "zh", "Chinese"),
        ("cmn-Hans-CN", "zh", "Chinese"),
        ("pt-br", "pt", "Portuguese"),
        ("jpn", "ja", "Japanese"),
        ("eng_Latn", "en", "English"),
        ("yue", "yue", "Cantonese"),
        ("ckb", "ckb", "Central Kurdish"),
        ("kmr", "ku", "Kurdish"),
        ("fil", "fil", "Filipino"),
    ],
)
def test_codes_of_languages(lang: str, code: str, name: str) -> None:
    assert Corpus.read(["p"], lang=lang).lang == lang
    assert (language.code(lang), language.name(lang)) == (code, name)


@pytest.mark.parametrize(
    ("lang", "message"),
    [
        ("german", r"lang is 'german' \(did you mean 'de'\?\); give the code of a language, such as 'de', 'pt-BR' or 'yue', or leave it out"),
        ("Chinese", r"did you mean 'zh'\?"),
        ("frnch", r"did you mean 'fr'\?"),
        ("klingon", "lang is 'klingon'; give the code"),
        ("", "lang is ''; give the code"),
        ("jp", "lang is 'jp'; give the code"),
        ("en GB", "lang is 'en GB'; give the code"),
        (3, "lang is of type int"),
        (np.array(["en"]), "lang is of type ndarray"),
    ],
)
def test_what_is_not_a_code_is_refused(lang: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        nlgauge.score(["p"], ["r"], metrics="wer", lang=lang)  # type: ignore[arg-type]


def test_every_language_is_there_once() -> None:
    names, shorter = language._languages()
    assert len(names) == len(set(names.values())) > 300
    assert sum(len(code) == 2 for code in names) == 184
    assert all(len(code) == 3 and code not in names and short in names for code, short in shorter.items())


@pytest.mark.parametrize(
    ("text", "lang", "warned"),
    [
        (TEXT, None, 0),
        (TEXT, "en", 0),
        (TEXT, "en-GB", 0),
        (TEXT, "de", 1),
        ("Кот сидел на ковре.", None, 1),
        ("猫が座った。", None, 1),
        ("The word кот is Russian.", None, 0),
        ("12 ?!", None, 0),
    ],
)
def test_one_warning_a_run_names_the_metrics(text: str, lang: str | None, warned: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters: np.array_split(np.arange(len(self)), 3))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nlgauge.score([text, text + " ", text + "  "], [text] * 3, metrics=["smog", "ari", "chrf"], lang=lang)
    assert len(caught) == warned
    for warning in caught:
        assert str(warning.message).startswith("smog, ari: made for en; ")


def test_a_metric_added_later_warns_too() -> None:
    result = nlgauge.score(["Кот сидел."], ["Кот сидел."], metrics="chrf")
    with pytest.warns(UserWarning, match="not in Latin letters"):
        result.add("smog")
