"""The calls of Hugging Face evaluate: outputs key by key as its own scripts give them
(tools/golden_evaluate.py), and everything around them.
"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.compat import evaluate as hf
from nlgauge.compat.evaluate.names import MISSING, SHAPES
from nlgauge.compat.evaluate.request import Request
from nlgauge.errors import InputError, ParameterError, UnknownMetricError

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "evaluate.json").read_text("utf-8"))["cases"]
preds = ["the cat is on the mat", "hello there", ""]
refs = ["the cat sat on the mat", "hello their", "something"]


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: f"{case['name']}-{'-'.join(case['arguments'])}")
def test_outputs_are_those_of_evaluates_own_script(case: dict[str, Any]) -> None:
    found = hf.load(case["name"]).compute(**case["texts"], **case["arguments"])
    _same(found, case["outputs"])
    assert json.loads(json.dumps(found)) == found  # plain numbers and lists
    collected = hf.load(case["name"], **case["arguments"])
    for i in range(len(case["texts"]["predictions"])):
        collected.add_batch(**{name: texts[i : i + 1] for name, texts in case["texts"].items()})
    _same(collected.compute(), case["outputs"])


def _same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected) or {type(found), type(expected)} == {int, float}
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for name in expected:
            _same(found[name], expected[name])
    else:
        assert found == pytest.approx(expected, rel=1e-7, abs=1e-12)


def test_every_shape_was_compared_or_has_a_test_here() -> None:
    assert {case["name"] for case in GOLDEN} | {"meteor", "bertscore", "perplexity", "mauve", "comet"} == set(
        SHAPES
    )


def test_means_of_rouge_are_means() -> None:
    lists = hf.load("rouge").compute(predictions=preds, references=refs, use_aggregator=False)
    means = hf.load("rouge").compute(predictions=preds, references=refs)
    assert means == {kind: pytest.approx(np.mean(values)) for kind, values in lists.items()}


def test_a_tokenizer_may_be_a_function() -> None:
    def letters(text: str) -> list[str]:
        return [
            letter if letter != "e" else "e e" for letter in text if letter.isalpha()
        ]  # a token with a space in it

    texts = {
        "predictions": ["The cat sat", "Dog: here"],
        "references": [["the cats sat"], ["a dog", "he dug"]],
    }
    spelt = {
        "predictions": [" ".join(letters(text)).replace("e e", "é") for text in texts["predictions"]],
        "references": [
            [" ".join(letters(text)).replace("e e", "é") for text in row] for row in texts["references"]
        ],
    }
    for name, words in (("bleu", "none"), ("google_bleu", "whitespace"), ("rouge", "whitespace")):
        found = hf.load(name).compute(**texts, tokenizer=letters)
        assert found == hf.load(name).compute(**spelt, tokenizer=words)
        assert found != hf.load(name).compute(**texts)


@pytest.mark.parametrize(
    ("predictions", "references", "orders", "expected"),
    [
        (["", "systems."], [["", "hello."], ["systems."]], {"max_len": 2}, 0.5),
        (["red?", "abc"], [["red?"], ["x", "tw y"]], {"min_len": 2, "max_len": 2}, 0.5),
        (["abc", ""], [["x"], ["", "y"]], {"min_len": 2}, 0.0),
    ],
)
def test_google_bleu_leaves_out_a_reference_without_ngrams(predictions, references, orders, expected) -> None:
    assert hf.load("google_bleu").compute(predictions=predictions, references=references, **orders) == {
        "google_bleu": pytest.approx(expected)
    }


def test_google_bleu_is_nltks_on_drawn_corpora() -> None:
    from nltk.translate.gleu_score import corpus_gleu
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    rng = random.Random(3)
    words = Tokenizer13a()
    metric = hf.load("google_bleu")
    for _ in range(50):
        size = rng.randint(1, 3)

        def text() -> str:
            return " ".join(rng.choices(["a", "b", "c.", "d?"], k=rng.choice([0, 0, 1, 1, 2, 4])))

        predictions = [text() for _ in range(size)]
        references = [[text() for _ in range(rng.randint(1, 3))] for _ in range(size)]
        low, more = rng.randint(1, 3), rng.randint(0, 2)
        found = metric.compute(
            predictions=predictions, references=references, min_len=low, max_len=low + more
        )
        split = (
            [[words(one).split() for one in row] for row in references],
            [words(one).split() for one in predictions],
        )
        assert found["google_bleu"] == pytest.approx(corpus_gleu(*split, low, low + more), abs=1e-12), (
            predictions,
            references,
            low,
            more,
        )


def test_a_function_splits_line_by_line_for_rouge_lsum() -> None:
    rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")

    class Words:
        def tokenize(self, text: str) -> list[str]:
            return [text[:1], *text.split()]  # the first letter of what it is given shows where a text begins

    prediction, reference = "the cat sat\nhe left", "the dog sat\n\nhe left it"
    theirs = rouge_scorer.RougeScorer(["rougeLsum", "rouge1"], tokenizer=Words()).score(reference, prediction)
    ours = hf.load("rouge").compute(
        predictions=[prediction],
        references=[reference],
        tokenizer=Words().tokenize,
        rouge_types=["rougeLsum", "rouge1"],
    )
    assert ours == {kind: pytest.approx(score.fmeasure) for kind, score in theirs.items()}


def test_meteor_is_nltks() -> None:
    from metrics.test_meteor import OurWordNet
    from nltk.tokenize import NLTKWordTokenizer
    from nltk.translate.meteor_score import meteor_score

    ours = [
        "The cats were sitting on the mat, weren't they?",
        "On the mat sat the cat.",
        "It costs 3,000.50 dollars.",
    ]
    theirs = [
        ["The cat's sitting on a mat, isn't it?", "A dog."],
        ["The cat sat on the mat."],
        ["It costs 3,000.50 dollars."],
    ]
    words = NLTKWordTokenizer().tokenize
    for weights in ({}, {"alpha": 0.8, "beta": 2, "gamma": 0.3}):
        pairs = zip(ours, theirs, strict=True)
        expected = [
            meteor_score([words(one) for one in group], words(text), wordnet=OurWordNet(), **weights)
            for text, group in pairs
        ]
        assert hf.load("meteor").compute(predictions=ours, references=theirs, **weights) == {
            "meteor": pytest.approx(np.mean(expected), abs=1e-12)
        }
    named = hf.load("meteor", version="1.5").compute(predictions=ours, references=theirs)
    assert named == {"meteor": nlgauge.score(ours, theirs, metrics="meteor")["meteor"]["score"]}


def test_bertscore_gives_lists(tiny_models: dict[str, Path]) -> None:
    model = {"model_type": str(tiny_models["encoder"]), "num_layers": 1}
    many = [["the cat sat", refs[0]], [refs[1]], [refs[2]]]
    for idf in (False, True):
        found = hf.load("bertscore").compute(
            predictions=preds, references=many, idf=idf, lang="en", batch_size=2, **model
        )
        rows = rows_by_label(
            nlgauge.score(
                preds, many, metrics={"path": "bertscore", "resulting_name": "b", **model, "idf": idf}
            )
        )
        assert list(found) == ["precision", "recall", "f1", "hashcode"]
        for name, column in (("precision", "b.precision"), ("recall", "b.recall"), ("f1", "b")):
            assert found[name] == pytest.approx([row[column] for row in rows], abs=1e-6)
        assert f"idf:{'yes' if idf else 'no'}" in found["hashcode"]


def test_perplexity_as_evaluate_computes_it(tiny_models: dict[str, Path]) -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    texts = ["the cat sat on the mat", "hello"]
    place = str(tiny_models["causal"])
    model, tokenizer = (
        transformers.AutoModelForCausalLM.from_pretrained(place),
        transformers.AutoTokenizer.from_pretrained(place),
    )
    expected = []
    for text in texts:
        ids = torch.tensor(
            [[tokenizer.bos_token_id, *tokenizer(text, add_special_tokens=False)["input_ids"]]]
        )
        with torch.no_grad():
            expected.append(
                math.exp(torch.nn.functional.cross_entropy(model(ids).logits[0, :-1], ids[0, 1:]))
            )
    found = hf.load("perplexity", module_type="metric").compute(predictions=texts, model_id=place)
    assert list(found) == ["perplexities", "mean_perplexity"]
    assert found["perplexities"] == pytest.approx(expected, rel=1e-4)
    assert found["mean_perplexity"] == pytest.approx(np.mean(expected), rel=1e-4)
    assert (
        hf.load("perplexity", module_type="measurement").compute(data=texts, model_id=place, device="cpu")
        == found
    )
    if not torch.cuda.is_available():
        with pytest.raises(ParameterError, match="device 'cuda'"):
            hf.load("perplexity").compute(predictions=texts, model_id=place, device="gpu")
    with pytest.raises(ParameterError, match="add_start_token"):
        hf.load("perplexity").compute(predictions=texts, model_id=place, add_start_token=False)


def test_comet_gives_scores_and_their_mean(tiny_models: dict[str, Path]) -> None:
    texts = {
        "predictions": ["the cat", "a dog"],
        "references": ["a cat", "the dog"],
        "sources": ["le chat", "un chien"],
    }
    place = str(tiny_models["comet"])
    found = hf.load("comet").compute(**texts, gpus=0, progress_bar=False, model=place)
    rows = rows_by_label(
        nlgauge.score(*texts.values(), metrics={"path": "comet", "resulting_name": "x", "model": place})
    )
    assert found == {
        "mean_score": pytest.approx(np.mean(found["scores"])),
        "scores": [row["x"] for row in rows],
    }


def test_mauve_gives_attributes(tiny_models: dict[str, Path]) -> None:
    texts = [f"the cat sat on the mat {i}" for i in range(8)], [f"hello there {i}" for i in range(8)]
    with pytest.warns(UserWarning, match=r"mauve.* 8 texts"):
        found = hf.load("mauve").compute(
            predictions=texts[0],
            references=texts[1],
            featurize_model_name=str(tiny_models["causal"]),
            num_buckets=3,
            seed=7,
            mauve_scaling_factor=2,
        )
    with pytest.warns(UserWarning, match=r"mauve.* 8 texts"):
        expected = nlgauge.score(
            *texts,
            metrics={"path": "mauve", "model": str(tiny_models["causal"]), "buckets": 3, "scaling": 2.0},
            seed=7,
        )
    scores = next(iter(expected.values()))
    assert isinstance(found, SimpleNamespace)
    assert found.mauve == scores["mauve"]
    assert found.frontier_integral == scores["frontier_integral"]
    assert found.num_buckets == scores["buckets"]


def test_squad_counts_questions_without_a_prediction_as_0_and_takes_plain_texts() -> None:
    right = [{"id": name, "answers": [{"text": "a cat", "answer_start": 0}]} for name in "xy"]
    answers = [{"id": "x", "prediction_text": "The cat"}, {"id": "z", "prediction_text": "other"}]
    with pytest.warns(UserWarning, match=r"prediction.* 1 question.*'y'.* 0"):
        assert hf.load("squad").compute(predictions=answers, references=right) == {
            "exact_match": 50.0,
            "f1": 50.0,
        }
    with pytest.warns(UserWarning, match="2 questions"):
        assert hf.load("squad").compute(predictions=answers[1:] * 2, references=right) == {
            "exact_match": 0.0,
            "f1": 0.0,
        }
    assert hf.load("squad").compute(predictions=["The cat"], references=[["a cat", "b"]]) == {
        "exact_match": 100.0,
        "f1": 100.0,
    }


@pytest.mark.parametrize(
    ("name", "predictions", "references", "message"),
    [
        ("squad", [{"id": "x"}], [{"id": "x", "answers": {"text": ["a"]}}], "prediction_text"),
        ("squad", [{"id": "x", "prediction_text": "a"}], [{"id": "x", "answers": {"text": []}}], "squad_v2"),
        (
            "squad_v2",
            [{"id": "x", "prediction_text": "a"}],
            [{"id": "x", "answers": {"text": ["a"]}}],
            "no_answer_probability",
        ),
        (
            "squad_v2",
            [{"id": "y", "prediction_text": "a", "no_answer_probability": 0}],
            [{"id": "x", "answers": {"text": ["a"]}}],
            "question.*'x'",
        ),
        ("squad_v2", ["a"], ["a"], "reference.*SQuAD"),
        ("squad", [{"id": "x", "prediction_text": "a"}], None, "needs references"),
        (
            "squad_v2",
            [{"id": "x", "prediction_text": "a", "no_answer_probability": 0}],
            None,
            "needs references",
        ),
        ("nist_mt", ["a b c d e f"], [""], "references have none"),
        ("accuracy", [0, 1], [1, 1], "class labels"),
        ("nist_mt", ["a b"], ["a b"], "NIST.*smaller n"),
    ],
)
def test_inputs_that_cannot_be_scored(name: str, predictions: Any, references: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        hf.load(name).compute(predictions=predictions, references=references)


def test_a_metric_that_evaluate_does_not_have_gives_our_outputs() -> None:
    assert (
        hf.load("mer").compute(predictions=preds, references=refs)
        == nlgauge.score(preds, refs, metrics="mer")["mer"]
    )
    found = hf.load("accuracy").compute(predictions=preds, references=refs)
    assert found == nlgauge.score(preds, refs, metrics="accuracy")["accuracy"]
    (ours,) = nlgauge.score(preds, refs, metrics="chrf++").values()
    assert hf.load("chrf++").compute(predictions=preds, references=refs) == ours
    assert hf.load("distinct").compute(predictions=["a b", "a c"])["score"] == 0.75


def test_bleu_of_texts_without_words() -> None:
    """evaluate divides by 0 here."""
    found = hf.load("bleu").compute(predictions=[""], references=["a"])
    assert (found["bleu"], found["brevity_penalty"], found["length_ratio"]) == (0.0, 0.0, 0.0)
    found = hf.load("bleu").compute(predictions=["a"], references=[""])
    assert (found["bleu"], found["brevity_penalty"], found["length_ratio"]) == (0.0, 1.0, math.inf)


def test_what_evaluate_needs_for_its_files_is_accepted() -> None:
    metric = hf.load(
        "rouge",
        config_name=None,
        module_type="metric",
        process_id=0,
        num_process=1,
        cache_dir="/nowhere",
        experiment_id="mine",
        keep_in_memory=True,
        download_config=None,
        download_mode="force_redownload",
        revision="main",
    )
    assert (metric.name, metric.module_type, metric.experiment_id) == ("rouge", "metric", "mine")
    assert hf.load("evaluate-metric/wer").compute(predictions=preds, references=refs) == 3 / 9
    with pytest.raises(ParameterError, match="num_process"):
        hf.load("wer", num_process=2)
    with pytest.raises(ParameterError, match=r"module_type.*'comparison'"):
        hf.load("exact_match", module_type="comparison")


def test_a_module_says_what_it_is() -> None:
    metric = hf.load("google_bleu", max_len=2)
    assert "n-gram" in metric.description
    assert "Google" in metric.citation
    assert "`max_order`" in metric.inputs_description
    assert metric.license == "Apache-2.0"
    assert metric.features == {"predictions": "string", "references": "string or list of strings"}
    assert list(hf.load("sari").features) == ["predictions", "references", "sources"]
    assert list(hf.load("perplexity").features) == ["predictions"]
    assert repr(metric) == "Module('google_bleu', arguments={'max_len': 2})"


@pytest.mark.parametrize("name", MISSING)
def test_what_is_not_here_is_answered_with_what_is_near(name: str) -> None:
    with pytest.raises(UnknownMetricError, match=f"{name}.*nlgauge"):
        hf.load(name)


def test_unknown_names_and_arguments() -> None:
    with pytest.raises(UnknownMetricError, match="did you mean 'bleu'"):
        hf.load("blue")
    for call in (
        lambda: hf.load("ter", ignore_punkt=True),
        lambda: hf.load("ter").compute(predictions=["a"], references=["a"], ignore_punkt=True),
    ):
        with pytest.raises(ParameterError, match=r"ter.*'ignore_punkt'.*'ignore_punct'"):
            call()
    with pytest.raises(ParameterError, match="not a regular expression"):
        hf.load("exact_match").compute(predictions=["a"], references=["a"], regexes_to_ignore=["("])
    with pytest.raises(ParameterError, match=r"aggregate.*mean"):
        hf.load("character").compute(predictions=["a"], references=["a"], aggregate="max")


def test_texts_are_collected() -> None:
    metric = hf.load("wer")
    metric.add(prediction=preds[0], reference=refs[0])
    metric.add(predictions=preds[1], references=refs[1])
    assert (
        metric.compute(predictions=preds[2:], references=refs[2:])
        == nlgauge.score(preds, refs, metrics="wer")["wer"]["wer"]
    )
    with pytest.raises(InputError, match="no predictions were added"):
        metric.compute()
    metric.add(prediction="a", reference="a")
    with pytest.raises(InputError, match=r"predictions.*references"):
        metric.add(prediction="b")
    with pytest.raises(InputError, match=r"references.*1.*2"):
        metric.add_batch(predictions=["b", "c"], references=["b"])
    with pytest.raises(InputError, match="no predictions"):
        metric.add(reference="b")
    with pytest.raises(InputError, match=r"prediction.*predictions"):
        metric.add(prediction="b", predictions="c", reference="b")
    assert metric.compute() == 0.0  # what could not be added was not added


def test_the_parameter_given_reaches_the_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def table(request: Request, name: str, **parameters: Any) -> Any:
        calls.append((name, parameters))
        return SimpleNamespace(scores=dict)

    monkeypatch.setattr(Request, "table", table)
    hf.load("prism").compute(predictions=["a"], sources=["b"], given="source")
    assert calls == [("prism", {"given": "source"})]


def test_other_spellings_and_our_own_parameters() -> None:
    texts = {"predictions": ["The cat. runs"], "references": ["the cat. run"]}
    assert hf.load("rouge", use_stemmer=True).compute(**texts)["rouge1"] == 1
    assert hf.load("ter").compute(case_sensitive=True, **texts)["score"] == pytest.approx(200 / 3)
    assert hf.load("meteor", tokenize="whitespace").compute(**texts)["meteor"] > 0
    assert (
        hf.load("bleu", lowercase=True, max_order=1).compute(**texts)["bleu"]
        > hf.load("bleu", max_order=1).compute(**texts)["bleu"]
    )
    assert (
        hf.load("rouge", stem=True).compute(**texts)
        == hf.load("rouge", use_stemmer=True).compute(**texts)
        != hf.load("rouge").compute(**texts)
    )
    assert hf.load("wer", lowercase=True).compute(**texts) == pytest.approx(1 / 3)
    chinese = {"predictions": ["猫坐在垫子上"], "references": ["猫坐在垫子上面"]}
    assert hf.load("bleu").compute(**chinese, lang="zh")["reference_length"] == 7
    assert (
        hf.load("sacrebleu").compute(**chinese, lang="zh")["score"]
        == nlgauge.score(**chinese, metrics="bleu", lang="zh")["bleu"]["score"]
    )
    with pytest.raises(ParameterError, match=r"case_sensitive.*parameter"):
        hf.load("ter").compute(case_sensitive=True, lowercase=False, **texts)


def test_combined() -> None:
    texts = {"predictions": preds, "references": refs}
    found = hf.combine(["bleu", "wer", "exact_match"]).compute(**texts, max_order=1, ignore_case=True)
    assert found == {
        **hf.load("bleu").compute(**texts, max_order=1),
        "wer": hf.load("wer").compute(**texts, ignore_case=True),
        "exact_match": hf.load("exact_match").compute(**texts, ignore_case=True)["exact_match"],
    }
    both = hf.combine(["chrf", "ter"]).compute(**texts)
    assert list(both) == [
        "chr_f_score",
        "char_order",
        "word_order",
        "beta",
        "ter_score",
        "num_edits",
        "ref_length",
    ]  # named after evaluate's class
    one = hf.load("bleu", max_order=1)
    twice = hf.combine(["bleu", one]).compute(**texts)
    assert (twice["bleu_0_bleu"], twice["bleu_1_bleu"]) == (
        hf.load("bleu").compute(**texts)["bleu"],
        one.compute(**texts)["bleu"],
    )
    named = hf.combine({"one": one, "rate": "wer"}, force_prefix=True)
    named.add(prediction=preds[0], reference=refs[0])
    named.add_batch(predictions=preds[1:], references=refs[1:])
    results = named.compute()
    assert results["one_bleu"] == twice["bleu_1_bleu"]
    assert results["rate_wer"] == 3 / 9
    assert all(name.startswith(("one_", "rate_")) for name in results)
    with pytest.raises(ParameterError, match=r"parameter.*'max_oder'"):
        hf.combine(["bleu", "wer"]).compute(**texts, max_oder=1)
    with pytest.raises(ParameterError, match="separately"):
        hf.combine({"both": hf.combine(["bleu", "wer"])})  # type: ignore[dict-item]
