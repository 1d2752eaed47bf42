"""Corpus.read: every shape of its table, every error, and nothing of the caller's changed."""

from __future__ import annotations

import contextlib
import copy
import inspect
import math
import re
from collections import UserList
from datetime import date
from decimal import Decimal
from enum import Enum
from random import Random

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import mentions
from strategies import corpora, texts

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.corpus.texts import DerivedTexts, Texts
from nlgauge.errors import InputError, NlgaugeError, ParameterError


def shape(corpus: Corpus) -> dict[str, object]:
    """The corpus as the texts it stands for."""
    return {
        "predictions": {
            system: [[corpus.texts[i] for i in row] for row in column]
            for system, column in corpus.predictions.items()
        },
        "references": (
            None
            if corpus.references is None
            else [[corpus.texts[i] for i in row] for row in corpus.references]
        ),
        "sources": None if corpus.sources is None else [corpus.texts[i] for i in corpus.sources],
    }


@pytest.mark.parametrize(
    ("predictions", "references", "expected_predictions", "expected_references"),
    [
        (["p", "q"], ["r", "s"], {"system": [["p"], ["q"]]}, [["r"], ["s"]]),
        (["p", "q"], [["r", "s"], ["t"]], {"system": [["p"], ["q"]]}, [["r", "s"], ["t"]]),
        (["p", "q"], [[], ["t"]], {"system": [["p"], ["q"]]}, [[], ["t"]]),
        ([["p", "q"], ["o"]], [["r"], ["s", "t"]], {"system": [["p", "q"], ["o"]]}, [["r"], ["s", "t"]]),
        ({"A": ["p"], "B": ["q"]}, ["r"], {"A": [["p"]], "B": [["q"]]}, [["r"]]),
        ({"A": [["p", "o"]], "B": ["q"]}, ["r"], {"A": [["p", "o"]], "B": [["q"]]}, [["r"]]),
        (["p", "q"], None, {"system": [["p"], ["q"]]}, None),
        (["", " "], ["", "\n"], {"system": [[""], [" "]]}, [[""], ["\n"]]),
    ],
)
def test_every_shape_of_the_table(predictions, references, expected_predictions, expected_references):
    corpus = Corpus.read(predictions, references)
    assert shape(corpus) == {
        "predictions": expected_predictions,
        "references": expected_references,
        "sources": None,
    }


@pytest.mark.parametrize(
    "form",
    [
        tuple,
        UserList,
        iter,
        np.array,
        pandas.Series,
        polars.Series,
        lambda items: (item for item in items),
        lambda items: dict.fromkeys(items).keys(),
    ],
    ids=["tuple", "UserList", "iterator", "numpy", "pandas", "polars", "generator", "keys"],
)
def test_any_container_of_texts(form):
    corpus = Corpus.read(
        form(["p", "q"]),
        form(["r", "s"]),
        form(["x", "y"]),
        ids=form([7, 8]),
        weights=form([1, 2]),
        documents=form(["d", "e"]),
    )
    assert (corpus.ids, corpus.weights.tolist(), corpus.documents) == ((7, 8), [1, 2], ("d", "e"))
    assert shape(corpus) == {
        "predictions": {"system": [["p"], ["q"]]},
        "references": [["r"], ["s"]],
        "sources": ["x", "y"],
    }
    assert all(type(text) is str for text in corpus.texts.strings)


def test_nested_numpy_and_generators():
    corpus = Corpus.read(np.array([["p", "q"]]), ((text for text in group) for group in [["r", "s"]]))
    assert shape(corpus)["predictions"] == {"system": [["p", "q"]]}
    assert shape(corpus)["references"] == [["r", "s"]]


def test_ids_stay_what_they_are():
    ids = [10, "s", (1, "b"), 2.5, date(2020, 1, 1), frozenset({1})]
    corpus = Corpus.read(list("abcdef"), ids=ids)
    assert corpus.ids == tuple(ids)
    assert [corpus.number(segment) for segment in ids] == list(range(6))
    assert [corpus.number(str(segment)) for segment in ids] == list(range(6))
    assert Corpus.read(["a"], ids=np.array([3])).ids == (3,)
    assert type(Corpus.read(["a"], ids=np.array([3])).ids[0]) is int


def test_without_ids_they_are_the_numbers():
    corpus = Corpus.read(["a", "b", "c", "d"])
    assert corpus.ids == range(4)
    assert corpus.take(np.array([1, 2])).ids == range(1, 3)
    assert corpus.take(np.array([3, 1])).ids == (3, 1)
    assert corpus.take(np.array([3, 1])).number(1) == 1
    assert corpus.take(np.array([], dtype=np.int64)).ids == ()


def test_an_id_comes_before_a_number():
    corpus = Corpus.read(["a", "b", "c"], ids=[2, 0, "1"])
    assert [corpus.number(segment) for segment in (2, 0, 1, "2", "0", "1")] == [0, 1, 1, 0, 1, 2]
    assert [corpus.number(segment) for segment in (3, -1, "3", "x", (1,), "²")] == [None] * 6
    assert [Corpus.read(["a", "b"], ids=["x", "y"]).number(segment) for segment in (1, "1", "y")] == [1, 1, 1]


def test_each_distinct_text_is_kept_once():
    corpus = Corpus.read(
        {"A": ["same", "x"], "B": ["same", "y"]}, [["same", "same"], ["x"]], ["same", "same"]
    )
    assert corpus.texts.strings == ["same", "x", "y"]
    assert len(corpus.texts) == 3
    texts = Texts()
    assert [texts.intern(text) for text in ("a", "b", "a")] == [0, 1, 0]


