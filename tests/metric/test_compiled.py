"""Compiled metrics give the bits of the ordinary way, and every metric has a compiled form or a known reason."""

from __future__ import annotations

import json
import random
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs import interpreted
from strategies import SENTENCES, texts
from twins import needs_native

import nlgauge
from nlgauge._core.backend import NATIVE, using
from nlgauge._core.ragged import Ragged
from nlgauge.corpus import Corpus
from nlgauge.engine.chunk import Job
from nlgauge.engine.executors import Serial
from nlgauge.engine.prepare import labeled, prepared
from nlgauge.engine.segments import segment_scores
from nlgauge.metric import Metric, first_output
from nlgauge.metric.compiled import compiled, plain_scores, why_not_compiled
from nlgauge.metric.program import CODES, Program
from nlgauge.metric.registry import metric_classes
from nlgauge.metrics.wer import Wer
from nlgauge.testing import of_numbers
from nlgauge.testing.comparing import Terms
from nlgauge.testing.of_values import has_model

pytestmark = [needs_native, pytest.mark.filterwarnings("ignore:meteor.* is designed for English")]

# Every parameter that takes another way through the compiled code.
SPECS = [
    *("bleu", "bleu(lowercase=True)", "bleu(max_order=9)", "bleu(smooth_method='floor')"),
    *("bleu(smooth_method='add-k')", "bleu(smooth_method='none')", "bleu(compat='coco')"),
    *("bleu(max_order=2, compat='coco')", "bleu(tokenizer='none')"),
    *(
        "chrf",
        "chrf(word_order=2)",
        "chrf(lowercase=True)",
        "chrf(whitespace=True)",
        "chrf(eps_smoothing=True)",
    ),
    *("rouge", "rouge(stem=True)", "rouge(tokenizer='google')", "rouge(rouge_types=('rougeLsum',))"),
    *("rouge(rouge_types=('rouge3',), tokenizer='whitespace')", "sentence_bleu"),
    *("wer", "wer(lowercase=True)", "cer", "mer", "wil", "wip"),
    *("f1", "f1(normalize='squad')", "precision", "recall", "gleu"),
    *("gleu(max_order=3, min_order=2)", "levenshtein", "levenshtein(lowercase=True)"),
    *("levenshtein(tokenizer='13a')", "levenshtein(tokenizer='stripped-characters')"),
    *("ter", "ter(lowercase=False)", "character", "character(compat='released')"),
    *("ribes", "ribes(compat='nltk')", "exact_match", "exact_match(lowercase=True)"),
    *("accuracy", "accuracy(normalize='squad')", "squad", "squad(compat='1.1')"),
    *("meteor", "meteor(version='2005')", "meteor(task='adequacy', tokenizer='whitespace')"),
    *("meteor(stem=False)", "meteor(paraphrases=('cat dog mat', 'the on'), synonyms=False)"),
]
NAMES = {spec.partition("(")[0] for spec in SPECS}
# Metrics without a compiled form whose scores are programs.
OTHER_SPECS = [
    name
    for name, kind in metric_classes().items()
    if issubclass(kind, Metric) and not has_model(kind) and name not in NAMES
] + [
    "sari(compat='easse')",
    "sari(compat='evaluate')",
    "meteor(copy_words=('cat',))",
    "meteor(version='2005', compat='nltk')",
    "meteor(compat='jar')",
]


def made(spec: str) -> Metric:
    (metric,) = prepared(labeled(spec), None, None).values()
    assert isinstance(metric, Metric)
    return metric


def ordinary(
    metric: Metric, predictions: list[str], references: list[Any]
) -> tuple[np.ndarray, dict[str, Any]]:
    """The statistics of the engine side by side, and every output of each segment."""
    result = nlgauge.score(predictions, references, metrics=[metric], seed=1)
    (table,) = result._tables.values()
    scores = segment_scores(Corpus.read(predictions, references), Job({str(metric): metric}))
    return np.hstack(list(table.statistics.values())), scores


def assert_equal(metric: Metric, predictions: list[str], references: list[Any]) -> None:
    form = compiled(metric)
    assert form is not None
    statistics, scores = ordinary(metric, predictions, references)
    rows, seconds, _ = form.native.statistics(predictions, references)
    assert rows.tobytes() == np.ascontiguousarray(statistics).tobytes()
    assert len(seconds) == len(form.tokens) + len(form.features)
    for number, name in enumerate(form.outputs):
        found = form.native.function(number)(predictions, references)
        assert np.array(found).tobytes() == (np.asarray(scores[name]) + 0.0).tobytes(), name


