"""What is asked about the language before anything is scored: which codes there are, and the one warning."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from messages import mentions

import nlgauge
from nlgauge._core import language
from nlgauge.corpus import Corpus
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
        (
            "german",
            ("lang is 'german'.*'de'.*'de', 'pt-BR' or 'yue'"),
        ),
        ("Chinese", r"did you mean 'zh'\?"),
        ("frnch", r"did you mean 'fr'\?"),
        ("klingon", "lang is 'klingon'.*code"),
        ("", "lang is ''.*code"),
        ("jp", "lang is 'jp'.*code"),
        ("en GB", "lang is 'en GB'.*code"),
        (3, "lang.*type"),
        (np.array(["en"]), "lang.*type"),
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


def warned(texts: list[str], metrics: list[str], lang: str | None = None) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nlgauge.score(texts, texts, metrics=metrics, lang=lang)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize(
    ("text", "lang", "message"),
    [
        (TEXT, None, None),
        (TEXT, "en", None),
        (TEXT, "en-GB", None),
        (TEXT, "eng_Latn", None),
        (
            TEXT,
            "de",
            "smog and ari ... English ... German ... 'de'",
        ),
        (
            "Кот сидел на ковре.",
            None,
            "smog and ari ... English ... not Latin",
        ),
        ("The word кот is Russian.", None, None),
        ("12 ?!", None, None),
    ],
)
def test_one_warning_per_run_names_the_metrics(
    text: str, lang: str | None, message: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters: np.array_split(np.arange(len(self)), 3))
    messages = warned([text, text + " ", text + "  "], ["smog", "ari", "chrf"], lang)
    assert len(messages) == (message is not None)
    assert message is None or mentions(messages[0], message)


def test_one_metric_is_spoken_of_as_one() -> None:
    (message,) = warned(["猫が座った。"], ["meteor"], "ja")
    assert mentions(message, "meteor is ... English ... its ... Japanese ... 'ja'")


def test_a_metric_added_later_warns_too() -> None:
    result = nlgauge.score(["Кот сидел."], ["Кот сидел."], metrics="chrf")
    with pytest.warns(UserWarning, match="texts.*Latin"):
        result.add("smog")


CHINESE = ["猫坐在垫子上，看着窗外的雨。", "我昨天去了北京，天气很好。"]
UNSPACED = {
    "Thai": "แมวนั่งอยู่บนเสื่อและมองดูฝนนอกหน้าต่าง",
    "Lao": "ແມວນັ່ງຢູ່ເທິງເສື່ອແລະເບິ່ງຝົນ",
    "Khmer": "ឆ្មាអង្គុយលើកន្ទេលហើយមើលភ្លៀង",
    "Burmese": "ကြောင်သည်ဖျာပေါ်တွင်ထိုင်နေသည်",
}


def test_metrics_that_take_a_sentence_for_a_word_are_named_once_with_what_to_do() -> None:
    metrics = [
        "bleu",
        "nist",
        "self_bleu",
        "wer",
        "ter",
        "rouge",
        "f1",
        "distinct",
        "chrf",
        "chrf(word_order=2)",
        "cer",
        "eed",
        "levenshtein",
    ]
    (message,) = warned(CHINESE, metrics)
    assert mentions(
        message,
        "Chinese ... bleu, nist, self_bleu, wer, ter and chrf(word_order=2)"
        " ... lang ... 'zh' for bleu, nist and self_bleu ... of wer, ter and chrf(word_order=2) ... chrf or cer",
    )
    assert warned(CHINESE, ["bleu", "nist", "self_bleu", "rouge", "chrf", "cer"], "zh") == []
    assert mentions(warned(CHINESE, ["wer"], "zh-CN")[0], "of wer ... chrf or cer")
    (message,) = warned(["猫が座っている。外は雨が降っています。"], ["bleu"])
    assert mentions(message, "Japanese ... bleu ... lang ... 'ja' for bleu")
    assert "rouge(tokenizer='google') " in warned(CHINESE, ["rouge(tokenizer='google')"])[0]


@pytest.mark.parametrize("name", UNSPACED)
def test_scripts_that_no_tokenizer_here_splits(name: str) -> None:
    (message,) = warned([UNSPACED[name]], ["bleu", "rouge", "chrf"])
    assert mentions(message, f"{name} ... bleu and rouge ... of bleu and rouge ... chrf or cer")
    assert "lang=" not in message


@pytest.mark.parametrize(
    "text",
    [
        "สุนัขอยู่ในสวน",
        "แมวอยู่ในสวน",
        "ฉันรักเธอมาก",
        "ຂ້ອຍຮັກເຈົ້າຫຼາຍ",
        "ឆ្កែនៅក្នុងសួន",
        "ឆ្មានៅទីនេះ",
        "ကျွန်တော်နေကောင်းပါတယ်",
    ],
)
@pytest.mark.parametrize("lang", [None, "th", "km"])
def test_short_sentences_are_not_taken_for_words(text: str, lang: str | None) -> None:
    assert (
        "no spaces between words, and bleu, rouge and wer "
        in warned([text], ["bleu", "rouge", "wer"], lang)[0]
    )


def test_the_syllables_of_tibetan_are_marked() -> None:
    assert warned(["བོད་ཀྱི་སྐད་ཡིག་ནི་གལ་ཆེན་པོ་ཡིན།"], ["rouge"]) == []
    assert "Tibetan has no spaces" in warned(["བོད་ཀྱི་སྐད་ཡིག་ནི་གལ་ཆེན་པོ་ཡིན།"], ["wer"])[0]


# Sentences with spaces between words, as a segmenter writes them.
APART = [
    [
        "มหาวิทยาลัย ใน กรุงเทพมหานคร มี นักศึกษา จำนวน มาก",
        "แมว นั่ง อยู่ บน เสื่อ และ มอง ดู ฝน นอก หน้าต่าง",
    ],
    ["ឆ្មា អង្គុយ លើ កន្ទេល ហើយ មើល ភ្លៀង", "ប្រទេស កម្ពុជា ជា ប្រទេស មួយ នៅ អាស៊ី អាគ្នេយ៍"],
    ["ແມວ ນັ່ງ ຢູ່ ເທິງ ເສື່ອ ແລະ ເບິ່ງ ຝົນ"],
    ["ကြောင် သည် ဖျာ ပေါ်တွင် ထိုင် နေ သည်"],
]


@pytest.mark.parametrize(
    "texts", [["我 昨天 去 了 北京 。"], ["नमस्ते दुनिया"], *APART, ["The word 猫 means cat."], ["猫"], [""]]
)
def test_words_that_are_apart_need_no_warning(texts: list[str]) -> None:
    assert warned(texts, ["bleu", "wer"]) == []


def test_korean_words_may_be_split_further() -> None:
    text = ["고양이가 매트 위에 앉았다."]
    (message,) = warned(text, ["bleu", "wer", "chrf"])
    assert mentions(message, "Korean ... lang ... 'ko' ... for bleu")
    assert warned(text, ["wer", "chrf", "rouge", "bleu(tokenizer='13a')"]) == []
    assert warned(text, ["chrf", "bleu(tokenizer='13a')"], "ko") == []
    assert warned(["The word 고양이 means cat."], ["bleu"]) == []


def test_references_and_later_texts_are_looked_at_too() -> None:
    with pytest.warns(UserWarning, match="Chinese has no spaces"):
        nlgauge.score(["a", *CHINESE], [CHINESE[0]] * 3, metrics="wer")
    assert warned(["yes"] * 2000 + CHINESE[:1] * 2000, ["wer"]) != []


def test_a_language_that_cannot_be_right_is_questioned() -> None:
    (message,) = warned(CHINESE, ["cer"], "en")
    assert mentions(message, "lang is 'en' (English) ... Chinese")
    assert warned(CHINESE, ["cer"], "ja") == []
    assert len(warned(CHINESE, ["bleu", "meteor"], "de")) == 1