RECORDS = [
    {
        "id": "s1",
        "source": "x",
        "prediction": "p",
        "references": ["r", "s"],
        "weight": 2,
        "document": "d",
        "other": 1,
    },
    {
        "id": "s2",
        "source": "y",
        "prediction": "q",
        "references": ["t"],
        "weight": 1,
        "document": "e",
        "other": 2,
    },
]


@pytest.mark.parametrize(
    "form", [list, tuple, pandas.DataFrame, polars.DataFrame], ids=["list", "tuple", "pandas", "polars"]
)
def test_records_and_frames(form):
    corpus = Corpus.read(form(RECORDS))
    assert shape(corpus) == {
        "predictions": {"system": [["p"], ["q"]]},
        "references": [["r", "s"], ["t"]],
        "sources": ["x", "y"],
    }
    assert (corpus.ids, corpus.weights.tolist(), corpus.documents) == (("s1", "s2"), [2, 1], ("d", "e"))


COLUMNS = {
    "id": [1, 2],
    "mt": ["p", "q"],
    "ref": [["r", "s"], ["t"]],
    "meta": [{"lp": "a", "n": None}, {"lp": "b", "n": 2}],
}


class Dataset:
    """What reading needs of datasets.Dataset."""

    column_names = tuple(COLUMNS)

    def to_dict(self):
        return COLUMNS


class Stream:
    """What reading needs of datasets.IterableDataset, which may not know its columns."""

    column_names = None

    def __iter__(self):
        return iter([dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)])


def from_arrow(name):
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    return getattr(arrow, name).from_pydict(COLUMNS)


def from_datasets(make):
    return make(
        pytest.importorskip("datasets", reason="datasets is not installed").Dataset.from_dict(COLUMNS)
    )


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "form",
    [
        Dataset,
        Stream,
        lambda: from_arrow("Table"),
        lambda: from_arrow("RecordBatch"),
        lambda: from_datasets(lambda dataset: dataset),
        lambda: from_datasets(lambda dataset: dataset.with_format("numpy")),
        lambda: from_datasets(lambda dataset: dataset.to_iterable_dataset()),
    ],
    ids=[
        "like a dataset",
        "like a stream",
        "Arrow table",
        "Arrow batch",
        "dataset",
        "formatted dataset",
        "stream",
    ],
)
def test_datasets_and_arrow(form):
    corpus = Corpus.read(form())
    assert shape(corpus) == {
        "predictions": {"system": [["p"], ["q"]]},
        "references": [["r", "s"], ["t"]],
        "sources": None,
    }
    assert (corpus.ids, corpus.fields) == ((1, 2), {"meta.lp": ("a", "b"), "meta.n": (None, 2)})


def test_several_splits_are_refused():
    with pytest.raises(InputError, match=r"predictions.*\['test'\]"):
        Corpus.read({"test": Dataset()})


def test_records_as_comet_has_them():
    corpus = Corpus.read([{"src": "x", "mt": "p", "ref": "r"}, {"src": "y", "mt": "q", "ref": "s"}])
    assert shape(corpus) == {
        "predictions": {"system": [["p"], ["q"]]},
        "references": [["r"], ["s"]],
        "sources": ["x", "y"],
    }


ARTICLE = "Shares rose on Monday. " * 20


def documents(values, **fields):
    return [{"prediction": f"p{i}", "document": value, **fields} for i, value in enumerate(values)]


@pytest.mark.parametrize("form", [list, pandas.DataFrame, polars.DataFrame], ids=["list", "pandas", "polars"])
def test_a_long_document_is_the_source(form):
    corpus = Corpus.read(form(documents([ARTICLE + "a", ARTICLE + "b", "short one"])))
    assert shape(corpus)["sources"] == [ARTICLE + "a", ARTICLE + "b", "short one"]
    assert corpus.documents is None
    beside = Corpus.read([{**record, "doc_id": "d"} for record in documents([ARTICLE])])
    assert (shape(beside)["sources"], beside.documents) == ([ARTICLE], ("d",))


@pytest.mark.parametrize(
    ("records", "labels"),
    [
        (documents(["ferry-1", "ferry-2"]), ("ferry-1", "ferry-2")),
        (documents([1, 2]), ("1", "2")),
        (
            documents(["BBC news", "BBC news", "The Times", "The Times"]),
            ("BBC news", "BBC news", "The Times", "The Times"),
        ),
        (documents(["first talk", "second talk"], source="x"), ("first talk", "second talk")),
        ([{"prediction": "p", "document_id": ARTICLE}], (ARTICLE,)),
        ([{"prediction": "p", "doc": "a b"}], ("a b",)),
    ],
)
def test_a_short_document_is_the_label(records, labels):
    corpus = Corpus.read(records)
    assert corpus.documents == labels
    assert (corpus.sources is None) == ("source" not in records[0])


@pytest.mark.parametrize(
    "records",
    [
        documents(["The cat sat.", "A dog ran."]),
        documents(["猫坐在垫子上", "狗跑了"]),
        documents([ARTICLE, "short", "short"]),
        documents([ARTICLE], source="x"),
        # Two systems repeat what belongs to the segment.
        [
            {**record, "id": i, "system": system}
            for system in "AB"
            for i, record in enumerate(documents(["The cat sat.", "A dog ran."]))
        ],
    ],
    ids=["sentences", "Chinese", "mixed", "beside a source", "systems"],
)
def test_a_document_that_may_be_both_is_asked_about(records):
    with pytest.raises(InputError, match="'document'") as refused:
        Corpus.read(records)
    hints = re.findall(r"mapping=\{'(\w+)': 'document'\}", str(refused.value))
    assert hints == (["document"] if "source" in records[0] else ["source", "document"])
    for hint in hints:
        corpus = Corpus.read(records, mapping={hint: "document"})
        assert (corpus.sources if hint == "source" else corpus.documents) is not None