@pytest.mark.filterwarnings("ignore:.*no spaces")
@pytest.mark.parametrize("spec", SPECS)
@given(st.lists(st.tuples(texts(), texts()), min_size=1, max_size=6))
def test_statistics_and_scores_are_those_of_the_ordinary_way(spec: str, pairs: list[tuple[str, str]]) -> None:
    predictions, references = map(list, zip(*pairs, strict=True))
    assert_equal(made(spec), predictions, references)


@pytest.mark.parametrize("spec", SPECS)
def test_blocks_long_texts_and_threads_change_nothing(spec: str) -> None:
    """70 pairs end inside the second block; two texts have more tokens than small tables and single words of bits."""
    chance = random.Random(spec)
    words = [
        word for prediction, references in SENTENCES for word in " ".join([prediction, *references]).split()
    ]
    words += [
        "extraordinarily-long-words-of-letters",
        "extraordinarily-long-words-of-lettern",
        "Größe",
        "猫が",
    ]

    def text(length: int) -> str:
        return "".join(chance.choice(words) + chance.choice(("\n", " ", " ", " ")) for _ in range(length))

    predictions = [text(chance.choice((0, 1, 5, 20, 60))) for _ in range(69)] + [text(700)]
    references = [
        text(chance.choice((0, 1, 5, 20, 60))) if chance.random() < 0.5 else prediction[3:]
        for prediction in predictions
    ]
    try:
        for threads in (1, 3):
            NATIVE.set_threads(threads, worthwhile=1)
            assert_equal(made(spec), predictions, references)
            # A prediction of several rows is read once in each block.
            assert_equal(made(spec), [predictions[7]] * 40 + predictions[40:], references)
    finally:
        NATIVE.set_threads(1)


@pytest.mark.parametrize("spec", [spec for spec in SPECS if made(spec).takes == "pair"])
@given(
    st.lists(st.tuples(texts(), st.lists(texts(), min_size=1, max_size=3)), min_size=1, max_size=4),
)
def test_the_best_of_several_references_is_that_of_the_ordinary_way(spec: str, pairs: Any) -> None:
    predictions, references = map(list, zip(*pairs, strict=True))
    metric = made(spec)
    form = compiled(metric)
    assert form is not None
    statistics, scores = ordinary(metric, predictions, references)
    assert form.native.statistics(predictions, references)[0].tobytes() == statistics.tobytes()
    rewards = nlgauge.reward(metric, scale=(0, 1))(predictions, references)
    assert np.array(rewards).tobytes() == (np.asarray(scores[form.outputs[0]]) + 0.0).tobytes()


@pytest.mark.parametrize("spec", [spec for spec in SPECS if made(spec).takes == "pair"])
def test_several_references_may_be_in_different_blocks(spec: str) -> None:
    predictions = [prediction for prediction, _ in SENTENCES] * 3
    texts = [text for _, references in SENTENCES for text in references]
    references = [[*texts[start % 5 : start % 5 + 6], texts[-1]] for start in range(len(predictions))]
    assert sum(map(len, references)) > 64
    metric = made(spec)
    form = compiled(metric)
    assert form is not None
    statistics, _ = ordinary(metric, predictions, references)
    assert form.native.statistics(predictions, references)[0].tobytes() == statistics.tobytes()


@pytest.mark.parametrize("spec", SPECS)
def test_programs_give_the_bits_of_score(spec: str) -> None:
    metric = made(spec)
    form = compiled(metric)
    assert form is not None
    rng = np.random.default_rng(3)
    width = sum(form.parts.values())
    rows = np.floor(rng.exponential(6, (2000, width)))
    rows[rng.random((2000, width)) < 0.15] = 0.0
    rows[:20][rng.random((20, width)) < 0.3] = np.nan
    rows[20:40][rng.random((20, width)) < 0.3] = 1e308
    for program, scored in ((form.corpus, metric), (NATIVE.Program(*form.scores), metric.for_segments())):
        found = dict(zip(form.outputs, program.run(rows).T, strict=True))
        with np.errstate(all="ignore"):
            for part, statistics in form.split(rows).items():
                for name, values in scored.score(part, np.ascontiguousarray(statistics)).items():
                    np.testing.assert_array_equal(found[name], values, err_msg=name)


