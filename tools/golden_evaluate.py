"""Writes what Hugging Face evaluate's own metric scripts return, for tests/compat/test_compat_evaluate.py.

    pip install evaluate==0.4.6 sacremoses cer jiwer rouge_score sacrebleu nltk
    git clone https://github.com/huggingface/evaluate CHECKOUT           # commit a7dd338386a4fae9a1767e05eb9ef9479513d9e8
    curl -o CHECKOUT/metrics/bleu/nmt_bleu.py https://raw.githubusercontent.com/tensorflow/nmt/master/nmt/scripts/bleu.py
    sed -i 's/  # From: .*//' CHECKOUT/metrics/bleu/bleu.py              # so that evaluate takes the file above
    python tools/golden_evaluate.py CHECKOUT > tests/data/evaluate.json

The texts are our own. NLTK's NIST tokenizer asks for a list of characters that only its international form
uses, so none is given here.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

PREDICTIONS = [
    "The cat sat on the mat, and it didn't move.",
    "There is a dog in the garden &amp; the 3,000.50 dollar house.",
    "he reads a book a book",
    "It rained all day\nand then it snowed.",
    "Nobody came.",
]
REFERENCES = [
    "The cat is sitting on the mat; it did not move.",
    "A dog is in the garden of the 3,000.50 dollar house.",
    "He is reading a book.",
    "It rained the whole day.\nThen it snowed.",
    "Nobody came.",
]
OTHERS = [
    "A cat sat there.",
    "There's a dog in that garden!",
    "he reads books all day long",
    "Rain, then snow.",
    "No one showed up on that day.",
]
SOURCES = [
    "The cat was sitting there.",
    "A dog stays in the garden.",
    "He is reading a book.",
    "It rained all day long.",
    "Nobody came at all.",
]
SEVERAL = [list(pair) for pair in zip(REFERENCES, OTHERS, strict=True)]
ONE = {"predictions": PREDICTIONS, "references": REFERENCES}
TWO = {"predictions": PREDICTIONS, "references": SEVERAL}
LOOSE = {"predictions": ["A1.", "b-2"], "references": ["a", "B"]}
SHORT = {"predictions": ["a cat", "the"], "references": ["a cat sat", "a dog"]}

ANSWERS = [
    {"id": "q1", "prediction_text": "the Eiffel Tower", "no_answer_probability": 0.1},
    {"id": "q2", "prediction_text": "in 1889, or so", "no_answer_probability": 0.4},
    {"id": "q3", "prediction_text": "", "no_answer_probability": 0.9},
    {"id": "q4", "prediction_text": "a lake", "no_answer_probability": 0.7},
]
RIGHT = [
    {"id": "q4", "answers": {"text": [], "answer_start": []}},
    {"id": "q1", "answers": {"text": ["Eiffel Tower", "tower in Paris"], "answer_start": [4, 9]}},
    {"id": "q2", "answers": {"text": ["1889"], "answer_start": [2]}},
    {"id": "q3", "answers": {"text": [], "answer_start": []}},
]
SURE = [{**ANSWERS[3], "no_answer_probability": 0.05}, ANSWERS[0]]
PLAIN = [{key: record[key] for key in ("id", "prediction_text")} for record in ANSWERS[:2]]

CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    *(("bleu", texts, {}) for texts in (ONE, TWO, SHORT)),
    ("bleu", TWO, {"smooth": True}),
    ("bleu", SHORT, {"smooth": True}),
    ("bleu", TWO, {"max_order": 2}),
    ("sacrebleu", ONE, {}),
    ("sacrebleu", TWO, {"lowercase": True, "tokenize": "intl"}),
    ("sacrebleu", SHORT, {"smooth_method": "floor", "smooth_value": 0.2, "use_effective_order": True}),
    ("sacrebleu", SHORT, {"smooth_method": "add-k"}),
    ("sacrebleu", ONE, {"smooth_method": "add-k", "smooth_value": 0.5}),
    ("sacrebleu", {"predictions": ["one two"], "references": ["a b"]}, {"smooth_method": "add-k"}),
    ("google_bleu", ONE, {}),
    ("google_bleu", TWO, {}),
    ("google_bleu", TWO, {"min_len": 2, "max_len": 3}),
    ("rouge", ONE, {"use_aggregator": False}),
    ("rouge", TWO, {"use_aggregator": False, "use_stemmer": True}),
    ("rouge", TWO, {"use_aggregator": False, "rouge_types": ["rougeL", "rouge1"]}),
    ("rouge", {key: texts[:1] for key, texts in ONE.items()}, {}),
    ("chrf", ONE, {}),
    ("chrf", TWO, {"word_order": 2, "lowercase": True}),
    ("chrf", TWO, {"char_order": 4, "beta": 3, "whitespace": True, "eps_smoothing": True}),
    ("ter", ONE, {}),
    ("ter", TWO, {"ignore_punct": True, "normalized": True}),
    ("ter", TWO, {"case_sensitive": True, "normalized": True, "support_zh_ja_chars": True}),
    ("exact_match", ONE, {}),
    ("exact_match", ONE, {"regexes_to_ignore": ["(?s)^(It|He).*", r"\W"], "ignore_case": True}),
    ("exact_match", LOOSE, {"ignore_case": True, "ignore_punctuation": True, "ignore_numbers": True}),
    ("wer", ONE, {}),
    ("wer", ONE, {"concatenate_texts": True}),
    ("cer", ONE, {}),
    ("nist_mt", ONE, {}),
    ("nist_mt", TWO, {"n": 3, "lowercase": True}),
    ("nist_mt", TWO, {"western_lang": False}),
    ("sari", {**TWO, "sources": SOURCES}, {}),
    ("wiki_split", {**TWO, "sources": SOURCES}, {}),
    ("character", ONE, {}),
    ("character", TWO, {"aggregate": "median", "return_all_scores": True}),
    ("character", ONE, {"aggregate": "sum"}),
    ("character", {"predictions": ["g h f n h n z"], "references": ["f n h n g g h"]}, {}),
    ("squad", {"predictions": PLAIN, "references": [RIGHT[2], RIGHT[1]]}, {}),
    ("squad_v2", {"predictions": ANSWERS, "references": RIGHT}, {}),
    ("squad_v2", {"predictions": ANSWERS, "references": RIGHT}, {"no_answer_threshold": 0.5}),
    ("squad_v2", {"predictions": ANSWERS[:2], "references": RIGHT[1:3]}, {}),
    ("squad_v2", {"predictions": SURE, "references": [RIGHT[0], RIGHT[1]]}, {}),
]


def main(checkout: Path) -> None:
    import evaluate
    import nltk
    from nltk.corpus import perluniprops

    perluniprops.chars = lambda *_: ["0"]
    nltk.download = lambda *_, **__: True
    cases = []
    for name, texts, arguments in CASES:
        metric = evaluate.load(str(checkout / "metrics" / name / f"{name}.py"))
        cases.append(
            {
                "name": name,
                "texts": texts,
                "arguments": arguments,
                "outputs": metric.compute(**texts, **arguments),
            }
        )
    json.dump(
        {"evaluate": evaluate.__version__, "cases": cases},
        sys.stdout,
        indent=1,
        ensure_ascii=False,
        default=float,
    )
    print()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