def test_a_named_document_is_never_a_source():
    records = [{"prediction": "p", "chapter": ARTICLE}, {"prediction": "q", "chapter": ARTICLE + "2"}]
    corpus = Corpus.read(records, mapping={"document": "chapter"})
    assert (corpus.documents, corpus.sources) == ((ARTICLE, ARTICLE + "2"), None)


LONG = [
    {"id": 1, "system": "A", "prediction": "p1", "references": ["r1"]},
    {"id": 2, "system": "B", "prediction": "q2", "references": ["r2"]},
    {"id": 2, "system": "A", "prediction": "p2", "references": ["r2"]},
    {"id": 1, "system": "B", "prediction": "q1", "references": ["r1"]},
]


@pytest.mark.parametrize("form", [list, pandas.DataFrame, polars.DataFrame], ids=["list", "pandas", "polars"])
def test_records_of_several_systems_in_any_order(form):
    corpus = Corpus.read(form(LONG))
    assert shape(corpus)["predictions"] == {"A": [["p1"], ["p2"]], "B": [["q1"], ["q2"]]}
    assert shape(corpus)["references"] == [["r1"], ["r2"]]
    assert corpus.ids == (1, 2)


def without(record: dict[str, object], *names: str) -> dict[str, object]:
    return {name: value for name, value in record.items() if name not in names}


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"text": "p"}], "'text' ... 'prediction'"),
        ([{"prediction": "p", "mt": "q"}], "'prediction' and 'mt'"),
        (
            [{"prediction": "p", "ref": "r"}, {"prediction": "q"}],
            "record 1 ... 'ref' ... record 0",
        ),
        ([without(record, "id") for record in LONG], "records ... 'id'"),
        (
            [{"prediction": "p", "document": "d", "doc": "e"}],
            "'doc' and 'document'",
        ),
        (
            [{"prediction": "p", "document": "d"}, {"prediction": "q"}],
            "record 1 ... 'document' ... record 0",
        ),
        ([*LONG, LONG[0]], "record 4 ... segment 1 ... 'A'"),
        ([*LONG, {**LONG[0], "prediction": "other"}], "record 4 ... segment 1 ... 'A'"),
        (
            LONG[:3],
            ("segment 1 ... 'A' ... 'B' ... common=True ... 1 of 2"),
        ),
        (LONG[1:], "segment 1 ... 'B' ... 'A'"),
        (
            [*LONG[:3], {**LONG[3], "references": ["other"]}],
            "segment 1 ... 'B' ... record 3 ... 'A'",
        ),
        (
            [{"prediction": None}],
            ("record 0: 'prediction' is None ... '' ... skip_missing=True"),
        ),
        ([{"prediction": "p", "ref": ["r", None]}], "record 0: 'ref' ... 'r', None] ... ''"),
        ([{"prediction": "p"}, {"prediction": "q", "ref": "r"}], "record 0 ... 'ref' ... record 1"),
        (
            [{"prediction": "p", "id": 1}, {"prediction": "q", "id": 1}],
            "record 1 ... segment 1 ... record 0",
        ),
        ([{"prediction": "p", "id": None}], "record 0: 'id' is None ... number"),
        ([{**LONG[0], "id": [1]}], "record 0: 'id' is [1] ... number"),
        (
            [{"key": "k", "M0": "p q", "M1": "q r", "n": 1, "ref": "r"}],
            "column ... systems=['M0', 'M1'",
        ),
        (pandas.DataFrame({"prediction": []}), "records are empty"),
    ],
)
def test_records_that_cannot_be_read(records, message):
    with pytest.raises(InputError) as caught:
        Corpus.read(records)
    assert mentions(str(caught.value), message)


FIELDS = [
    {**record, "domain": domain, "meta": {"lp": "en-de", "deep": {"n": n}}, "human": score}
    for record, domain, n, score in zip(
        LONG, ["news", "ted", "ted", "news"], [1, 2, 2, 1], [0.5, 1, math.nan, 3], strict=True
    )
]


@pytest.mark.parametrize("form", [list, pandas.DataFrame, polars.DataFrame], ids=["list", "pandas", "polars"])
def test_other_columns_are_fields(form):
    corpus = Corpus.read(form(FIELDS))
    assert corpus.fields == {"domain": ("news", "ted"), "meta.lp": ("en-de", "en-de"), "meta.deep.n": (1, 2)}
    assert corpus.system_fields == {"human": {"A": (0.5, None), "B": (3, 1)}}
    alone = Corpus.read(form([FIELDS[0], FIELDS[2]]))
    assert (alone.fields["human"], alone.system_fields) == ((0.5, None), {})


def test_fields_are_kept_through_every_change_of_a_corpus():
    corpus = Corpus.read(FIELDS)
    second = corpus.take(np.array([1]))
    assert (second.fields["domain"], second.system_fields) == (("ted",), {"human": {"A": (None,), "B": (1,)}})
    assert corpus.only("B").system_fields == {"human": {"B": (3, 1)}}
    assert corpus.adding({"C": ["x", "y"]}).fields == corpus.fields
    assert corpus.adding({"C": ["x", "y"]}).system_fields == {}
    assert corpus.swapping("A", "B", np.array([True, False])).system_fields == corpus.system_fields
    assert (Corpus.read(["a"]).fields, Corpus.read(["a"]).system_fields) == ({}, {})