# Pairs with one reference, of which some are equal, and a source of each pair.
TEXTS = [(prediction, text) for prediction, references in SENTENCES for text in references]
TEXTS += [(text, prediction) for prediction, text in TEXTS] + TEXTS[:3] + [("a\nb c.\n\nd", "b c.\na d")]


def numbers_of(metric: Metric, count: int = len(TEXTS), **options: Any) -> dict[str, list[str]]:
    """Every output of each segment, and of the corpus, with all digits."""
    predictions, references = map(list, zip(*TEXTS[:count], strict=True))
    sources = references[::-1] if metric.source else None
    result = nlgauge.score(predictions, references, sources, metrics={"path": metric}, seed=1, **options)
    (table,) = result._tables.values()
    scores = {name: [repr(table.scores()[name])] for name in table.segments()}
    return {
        name: scores[name] + list(map(repr, values.tolist())) for name, values in table.segments().items()
    }


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("spec", [*SPECS, *OTHER_SPECS])
def test_kernels_threads_and_routes_change_no_bit(spec: str) -> None:
    metric = made(spec)
    with using("python"):
        expected = numbers_of(metric)
    predictions, references = map(list, zip(*TEXTS, strict=True))
    try:
        for threads in (1, 3):
            NATIVE.set_threads(threads, worthwhile=1)
            assert numbers_of(metric) == expected
            assert numbers_of(metric, executor=Serial(characters=100)) == expected
            if metric.source or metric.fit() is not None:
                continue
            scorer = nlgauge.Scorer([metric])
            results = [scorer(predictions, references) for _ in range(2)]
            assert type(results[1]).__name__ == ("CompiledResult" if compiled(metric) else "Result")
            for result in results:
                (table,) = result._tables.values()
                for name, values in table.segments().items():
                    assert [repr(table.scores()[name]), *map(repr, values.tolist())] == expected[name]
            if metric.takes == "alone":
                continue
            reward = nlgauge.reward(metric, scale=(0, 1))
            name = first_output(metric).name
            assert [*map(repr, reward(predictions, references))] == [*map(unsigned, expected[name][1:])]
            square = nlgauge.utilities(predictions, reward, references)
            assert [*map(repr, square.diagonal().tolist())] == [*map(unsigned, expected[name][1:])]
    finally:
        NATIVE.set_threads(1)


def unsigned(digits: str) -> str:
    """The digits of a reward, which has no negative zero."""
    return "0.0" if digits == "-0.0" else digits


@pytest.mark.parametrize("spec", [*SPECS, *OTHER_SPECS])
def test_an_interpreter_of_plain_scores_gives_the_bits_of_score(spec: str) -> None:
    metric = made(spec)
    sources = [text for _, (text, *_) in SENTENCES]
    result = nlgauge.score(*map(list, zip(*SENTENCES, strict=True)), sources, metrics=[metric])
    (table,) = result._tables.values()
    parts = {part: rows.shape[1] for part, rows in table.statistics.items()}
    rows = np.hstack(list(table.statistics.values()))
    rows = np.vstack([rows, rows.sum(axis=0), np.zeros(rows.shape[1]), np.where(rows[0] > 1, np.nan, 2.0)])
    for scored in (metric, metric.for_segments()):
        data = plain_scores(scored, parts)
        assert data is not None
        data = json.loads(json.dumps(data, allow_nan=False))
        assert data["parts"] == parts
        computed = [dict(zip(data["outputs"], interpreted(data, row), strict=True)) for row in rows.tolist()]
        start = 0
        with np.errstate(all="ignore"):
            for part, width in parts.items():
                block = np.ascontiguousarray(rows[:, start : start + width])
                start += width
                for name, values in scored.score(part, block).items():
                    np.testing.assert_array_equal([row[name] for row in computed], values, err_msg=name)


def test_a_score_that_cannot_be_traced_has_no_plain_form() -> None:
    class Branching(Wer):
        def score(self, part: str, statistics: Any) -> Any:
            return super().score(part, statistics if statistics[..., 0] > 0 else -statistics)

    assert plain_scores(Branching(), {"wer": 4}) is None


def test_every_metric_is_compiled_or_has_a_known_reason() -> None:
    reasons = {
        "does not read exactly a prediction and its references": "alone, or with a source",
        "has a model or a fit": "model",
        "has no statistics of rows": "corpus",
        "reads a feature's column": "column",
        "reads sources of the view": "pairwise",
    }
    found: dict[str, set[str]] = {"": set()} | {kind: set() for kind in reasons.values()}
    for name, kind in metric_classes().items():
        if not kind.__module__.startswith("nlgauge.metrics."):
            continue
        reason = why_not_compiled(kind())
        found[reasons[reason] if reason else ""].add(name)
    assert found[""] == NAMES
    assert found["column"] == {"cder", "eed", "rouge155"}


