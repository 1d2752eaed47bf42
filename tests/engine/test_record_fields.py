"""Fields of records as texts of rows: in prompts, in processes, on disk and in the keys of the statistics cache."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from judge_cases import choice, client, weighed
from messages import mentions

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.corpus.store.layout import stored_corpus
from nlgauge.corpus.store.writer import CorpusWriter
from nlgauge.corpus.text_fields import text_field
from nlgauge.engine.cache.keys import row_keys
from nlgauge.engine.chunk import Chunk
from nlgauge.engine.executors.processes import wire
from nlgauge.engine.executors.processes.messages import of_chunk, to_corpus
from nlgauge.errors import InputError
from nlgauge.features import RunOptions
from nlgauge.metric import Arrays, Metric, Output, Takes, View
from nlgauge.metrics.judge import FileJudge
from nlgauge.metrics.yes_no import YesNo
from nlgauge.testing import check_metric
from nlgauge.testing.comparing import rows_of


@dataclass(frozen=True)
class Passages(Metric):
    """The number of passages, and of their characters."""

    name: ClassVar[str] = "passages"
    takes: ClassVar[Takes] = "alone"
    record_fields: ClassVar[tuple[str, ...]] = ("contexts",)

    def outputs(self) -> dict[str, tuple[Output, ...]]:
        return {"passages": (Output("passages", None), Output("size", None))}

    def statistics(self, view: View, fitted: Arrays) -> Arrays:
        texts = [view.texts_of("contexts", row) for row in range(len(view))]
        return {"passages": np.array([[len(row), len("".join(row))] for row in texts], dtype=float)}

    def score(self, part: str, statistics: np.ndarray) -> Arrays:
        return {"passages": statistics[..., 0], "size": statistics[..., 1]}


RECORDS = [
    {"id": i, "system": system, "prediction": "same", "source": "q", "contexts": contexts, "topic": 7}
    for i, by_system in enumerate([("ab", "ab"), (["a", "b"], ["abc"]), ([], "")])
    for system, contexts in zip("AB", by_system, strict=True)
]
EXPECTED = {"A": [(1, 2), (2, 2), (0, 0)], "B": [(1, 2), (1, 3), (1, 0)]}


def numbers(result: nlgauge.Result) -> dict[str, list[tuple[float, float]]]:
    return {
        system: [(row["passages"], row["size"]) for row in rows_of(result, system)]
        for system in result.systems
    }


def view_of(corpus: Corpus, metric: Metric) -> View:
    (rows,) = Chunk(corpus, np.arange(len(corpus)), RunOptions()).rows(metric)
    return rows.view


def test_rows_that_differ_in_a_field_are_different_rows():
    assert numbers(nlgauge.score(RECORDS, metrics=Passages())) == EXPECTED
    # Equal values of both systems are one row.
    assert len(view_of(Corpus.read(RECORDS), Passages())) == 5


def test_a_metric_with_fields_keeps_the_contract():
    check_metric(Passages())


def test_fields_go_to_other_processes_with_the_chunk():
    corpus = Corpus.read(RECORDS)
    message = wire.decode(wire.encode(of_chunk(Chunk(corpus, np.arange(1, 3), RunOptions()))))
    assert to_corpus(message).system_fields["contexts"] == {"A": (("a", "b"), ()), "B": (("abc",), "")}
    shared = Corpus.read(["a"], fields={"contexts": [["x", "y"]]})
    message = wire.decode(wire.encode(of_chunk(Chunk(shared, np.arange(1), RunOptions()))))
    assert to_corpus(message).fields == {"contexts": (("x", "y"),)}


def test_a_corpus_on_disk_has_its_fields(tmp_path):
    (tmp_path / "corpus").mkdir()
    writer = CorpusWriter(tmp_path / "corpus")
    writer.append(Corpus.read(RECORDS))
    corpus = stored_corpus(tmp_path / "corpus", writer.close())
    scorer = nlgauge.Scorer(Passages())
    assert numbers(scorer.score_corpus(corpus, None, RunOptions())) == EXPECTED


def test_keys_of_the_statistics_cache_depend_on_fields():
    corpora = [
        Corpus.read(["p"], fields={"contexts": [contexts]})
        for contexts in ("ab", ["a", "b"], ["ab", ""], ["b", "a"], [])
    ]
    keys = [row_keys(view_of(corpus, Passages()), b"") for corpus in corpora]
    assert len({key.tobytes() for key in keys}) == len(corpora)
    assert row_keys(view_of(corpora[0], Passages()).take(np.array([0])), b"").tobytes() == keys[0].tobytes()


def test_every_field_is_a_place_in_a_prompt(tmp_path):
    judge = weighed({"Yes": 1.0})
    record = {"question": "When?", "contexts": ["a {topic}", "b"], "answer": "Now.", "ground_truth": "Then."}
    places = "{contexts} {context} {question} {query} {answer} {ground_truth} {topic} {lp}"
    metric = YesNo(model=judge, question=places)
    assert (metric.takes, metric.source) == ("alone", False)
    nlgauge.score([{**record, "topic": 7, "meta": {"lp": "en-de"}}], metrics=metric)
    shown = "[1] a {topic}\n\n[2] b"
    assert (
        f"Question: {shown} {shown} When? When? Now. Then. 7 en-de\n" in judge.client.seen[0].messages[0][1]
    )
    (tmp_path / "own.toml").write_text("prompt = '{question} {answer} {topic}'\nscale = [0, 1]", "utf-8")
    own = client(lambda request, number: choice("1", [{"1": 1.0}]))
    assert nlgauge.score(
        ["Now."],
        sources=["When?"],
        fields={"topic": ["time"]},
        metrics=FileJudge(model=own, prompt=str(tmp_path / "own.toml")),
    )
    assert own.client.seen[0].messages[0][1] == "When? Now. time"


def test_a_field_of_the_name_precedes_the_usual_meaning():
    corpus = Corpus.read(["p"], sources=["s"], fields={"question": ["q"]})
    assert text_field(corpus, "question") == ("field", "question")
    assert text_field(corpus, "query") == ("source", "query")


@pytest.mark.parametrize(
    ("fields", "place", "python", "cli"),
    [
        ({"contexts": ["a"]}, "contxts", "no field 'contxts' (did you mean 'contexts'?)", "column 'contxts'"),
        ({}, "reference_", "did you mean 'reference'?", "records (JSONL"),
        ({}, "contexts", "no other fields ... fields={'contexts': [...]}", "column 'contexts'"),
        ({"contexts": [None]}, "contexts", "'contexts' of segment 0 is missing", "an empty list"),
        ({"contexts": [[{"text": "a"}]]}, "contexts", "has {'text': 'a'} instead of a text", "list of"),
        ({"context": ["a"], "passages": ["a"]}, "contexts", "may be 'context' or 'passages'", "these names"),
    ],
)
def test_a_missing_field_is_an_error_in_both_interfaces(fields, place, python, cli):
    metric = YesNo(model=weighed({"Yes": 1.0}), question=f"{{{place}}}?")
    with pytest.raises(InputError) as caught:
        nlgauge.score(["p"], ["r"], metrics=metric, fields=fields)
    assert mentions(str(caught.value), f"yes_no ... {python}")
    assert mentions(caught.value.for_cli(), cli)


def test_a_reward_reads_fields_from_columns():
    reward = nlgauge.reward(
        YesNo(
            model=weighed(lambda words: {"Yes": 1.0} if "b" in words else {"No": 1.0}), question="{contexts}?"
        )
    )
    assert reward(["p", "p"], contexts=[["a"], ["b", "c"]]) == [0, 1]