def test_records_that_lack_a_field_or_hold_anything_in_it():
    corpus = Corpus.read(
        [
            {"mt": "a", "x": 1, "y": {"z": 1}},
            {"mt": "b", "y": 3},
            {"mt": "c", "x": np.float32(0.5), "y": ["a", {"b": None}]},
        ]
    )
    assert corpus.fields == {"x": (1, None, 0.5), "y": ({"z": 1}, 3, ("a", {"b": None}))}
    assert type(corpus.fields["x"][2]) is float
    assert [numbers.tolist() for numbers in corpus.groups("y").values()] == [[0], [1], [2]]
    assert list(Corpus.read([{"mt": "a", "e": {}}, {"mt": "b", "e": None}]).fields) == ["e"]


def test_fields_beside_texts():
    corpus = Corpus.read(
        ["a", "b"],
        fields={"domain": np.array(["x", "y"]), "n": pandas.Series([1.5, math.nan])},
        documents=["d", "d"],
    )
    assert corpus.fields == {"domain": ("x", "y"), "n": (1.5, None)}
    assert corpus.where(document="d", id=1).ids == range(1, 2)
    with pytest.raises(InputError, match=r"\['domain'\].*1.*2"):
        Corpus.read(["a", "b"], fields={"domain": ["x"]})
    with pytest.raises(InputError, match=r"fields is 3.*\{name: values\}"):
        Corpus.read(["a", "b"], fields=3)


@pytest.mark.parametrize(
    ("conditions", "numbers"),
    [
        ({"domain": "news"}, [0, 3]),
        ({"domain": ["news", "ted"]}, [0, 1, 3]),
        ({"domain": {"ted"}}, [1]),
        ({"domain": "news", "n": 1}, [0]),
        ({"n": "1"}, [0, 1]),
        ({"n": "2.0"}, [3]),
        ({"n": 2}, [3]),
        ({"m.text": 3}, [0, 2]),
        ({"text": "3"}, [0]),
        ({"flag": "true"}, [0]),
        ({"flag": False}, [1, 2, 3]),
        ({"domain": None}, [2]),
        ({"domain": "null"}, [2]),
        ({"both": ("a", 1)}, [1]),
        ({"both": "('a', 1)"}, [1]),
    ],
)
def test_where(conditions, numbers):
    fields = {
        "domain": ["news", "ted", None, "news"],
        "n": [1, 1, None, 2],
        "m.text": ["3", "x", "3.0", ""],
        "flag": [True, False, False, False],
        "both": ["a", ("a", 1), "b", "c"],
    }
    corpus = Corpus.read(list("abcd"), fields=fields)
    assert corpus.matching(**conditions).tolist() == numbers
    assert [row[0] for row in shape(corpus.where(**conditions))["predictions"]["system"]] == [
        "abcd"[i] for i in numbers
    ]


def test_a_corpus_prints_in_one_line():
    assert (
        repr(Corpus.read(FIELDS, lang="en"))
        == "Corpus(2 segments, systems=('A', 'B'), fields=('domain', 'meta.lp', 'meta.deep.n', 'human'),"
        " lang='en')"
    )
    assert repr(Corpus.read(["a"])) == "Corpus(1 segment, systems=('system',))"


def test_groups_are_in_order_of_appearance():
    groups = Corpus.read(list("abcd"), fields={"domain": ["ted", "news", "ted", None]}).groups("domain")
    assert {value: numbers.tolist() for value, numbers in groups.items()} == {
        "ted": [0, 2],
        "news": [1],
        None: [3],
    }
    assert list(groups) == ["ted", "news", None]


@pytest.mark.parametrize(
    ("name", "condition", "message"),
    [
        ("domain", "sport", "'sport' ... 'news', 'ted'"),
        (
            "domian",
            "news",
            ("'domian' ... 'domain' ... meta.lp, meta.deep.n"),
        ),
        ("human", 3, "field ... 'human'"),
        ("document", "d", "no field 'document'"),
    ],
)
def test_what_cannot_be_chosen_by(name, condition, message):
    with pytest.raises(InputError) as caught:
        Corpus.read(FIELDS).where(**{name: condition})
    assert mentions(str(caught.value), message)
    with pytest.raises(InputError, match=r"'n'.*'a\.n' or 'b\.n'"):
        Corpus.read(["p"], fields={"a.n": [1], "b.n": [2]}).groups("n")


WIDE = {"sid": ["x", "y"], "A": ["a1", "a2"], "B": ["b1", "b2"], "ref": ["r1", "r2"], "topic": ["t", "u"]}


@pytest.mark.parametrize(
    "form", [pandas.DataFrame, polars.DataFrame, lambda columns: pandas.DataFrame(columns).to_dict("records")]
)
def test_a_column_per_system(form):
    corpus = Corpus.read(form(WIDE), systems=["B", "A"])
    assert shape(corpus)["predictions"] == {"B": [["b1"], ["b2"]], "A": [["a1"], ["a2"]]}
    assert shape(corpus)["references"] == [["r1"], ["r2"]]
    assert corpus.fields == {"sid": ("x", "y"), "topic": ("t", "u")}
    assert Corpus.read(form({**WIDE, "mt": WIDE["A"]}), systems=["A", "mt"]).systems == ("A", "mt")
    with pytest.raises(InputError, match=r"'C'.*sid, A, B, ref, topic"):
        Corpus.read(form(WIDE), systems=["A", "C"])