def aligned(form: Any, prediction: str, reference: str) -> list[float]:
    rows, _, _ = form.native.statistics([prediction], [reference])
    return list(rows[0])


def test_keys_of_words_are_the_same_in_later_calls() -> None:
    # "cars" is met before "car", "autos" before "autos" has a stem, and the last pair has no new word.
    form = compiled(made("meteor(version='1.5', task='adequacy')"))
    assert form is not None
    metric = made("meteor(task='adequacy')")
    for prediction, reference in [
        ("cars", "dogs"),
        ("the car runs", "the automobile running"),
        ("running dog", "runs dogs"),
        ("cars of running", "of autos"),
        ("dog of the automobile", "the cars of dogs"),
    ]:
        expected, _ = ordinary(metric, [prediction], [reference])
        assert aligned(form, prediction, reference) == expected[0].tolist()


def test_many_words_are_forgotten_and_learned_again() -> None:
    form = compiled(made("meteor(synonyms=False)"))
    assert form is not None
    before = aligned(form, "the cats run", "the cat running")
    words = [f"w{number:x}" for number in range(70_000)]
    texts = [" ".join(words[start : start + 100]) for start in range(0, len(words), 100)]
    rows, _, _ = form.native.statistics(texts, texts)
    assert rows[:, 21].tolist() == [0.0] * len(texts) and rows[:, 20].tolist() == [100.0] * len(texts)
    assert aligned(form, "the cats run", "the cat running") == before


@pytest.mark.parametrize(
    "keys",
    [
        (None, [], []),
        (["a"], [], [True] * 2),
        ([1, 2], [], [True] * 2),
        (None, [Ragged.single(np.zeros(1, np.int32))], [True] * 2),
        (None, [Ragged.single(np.zeros(2, np.int32))] * 3, [True] * 2),
    ],
)
def test_keys_that_do_not_fit_are_refused_and_asked_for_again(keys: Any) -> None:
    answers = [keys, (["a", "a"], [Ragged.single(np.zeros(2, np.int32))], [True, False])]
    width = 22
    inputs = [(CODES.index("input"), column, -1, -1, 0.0) for column in range(width)]
    program = NATIVE.Program(width, inputs, list(range(width)))
    metric = NATIVE.CompiledMetric(
        [("13a", False, False, lambda words: answers.pop(0))],
        [("word_alignment", 0, 100)],
        program,
        program,
        [(width, 0, True)],
        True,
    )
    with pytest.raises(ValueError, match=r"keys|stem"):
        metric.statistics(["b"], ["c"])
    rows, _, _ = metric.statistics(["b"], ["c"])
    # The word "b" is a function word, "c" is not, and both have the stem "a".
    places = np.flatnonzero(rows[0]).tolist()
    assert (places, rows[0][places].tolist()) == ([1, 2, 9, 10, 20, 21], [1.0] * 6)


@pytest.mark.parametrize(
    ("spec", "tokenizer"),
    [
        ("bleu(tokenizer='intl')", "intl"),
        ("bleu(tokenizer='char')", "char"),
        ("f1(compat='nlg-metricverse')", "nlg-metricverse"),
    ],
)
def test_a_tokenizer_that_only_python_has_is_not_compiled(spec: str, tokenizer: str) -> None:
    assert tokenizer in why_not_compiled(made(spec))


@pytest.mark.parametrize("spec", ["ter(normalized=True)", "exact_match(ignore_punctuation=True)"])
def test_a_metric_that_changes_texts_in_python_is_not_compiled(spec: str) -> None:
    assert "no compiled kernel" in why_not_compiled(made(spec))


@pytest.mark.parametrize("spec", SPECS)
def test_the_contract_compares_both_ways(spec: str) -> None:
    of_numbers.check_compiled_numbers_are_the_same(made(spec), Terms())


class Text(str):
    """A string of another class."""

    __slots__ = ()