def test_some_of_several_systems():
    assert Corpus.read(LONG, systems="B").systems == ("B",)
    assert Corpus.read(LONG[:3], systems=["A"]).ids == (1, 2)
    assert Corpus.read({"A": ["a"], "B": ["b"], "C": ["c"]}, systems=["C", "A"]).systems == ("C", "A")
    for systems in (LONG, {"A": ["a"], "B": ["b"]}):
        with pytest.raises(InputError, match=r"'C'.*A, B"):
            Corpus.read(systems, systems=["A", "C"])
    with pytest.raises(InputError, match=r"predictions.*list"):
        Corpus.read(["a"], systems=["A"])
    with pytest.raises(InputError, match=r"'A'.*twice"):
        Corpus.read(LONG, systems=["A", "A"])


def test_segments_with_missing_texts_are_left_out_and_counted():
    given_texts = {"A": ["a", None, "c", "d", ""], "B": ["a", "b", "c", "d", "e"]}
    references = [["r"], ["r"], ["r", math.nan], [], ["s"]]
    with pytest.warns(UserWarning, match="2 of 5.*segments"):
        corpus = Corpus.read(
            given_texts,
            references,
            list("vwxyz"),
            ids=iter("12345"),
            fields={"n": range(5)},
            weights=np.arange(1, 6),
            skip_missing=True,
        )
    assert shape(corpus) == {
        "predictions": {"A": [["a"], ["d"], [""]], "B": [["a"], ["d"], ["e"]]},
        "references": [["r"], [], ["s"]],
        "sources": ["v", "y", "z"],
    }
    assert (corpus.ids, corpus.fields, corpus.weights.tolist()) == (
        ("1", "4", "5"),
        {"n": (0, 3, 4)},
        [1, 4, 5],
    )
    with pytest.raises(InputError, match=r"text.*1"):
        Corpus.read([None], skip_missing=True)


def test_records_with_missing_texts_are_left_out_for_all_systems():
    for value in (None, math.nan, pandas.NA, [None]):
        for name in ("prediction", "references"):
            records = [*LONG[:3], {**LONG[3], name: value}]
            with pytest.warns(UserWarning, match="1 of 2.*segments"):
                corpus = Corpus.read(records, skip_missing=True)
            assert shape(corpus)["predictions"] == {"A": [["p2"]], "B": [["q2"]]}
            assert corpus.ids == (2,)
    with pytest.raises(InputError, match=r"text.*2"):
        Corpus.read([{**record, "prediction": None} for record in LONG], skip_missing=True)
    with pytest.warns(UserWarning, match="1 of 2.*segments"):
        assert Corpus.read([{"mt": "a"}, {"mt": "b", "ref": "r"}], skip_missing=True).ids == (1,)


def test_nothing_is_said_where_nothing_is_left_out():
    assert len(Corpus.read(LONG, skip_missing=True, common=True)) == 2


def test_the_common_segments_of_systems():
    more = [
        *LONG,
        {"id": 3, "system": "B", "prediction": "q3", "references": ["r3"]},
        {**LONG[0], "id": 4, "references": ["r4"]},
    ]
    with pytest.warns(UserWarning, match=r"2 of 4 segments.* 2 systems"):
        corpus = Corpus.read(more, common=True)
    assert shape(corpus)["predictions"] == {"A": [["p1"], ["p2"]], "B": [["q1"], ["q2"]]}
    with pytest.raises(InputError, match=r"2.*pooled=True"):
        Corpus.read(LONG[:2], common=True)


def test_pooled_records_are_segments_of_their_own():
    corpus = Corpus.read(LONG, pooled=True)
    assert corpus.ids == ("1/A", "2/B", "2/A", "1/B")
    assert shape(corpus)["predictions"] == {"system": [["p1"], ["q2"], ["p2"], ["q1"]]}
    assert corpus.fields == {"system": ("A", "B", "A", "B")}
    assert Corpus.read(LONG[:2], pooled=True).ids == (1, 2)
    assert Corpus.read(LONG, pooled=True, systems=["B"]).fields == {"system": ("B", "B")}
    assert Corpus.read([without(record, "id") for record in LONG], pooled=True).ids == range(4)


def test_choices_of_segments_pass_through_score():
    with pytest.warns(UserWarning, match="1 of 2.*segments"):
        assert nlgauge.score(LONG[:3], metrics="wer", common=True).systems == ("A", "B")
    with pytest.warns(UserWarning, match="1 of 2.*segments"):
        assert nlgauge.score(["a", None], ["a", "b"], metrics="wer", skip_missing=True)["wer"]["score"] == 0
    assert nlgauge.score(LONG, metrics="wer", pooled=True, systems=["A"]).corpus.fields == {
        "system": ("A", "A")
    }
    assert nlgauge.score(["a"], ["a"], metrics="wer", fields={"n": [1]}).corpus.fields == {"n": (1,)}
    with pytest.raises(ParameterError, match=r"common.*True or False.*'yes'"):
        nlgauge.score(LONG, metrics="wer", common="yes")


@pytest.mark.parametrize("name", ["references", "sources", "ids", "weights", "documents", "fields"])
def test_records_carry_their_own_fields(name):
    with pytest.raises(InputError, match=f"{name}.*records"):
        Corpus.read([{"prediction": "p"}], **{name: ["x"]})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"predictions": "text"},
            "predictions ... list",
        ),
        ({"predictions": b"text"}, "predictions is one bytes"),
        ({"predictions": None}, "predictions is None ... list"),
        ({"predictions": 3}, "predictions ... list"),
        ({"predictions": {"p"}}, "predictions ... list"),
        ({"predictions": list}, "predictions ... list"),
        ({"predictions": polars.DataFrame}, "predictions ... DataFrame"),
        ({"predictions": np.array("p")}, "predictions ... list"),
        ({"predictions": [np.array("p")]}, "predictions[0] is a ndarray"),
        (
            {"predictions": ["p"], "references": pandas.DataFrame({"r": ["r"]})},
            "references ... DataFrame",
        ),
        ({"predictions": ["p"], "ids": np.array(3)}, "ids ... list"),
        ({"predictions": ["p"], "ids": [None]}, "ids[0] is None ... number"),
        ({"predictions": ["p"], "ids": [math.nan]}, "ids[0] ... number"),
        ({"predictions": ["p"], "ids": [["d"]]}, "ids[0] is ['d'] ... number"),
        ({"predictions": ["p"], "ids": [(1, ["d"])]}, "ids[0] is (1, ['d'] ... number"),
        ({"predictions": ["p", "q"], "ids": [1, 1.0]}, "ids ... 1.0"),
        ({"predictions": ["p"], "documents": [pandas.NA]}, "documents[0] is <NA> ... number"),
        ({"predictions": ["p"], "documents": [["d"]]}, "documents[0] is ['d'] ... number"),
        ({"predictions": ["p"], "weights": np.array(1.0)}, "weights ... list"),
        ({"predictions": ["p"], "weights": [10**400]}, "weights[0] ... number"),
        ({"predictions": ["p", "q"], "weights": [1, -2]}, "weights[1] is -2"),
        (
            {"predictions": ["p", "q"], "references": [["r"], None]},
            "references[1] is None ... skip_missing=True",
        ),
        (
            {"predictions": ["p", "q"], "references": [None, ["r"]]},
            "references[0] is None ... skip_missing=True",
        ),
        ({"predictions": ["p", "q"], "references": [["r"], 3]}, "references[1] is an int (3)"),
        (
            {"predictions": ["p"], "weights": [polars.DataFrame({"w": [1]})]},
            "weights[0] ... number",
        ),
        ({"predictions": []}, "predictions ... segment"),
        ({"predictions": {}}, "predictions ... system"),
        ({"predictions": {"": ["p"]}}, "system ... ''"),
        ({"predictions": {3: ["p"]}}, "system ... 3"),
        (
            {"predictions": {"A": ["p"], "B": ["p", "q"]}},
            "predictions['B'] ... 2 ... 'A' ... 1",
        ),
        ({"predictions": ["p", None]}, "predictions[1] is None ... ''"),
        ({"predictions": ["p", math.nan]}, "predictions[1] ... ''"),
        ({"predictions": ["p", b"q"]}, "predictions[1] ... bytes"),
        ({"predictions": ["p", 3]}, "predictions[1] ... (3)"),
        ({"predictions": [["p", 3]]}, "predictions[0][1] ... (3)"),
        (
            {"predictions": [["p"], "q"]},
            "predictions[0] ... predictions[1]",
        ),
        (
            {"predictions": ["p", ["q"]]},
            "predictions[0] ... predictions[1]",
        ),
        (
            {"predictions": [["p"], []]},
            "predictions[1] ... ''",
        ),
        ({"predictions": {"A": ["p", None]}}, "predictions['A'][1] is None"),
        ({"predictions": ["p"], "references": "r"}, "references is one str"),
        (
            {"predictions": ["p"], "references": ["r", "s"]},
            "references ... 2 ... 1",
        ),
        (
            {"predictions": ["p", "q", "o"], "references": [["r", "s", "t"], ["u", "v", "w"]]},
            "transposed (2 lists of 3) ... list(zip(*references))",
        ),
        ({"predictions": ["p", "q"], "references": [["r", "s"]]}, "transposed (1 lists of 2)"),
        ({"predictions": ["p"], "references": [["r", None]]}, "references[0][1] is None"),
        (
            {"predictions": ["p"], "sources": ["x", "y"]},
            "sources ... 2 ... 1",
        ),
        ({"predictions": ["p"], "sources": [["x"]]}, "sources[0] is a list"),
        (
            {"predictions": ["p"], "ids": [1, 2]},
            "ids ... 2 ... 1",
        ),
        ({"predictions": ["p", "q"], "ids": [1, "1"]}, "ids ... '1'"),
        (
            {"predictions": ["p"], "documents": []},
            "documents ... 0 ... 1",
        ),
        (
            {"predictions": ["p"], "weights": [1, 2]},
            "weights ... 2 ... 1",
        ),
        ({"predictions": ["p"], "weights": ["much"]}, "weights[0] ... 'much' ... number"),
        ({"predictions": ["p"], "weights": [-1]}, "weights ... 0"),
        (
            {"predictions": ["p"], "weights": [math.nan]},
            "weights ... 0",
        ),
        (
            {"predictions": ["p", "q"], "weights": [0, 0]},
            "weights ... 0",
        ),
    ],
    ids=lambda value: None if isinstance(value, dict) else value[:50],
)
def test_every_error_says_where_and_what(arguments, message):
    with pytest.raises(InputError) as caught:
        Corpus.read(**arguments)
    assert mentions(str(caught.value), message)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, NlgaugeError)


@pytest.mark.parametrize("missing", [None, math.nan, pandas.NA, pandas.NaT, np.float64("nan")], ids=str)
def test_every_spelling_of_missing_is_an_input_error(missing):
    with pytest.raises(InputError, match=r"predictions\[1\]"):
        Corpus.read(["p", missing])