@pytest.mark.parametrize(
    ("predictions", "references"),
    [
        ([], []),
        (["a"], []),
        (["a"], ["a", "b"]),
        ([Text("a")], ["a"]),
        (["a"], [Text("a")]),
        (["a\ud800"], ["a"]),
        ([None], ["a"]),
        (["a"], [1]),
        (["a", "b"], ["a", ["b"]]),
        (["a", "b"], [["a"], "b"]),
        (["a"], [[]]),
        (["a"], [["a", None]]),
        (["a"], [("a",)]),
    ],
)
def test_other_texts_are_left_to_the_ordinary_way(predictions: Any, references: Any) -> None:
    form = compiled(made("chrf"))
    assert form is not None
    assert form.native.statistics(predictions, references) is None
    assert form.native.function(0)(predictions, references) is None


def test_lists_of_references_are_read_only_where_the_best_one_counts() -> None:
    references = [["a b c", "a"]]
    for rule in ("best", "mean", "max", "min"):
        reward = nlgauge.reward("wer", reduce_fn=rule)
        reward(["a b"], ["a c"])
        assert (reward._compiled(["a b"], references) is None) == (rule != "best")
        assert reward._compiled(["a b"], ["a"]) == [-1.0]
    form = compiled(made("wer"))
    assert form is not None
    assert form.native.function(0, lists=False)(["a"], [["a"]]) is None


def broken(
    level: Any = ("13a", False, False, None),
    kernel: Any = ("equal", 0, 0),
    part: Any = (1, 0, True),
    inputs: int = 1,
) -> Any:
    """A compiled metric whose one statistic, and score, is whether two texts are equal, with another argument."""
    same = Program(inputs, [(CODES.index("input"), 0, -1, -1, 0.0)], [0])
    parts = part if isinstance(part, list) else [part]
    return NATIVE.CompiledMetric([level], [kernel], NATIVE.Program(*same), NATIVE.Program(*same), parts, True)


@pytest.mark.parametrize(
    "argument",
    [
        {"level": ("no tokenizer", False, False, None)},
        {"level": ("characters", False, True, None)},
        {"level": ("characters", False, False, len)},
        {"level": ("13a", False, True, len)},
        {"kernel": ("word_alignment", 0, 0)},
        {"kernel": ("no kernel", 0, 0)},
        {"kernel": ("equal", 1, 0)},
        {"kernel": ("equal", 2**64 - 1, 0)},
        {"kernel": ("clipped_matches", 0, 65)},
        {"kernel": ("edit_counts", 0, 0)},
        {"part": (1, 1, True)},
        {"part": (2, 0, True)},
        {"part": (0, 0, True)},
        {"part": [(1, 0, True), (2**64 - 1, 0, True), (1, 0, True)]},
        {"inputs": 2},
    ],
)
def test_a_compiled_metric_whose_parts_do_not_fit_is_refused(argument: dict[str, Any]) -> None:
    assert broken().function(0)(["a b", "a"], ["a b", "b"]) == [1.0, 0.0]
    with pytest.raises(ValueError, match=r"compiled|stem|level|part|programs"):
        broken(**argument)


def test_an_unknown_output_is_refused() -> None:
    form = compiled(made("wer"))
    assert form is not None
    with pytest.raises(ValueError, match="output"):
        form.native.function(99)


def test_python_kernels_never_take_the_compiled_way(monkeypatch: pytest.MonkeyPatch) -> None:
    reward = nlgauge.reward("wer")
    scorer = nlgauge.Scorer("wer")
    for function in (reward, scorer):
        function(["a b"], ["a c"])
    assert type(scorer(["a b"], ["a c"])).__name__ == "CompiledResult"
    assert reward._takes_lists(["a b"], ["a c"]) and reward._compiled(["a b"], ["a c"]) == [-0.5]
    with using("python"):
        assert not reward._takes_lists(["a b"], ["a c"])
        assert reward(["a b"], ["a c"]) == [-0.5]
        assert type(scorer(["a b"], ["a c"])).__name__ == "Result"


def test_threads_share_a_compiled_metric() -> None:
    reward = nlgauge.reward("rouge(stem=True)")
    pairs = [(f"running cats {i} sat\non mats", f"a cat {i % 7} ran on mats") for i in range(200)]
    predictions, references = map(list, zip(*pairs, strict=True))
    expected = reward(predictions, references)
    wrong: list[Any] = []

    def work() -> None:
        for start in range(0, 200, 10):
            several = reward(predictions[start : start + 70], references[start : start + 70])
            single = reward([predictions[start]], [references[start]])
            if several != expected[start : start + 70] or single != [expected[start]]:
                wrong.append(start)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