def test_a_missing_reference_in_a_frame_is_an_input_error():
    with pytest.raises(InputError, match=r"record 1: 'reference'.*''"):
        Corpus.read(pandas.DataFrame({"prediction": ["p", "q"], "reference": ["r", None]}))
    with pytest.raises(InputError, match=r"record 1: 'reference' is None.*''"):
        Corpus.read(polars.DataFrame({"prediction": ["p", "q"], "reference": ["r", None]}))


@pytest.mark.parametrize("place", ["predictions", "references", "sources"])
def test_lone_surrogates_are_named(place):
    given_texts = {"predictions": ["p"], "references": ["r"], "sources": ["x"], place: ["ab\ud800c"]}
    with pytest.raises(InputError, match=rf"{place}\[0\].*\(U\+D800\).*2"):
        Corpus.read(**given_texts)


@pytest.mark.parametrize("place", ["ids", "documents"])
def test_lone_surrogates_in_names_are_refused_too(place):
    with pytest.raises(InputError, match=rf"{place}\[0\].*\(U\+D800\).*1"):
        Corpus.read(["p"], **{place: ["a\ud800"]})
    with pytest.raises(InputError, match=r"system.*'a\\ud800'"):
        Corpus.read({"a\ud800": ["p"]})
    with pytest.raises(InputError, match=r"system.*'a\\ud800'"):
        Corpus.read(["p"]).adding({"a\ud800": ["p"]})


def test_paired_surrogates_are_not_texts_either_but_real_emoji_are():
    assert Corpus.read(["👩‍👩‍👧"]).texts.strings == ["👩‍👩‍👧"]
    with pytest.raises(InputError, match="lone surrogate"):
        Corpus.read(["\ud83d\ude00"])


def test_square_references_cannot_be_told_from_transposed_ones_and_are_taken_as_given():
    assert shape(Corpus.read(["p", "q"], [["r", "s"], ["t", "u"]]))["references"] == [["r", "s"], ["t", "u"]]


@given(corpora())
def test_the_callers_objects_are_untouched(corpus):
    predictions, references = corpus
    systems = {"A": predictions, "B": list(reversed(predictions))}
    before = copy.deepcopy((systems, references))
    Corpus.read(systems, references)
    assert (systems, references) == before


def test_records_are_untouched():
    before = copy.deepcopy(LONG)
    Corpus.read(LONG)
    assert before == LONG
    frame = pandas.DataFrame(LONG)
    Corpus.read(frame)
    assert frame.equals(pandas.DataFrame(before))


@given(corpora(), st.integers(1, 60))
def test_chunks_are_runs_of_all_segments(corpus, characters):
    read = Corpus.read(*corpus)
    chunks = read.chunks(characters)
    assert np.concatenate(chunks).tolist() == list(range(len(read)))
    assert all(len(chunk) for chunk in chunks)


@given(corpora(), st.booleans(), st.integers(1, 40))
def test_a_chunk_ends_where_the_characters_of_all_columns_pass_a_multiple(corpus, with_sources, characters):
    predictions, references = corpus
    sources = predictions[::-1] if with_sources else None
    sizes = [
        len(p) + sum(map(len, r)) + (len(s) if sources else 0)
        for p, r, s in zip(predictions, references, sources or predictions, strict=True)
    ]
    number = [max(sum(sizes[: i + 1]) - 1, 0) // characters for i in range(len(sizes))]
    expected = [[i for i, one in enumerate(number) if one == other] for other in dict.fromkeys(number)]
    assert [
        chunk.tolist() for chunk in Corpus.read(predictions, references, sources).chunks(characters)
    ] == expected


@given(st.lists(st.lists(texts(), max_size=6), max_size=4))
def test_texts_interned_together_have_the_ids_of_texts_interned_one_by_one(blocks):
    together, one_by_one = Texts(), Texts()
    for block in blocks:
        assert together.intern_all(block).tolist() == [one_by_one.intern(text) for text in block]
    assert together.strings == one_by_one.strings


@given(
    st.lists(texts(), max_size=4),
    st.lists(texts(), max_size=4),
    st.lists(st.lists(texts(), max_size=6), max_size=3),
)
def test_derived_texts_interned_together_have_the_ids_of_texts_interned_one_by_one(before, after, blocks):
    found = []
    for together in (True, False):
        given_texts = Texts()
        given_texts.intern_all(before)
        derived = DerivedTexts(given_texts)
        given_texts.intern_all(after)
        for block in blocks:
            ids = (
                derived.intern_all(block)
                if together
                else np.array([derived.intern(text) for text in block], dtype=np.int64)
            )
            assert derived.strings_of(ids) == [derived[i] for i in ids] == block
            found.append(ids.tolist())
    assert found[: len(blocks)] == found[len(blocks) :]


class Spelt(str):
    """A text of a kind of its own."""


@given(corpora(), st.data())
def test_texts_of_any_kind_are_read_as_plain_ones(corpus, data):
    predictions, references = corpus
    other = [Spelt(text) if data.draw(st.booleans()) else text for text in predictions]
    read = Corpus.read(other, [UserList(row) for row in references])
    assert shape(read) == shape(Corpus.read(predictions, references))
    assert {type(text) for text in read.texts.strings} == {str}


def test_chunks_are_about_as_large_as_asked():
    read = Corpus.read(["x" * 10] * 100, ["y" * 10] * 100, ["z" * 10] * 100)
    assert {len(chunk) for chunk in read.chunks(300)} == {10}
    assert len(read.chunks(10**9)) == 1


@given(st.lists(st.tuples(texts(), texts(), st.booleans()), min_size=1, max_size=5))
def test_swapping_changes_places_where_told(rows):
    read = Corpus.read({"A": [row[0] for row in rows], "B": [row[1] for row in rows]})
    swapped = shape(read.swapping("A", "B", np.array([row[2] for row in rows])))["predictions"]
    assert swapped["A"] == [[row[1] if row[2] else row[0]] for row in rows]
    assert swapped["B"] == [[row[0] if row[2] else row[1]] for row in rows]


def test_take_and_only_and_adding():
    read = Corpus.read(
        {"A": ["p", "q"], "B": ["o", "n"]},
        [["r", "s"], ["t"]],
        ["x", "y"],
        ids=["i", "j"],
        weights=[1, 2],
        documents=["d", "e"],
    )
    second = read.take(np.array([1])).only("B")
    assert shape(second) == {"predictions": {"B": [["n"]]}, "references": [["t"]], "sources": ["y"]}
    assert (second.ids, second.weights.tolist(), second.documents) == (("j",), [2], ("e",))
    assert shape(read.adding({"C": ["c", "q"]}))["predictions"] == {"C": [["c"], ["q"]]}
    with pytest.raises(InputError, match=r"system.*'A'"):
        read.adding({"A": ["p", "q"]})
    with pytest.raises(InputError, match=r"predictions\['C'\].*1.*2"):
        read.adding({"C": ["p"]})


class Color(Enum):
    RED = "red"


FRAME = {"prediction": ["a", "b"], "reference": ["a", "c"]}
ODD = [
    *(
        None,
        True,
        0,
        -1,
        10**400,
        1.5,
        math.nan,
        1j,
        "",
        "text",
        "wer",
        "en",
        "a\ud800",
        "\x00",
        b"x",
        Ellipsis,
        Decimal(1),
        date(2020, 1, 1),
    ),
    *(
        object(),
        int,
        list,
        Color,
        Color.RED,
        len,
        range(2),
        slice(1),
        memoryview(b"ab"),
        Exception("x"),
        set(),
        {"a", "b"},
        {},
    ),
    *(
        np.array("x"),
        np.array(3),
        np.array([1.0]),
        np.array([]),
        np.array([["a"], ["b"]]),
        np.float64(1),
        np.str_("a"),
    ),
    *(pandas.DataFrame(FRAME), pandas.DataFrame, pandas.Series(["a", "b"]), pandas.NA, pandas.NaT),
    *(polars.DataFrame(FRAME), polars.DataFrame, polars.Series(["a", "b"]), polars.LazyFrame(FRAME)),
    *(
        {"path": "bleu"},
        {"path": 3},
        {"path": "wer", "compute_kwargs": 3},
        {"path": "wer", "resulting_name": [1]},
        {"path": "bleu", 3: 4},
    ),
]
KEYS = [
    "A",
    "prediction",
    "reference",
    "source",
    "document",
    "id",
    "system",
    "path",
    "compute_kwargs",
    "resulting_name",
    3,
    None,
    "\ud800",
    "",
]


def odd(random: Random, depth: int = 0) -> object:
    """Something that somebody might pass by mistake."""
    shape = random.choice(["leaf", "leaf", "list", "tuple", "dict"]) if depth < 3 else "leaf"
    if shape == "leaf":
        return random.choice(ODD)
    items = [odd(random, depth + 1) for _ in range(random.randrange(4))]
    return (
        dict(zip(random.sample(KEYS, len(items)), items, strict=True))
        if shape == "dict"
        else tuple(items)
        if shape == "tuple"
        else items
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "argument", [name for name in inspect.signature(nlgauge.score).parameters if name != "show_progress"]
)
def test_odd_objects_give_a_result_or_an_error_of_ours(argument, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # an odd output may be the name of a directory
    random = Random(argument)
    for _ in range(300):
        given = {"predictions": ["a", "b"], "references": ["a", "c"], "metrics": "wer", argument: odd(random)}
        with contextlib.suppress(NlgaugeError):
            nlgauge.score(**given)


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        (int, "metrics is <class 'int'>.*Metric.*'path'"),
        (np.array("wer"), "metrics is array"),
        (3, "metrics is 3"),
        ({"path": 3}, "Metric.*3"),
        ({"path": "wer", "resulting_name": 3}, "resulting_name.*3"),
        (
            {"path": "wer", "compute_kwargs": [3]},
            r"compute_kwargs.*\[3\]",
        ),
        ({"path": "wer", 3: 4}, r"parameters.*\[3\]"),
    ],
)
def test_odd_metrics_are_named(metrics, message):
    with pytest.raises(ParameterError, match=message):
        nlgauge.score(["p"], ["r"], metrics=metrics)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ([1, "2"], [1, 2, True]),
        (["1", "b", None], [1, "b", None]),
        ({2.0, "b"}, [2, "b"]),
        ([True, "None"], [1, None, True]),
        ([(3, 4)], [(3, 4)]),
        (["(3, 4)"], [(3, 4)]),
    ],
)
def test_a_list_of_conditions_asks_for_any_of_its_items(condition, expected):
    values = [1, 2, "b", "1x", None, True, (3, 4)]
    corpus = Corpus.read(["a"] * len(values), fields={"field": values})
    assert [values[i] for i in corpus.matching(field=condition)] == expected


def test_ids_are_asked_for_as_segment_too_as_files_of_segments_call_them():
    corpus = Corpus.read(["a", "b", "c"], ids=["x", "y", "z"])
    assert list(corpus.where(segment="y").ids) == list(corpus.where(id="y").ids) == ["y"]
    own = Corpus.read(["a", "b"], fields={"segment": [7, 8]})
    assert corpus.values("segment") == corpus.ids
    assert list(own.where(segment=8).ids) == [1]
