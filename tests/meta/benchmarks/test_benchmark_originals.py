"""Original files of benchmarks: tiny made-up files of the shape that their authors release."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from nlgauge.errors import InputError
from nlgauge.meta.benchmarks import imported, load, originals


def write(place: Path, text: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    return place


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_summeval(tmp_path):
    expert = [{"coherence": 1, "fluency": 5}, {"coherence": 2, "fluency": 4}, {"coherence": 3, "fluency": 3}]
    record = {
        "id": "dm-1",
        "decoded": "a cat .",
        "expert_annotations": expert,
        "turker_annotations": [{"coherence": 5, "fluency": 1}],
    }
    path = write(
        tmp_path / "m.jsonl",
        lines({**record, "references": ["The cat.", "One cat."], "model_id": "M8", "filepath": "x"}),
    )
    found = originals.read(path)
    (row,) = found.rows
    assert found.name == "summeval"
    assert (row.segment, row.system, row.prediction, row.references, row.source) == (
        "dm-1",
        "M8",
        "a cat .",
        ("The cat.", "One cat."),
        None,
    )
    assert row.human == {"coherence": 2.0, "fluency": 4.0, "turker_coherence": 5.0, "turker_fluency": 1.0}
    assert row.ratings["coherence"] == (1.0, 2.0, 3.0)


def test_summeval_with_one_reference(tmp_path):
    record = {
        "id": "dm-1",
        "decoded": "a",
        "expert_annotations": [{"coherence": 1}],
        "turker_annotations": [],
        "model_id": "M8",
        "reference": "b",
    }
    (row,) = originals.read(write(tmp_path / "m.jsonl", lines(record))).rows
    assert row.references == ("b",)


def test_a_pickle_is_never_opened(tmp_path):
    class Harmful:
        def __reduce__(self):
            return Path.touch, (tmp_path / "harm",)

    path = tmp_path / "abs.pkl"
    path.write_bytes(pickle.dumps(Harmful()))
    with pytest.raises(InputError, match="pickle"):
        originals.read(path)
    assert not (tmp_path / "harm").exists()


def test_sacrerouge_folder(tmp_path):
    key = {"instance_id": "52", "summarizer_id": "bart_out", "summarizer_type": "peer"}
    metrics = {"rouge-1": {"precision": 0.5, "recall": 0.25}, "js-2": -0.5, "litepyramid": {"recall": 0.3}}
    write(tmp_path / "b" / "pyramid.jsonl", lines({**key, "metrics": metrics}))
    write(tmp_path / "b" / "meteor.jsonl", lines({**key, "metrics": {"METEOR": 0.2}}))
    write(
        tmp_path / "b" / "summaries.jsonl",
        lines({**key, "summary": {"text": ["one .", "two ."]}, "references": [{"text": "three ."}]}),
    )
    found = originals.read(tmp_path / "b")
    (row,) = found.rows
    assert found.name == "realsumm"
    assert row.human == {"litepyramid_recall": 0.3}
    assert row.metrics == {"METEOR": 0.2, "rouge-1.precision": 0.5, "rouge-1.recall": 0.25, "js-2": -0.5}
    assert (row.prediction, row.references) == ("one .\ntwo .", ("three .",))


def test_sacrerouge_with_ratings_and_tac(tmp_path):
    record = {
        "instance_id": "a",
        "summarizer_id": "M1",
        "metrics": {"expert": {"relevance": [1, 3]}, "turker": {"relevance": [5]}},
    }
    found = originals.read(write(tmp_path / "relevance.jsonl", lines(record)))
    assert (found.name, found.rows[0].human) == ("summeval", {"relevance": 2.0, "turker_relevance": 5.0})
    tac = {
        "instance_id": "d1-A",
        "summarizer_id": "7",
        "metrics": {"overall_responsiveness": 3, "modified_pyramid_score": 0.4, "METEOR": 0.1},
    }
    found = originals.read(write(tmp_path / "responsiveness.jsonl", lines(tac)))
    assert (found.name, found.rows[0].human) == ("tac2008", {"responsiveness": 3.0, "pyramid_modified": 0.4})
    assert found.rows[0].prediction is None


def test_rose(tmp_path):
    record = {
        "example_id": "e1",
        "source": "S",
        "reference": "R",
        "system_outputs": {"bart": "B", "gold": "G"},
    }
    annotations = {
        "bart": {"acu": 0.5, "prior": 4.0, "acu_labels": [1, 0]},
        "gold": {"acu": 1.0, "prior": 2.0},
    }
    for text, name in (
        (lines({**record, "annotations": annotations}), "r.jsonl"),
        (json.dumps([{**record, "annotations": annotations}]), "r.json"),
    ):
        found = originals.read(write(tmp_path / name, text))
        assert found.name == "rose_cnndm"
        assert [(row.system, row.prediction, row.human, row.references) for row in found.rows] == [
            ("bart", "B", {"acu": 0.5, "prior": 4.0}, ("R",)),
            ("gold", "G", {"acu": 1.0, "prior": 2.0}, ("R",)),
        ]
    with pytest.raises(InputError, match=r"annotations.*'gold'"):
        originals.read(write(tmp_path / "bad.jsonl", lines({**record, "annotations": {"bart": {}}})))


def test_usr(tmp_path):
    def response(model, text, natural):
        judged = {
            "Understandable": [1, 1, 0],
            "Natural": natural,
            "Maintains Context": [1, 2, 3],
            "Engaging": [3, 3, 3],
        }
        return {
            "model": model,
            "response": f"{text}\n",
            **judged,
            "Uses Knowledge": [0, 0, 0],
            "Overall": [5, 4, 3],
        }

    record = {"context": "hi \n there\n", "fact": "f", "annotators": ["a", "b", "c"]}
    responses = [
        response("Original Ground Truth", "human", [3, 3, 3]),
        response("Argmax Decoding", "machine", [1, 2, 3]),
    ]
    found = originals.read(
        write(tmp_path / "tc_usr_data.json", json.dumps([{**record, "responses": responses}]))
    )
    first, second = found.rows
    assert found.name == "usr_topicalchat"
    assert (first.by_human, second.by_human, second.references, second.prediction) == (
        True,
        False,
        ("human",),
        "machine",
    )
    assert second.human["naturalness"] == 2.0
    assert second.ratings["overall"] == (5.0, 4.0, 3.0)
    assert list(second.human) == [
        "understandability",
        "naturalness",
        "coherence",
        "engagingness",
        "groundedness",
        "overall",
    ]


def test_unieval_topical_chat(tmp_path):
    records = [
        {
            "source": "c\n",
            "system_id": system,
            "system_output": text,
            "context": "f",
            "scores": {"overall": score},
        }
        for system, text, score in (
            ("Original Ground Truth", "human ", 5.0),
            ("Argmax Decoding", "machine", 2.0),
        )
    ]
    found = originals.read(write(tmp_path / "topical_chat.json", json.dumps(records)))
    assert [(row.segment, row.system, row.references, row.human) for row in found.rows] == [
        ("0", "Original Ground Truth", ("human",), {"overall": 5.0}),
        ("0", "Argmax Decoding", ("human",), {"overall": 2.0}),
    ]


HANNA = (
    "Story ID,Prompt,Human,Story,Model,Relevance,Coherence,Empathy,Surprise,Engagement,Complexity,Worker ID\n"
)


def test_hanna(tmp_path):
    table = (
        HANNA
        + '0,"Say, ""hi""",human tale,human tale,Human,5,5,5,5,5,5,w1\n'
        + "".join(
            f'96,"Say, ""hi""",human tale,"a ""tale""\nof two",GPT-2,{score},1,1,1,1,1,w{score}\n'
            for score in (1, 2, 3)
        )
    )
    found = originals.read(write(tmp_path / "hanna_stories_annotations.csv", table))
    human, machine = found.rows
    assert (found.name, human.by_human, machine.by_human) == ("hanna", True, False)
    assert (machine.segment, machine.source, machine.prediction, machine.references) == (
        "0",
        'Say, "hi"',
        'a "tale"\nof two',
        ("human tale",),
    )
    assert (machine.human["relevance"], machine.ratings["relevance"]) == (2.0, (1.0, 2.0, 3.0))
    with pytest.raises(InputError, match="record 1: 'x' is not a number"):
        originals.read(write(tmp_path / "bad.csv", HANNA + "0,p,h,s,Human,x,5,5,5,5,5,w1\n"))


def test_primer(tmp_path):
    record = {
        "text": "long",
        "summary": "short",
        "map_quality_scores": {"Fluent": {"annotators_ids": [1, 2], "scores": [2, 4]}},
    }
    found = originals.read(write(tmp_path / "DailyNews_300_aspects.json", json.dumps([record])))
    (row,) = found.rows
    assert (found.name, row.human, row.ratings, row.source, row.references) == (
        "primer_dailynews300",
        {"fluent": 3.0},
        {"fluent": (2.0, 4.0)},
        "long",
        (),
    )


NOVIKOVA = (
    '"dataset","system","mr_type","mr","sys_ref","TER","Bleu_1","informativeness","naturalness","quality"\n'
)


def test_novikova_holds_several_benchmarks(tmp_path, monkeypatch):
    rows = [
        '"BAGEL","LOLS","inform","inform(x)","a, b",0.8,4.28E-009,6,4,5',
        '"SFHOT","WEN","inform","inform(y)","c",NA,0.5,1,2,3',
    ]
    path = write(tmp_path / "emnlp_data_medians.csv", NOVIKOVA + "\n".join([*rows, rows[0]]) + "\n")
    found = originals.read(path)
    assert found.name is None
    assert [row.segment for row in found.rows] == ["bagel:inform(x)", "sfhot:inform(y)", "bagel:inform(x).2"]
    assert found.rows[0].metrics == {"TER": 0.8, "Bleu_1": 4.28e-9}
    assert found.rows[1].metrics == {"Bleu_1": 0.5}
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path / "own"))
    benchmark, place = imported(path, name="sfhot")
    assert (len(benchmark.rows), place.name) == (1, "sfhot.jsonl.gz")
    assert load("sfhot").rows == benchmark.rows


MQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"


def test_mqm_ratings(tmp_path):
    errors = [
        ("Sys", "1", "r1", '<v>Das</v> ist "so', "Fluency/Punctuation", "Minor"),
        ("Sys", "1", "r1", 'Das <v>ist</v> "so', "Style/Awkward", "Major"),
        ("Sys", "1", "r2", 'Das ist "so', "No-error", "No-error"),
        ("Sys", "1", "r2", 'Das ist "so', "x", "HOTW-test"),
        ("refA", "1", "r1", "Das.", "Non-translation!", "Major"),
    ]
    body = "".join(
        f"{system}\td\t1\t{segment}\t{rater}\tThat\t{target}\t{kind}\t{grade}\n"
        for system, segment, rater, target, kind, grade in errors
    )
    found = originals.read(write(tmp_path / "mqm_newstest2021_ende.tsv", MQM + body))
    machine, human = found.rows
    assert found.name == "wmt21_mqm_news"
    assert (machine.segment, machine.prediction, machine.source, machine.group) == (
        "en-de:1",
        'Das ist "so',
        "That",
        "en-de",
    )
    assert machine.ratings == {"mqm": (-5.1, 0.0)}
    assert machine.human["mqm"] == pytest.approx(-2.55)
    assert (human.human, human.by_human, machine.by_human) == ({"mqm": -25.0}, True, False)
    with pytest.raises(InputError, match=r"'Awful'.*major"):
        originals.read(write(tmp_path / "mqm_x_ende.tsv", MQM + "S\td\t1\t1\tr\ts\tt\tc\tAwful\n"))
    with pytest.raises(InputError, match=r"language.*pair"):
        originals.read(write(tmp_path / "ratings.tsv", MQM + body))


def test_mqm_means(tmp_path):
    text = "system mqm_avg_score seg_id\nFacebook-AI\t-5.000000 1\nFacebook-AI\tNone 2\nref-A -0.000000 1\n"
    found = originals.read(write(tmp_path / "mqm_newstest2021_ende.avg_seg_scores.tsv", text))
    assert [(row.segment, row.system, row.human["mqm"], row.by_human) for row in found.rows] == [
        ("en-de:1", "Facebook-AI", -5.0, False),
        ("en-de:1", "ref-A", 0.0, True),
    ]


def wmt_folder(folder: Path) -> Path:
    write(folder / "source" / "newstest2017-csen-src.cs", "jedna\ndva\n")
    write(folder / "references" / "newstest2017-csen-ref.en", "one &amp; only\ntwo\n")
    write(folder / "system-outputs" / "cs-en" / "newstest2017.online-A.0.cs-en", "first\nsecond\n")
    write(folder / "system-outputs" / "cs-en" / "newstest2017.uedin.4955.cs-en", "premier\ndeux\n")
    return folder


def test_wmt_direct_assessment(tmp_path):
    folder = wmt_folder(tmp_path / "WMT17")
    table = (
        "LP DATA SYSTEM SID HUMAN\ncs-en newstest2017 online-A.0 1 -0.5\ncs-en newstest2017"
        " other.1+uedin.4955 2 0.25\nen-zh newstest2017 x 1 1\n"
    )
    write(folder / "DA-seglevel.csv", table)
    found = originals.read(folder)
    assert found.name == "wmt17_da_seg"
    assert [
        (row.segment, row.system, row.prediction, row.source, row.references, row.human) for row in found.rows
    ] == [
        ("cs-en:1", "online-A.0", "first", "jedna", ("one & only",), {"da_z": -0.5}),
        ("cs-en:2", "other.1+uedin.4955", "deux", "dva", ("two",), {"da_z": 0.25}),
    ]
    write(tmp_path / "alone" / "DA-seglevel.csv", table)
    with pytest.raises(InputError, match="has no translations"):
        originals.read(tmp_path / "alone")
    write(folder / "DA-seglevel.csv", "LP DATA SYSTEM SID HUMAN\ncs-en newstest2017 online-A.0 3 -0.5\n")
    with pytest.raises(InputError, match=r"newstest2017.*2 lines.*segment 3"):
        originals.read(folder)


def test_wmt_rankings_come_back_as_pairs(tmp_path, monkeypatch):
    folder = wmt_folder(tmp_path / "WMT19")
    for path in sorted(folder.rglob("newstest2017*")):
        path.rename(path.with_name(path.name.replace("2017", "2019")))
    write(
        folder / "RR-seglevel.csv",
        "LP DATA SID BETTER WORSE\ncs-en newstest2019 2 uedin.4955 online-A.0\ncs-en newstest2019 1"
        " uedin.4955 lost.1\n",
    )
    found = originals.read(folder)
    assert found.name == "wmt19_darr"
    assert [(pair.segment, pair.better, pair.worse, pair.group) for pair in found.pairs] == [
        ("cs-en:2", "uedin.4955", "online-A.0", "cs-en")
    ]
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path / "own"))
    benchmark, _ = imported(folder)
    again = load("wmt19")
    assert again.pairs == benchmark.pairs
    assert {row.prediction for row in again.rows} == {"second", "deux"}
    assert again.judgments().pairs.tolist() == [
        [0, again.systems.index("uedin.4955"), again.systems.index("online-A.0")]
    ]


def test_wmt_testset(tmp_path):
    text = 'LP\tsource\ttranslation\treference\tHUMAN_score\tsentBLEU\ncs-en\tA "b\tc\td\t-1.8\t0.1\n'
    (row,) = originals.read(write(tmp_path / "testset_cs-en.tsv", text)).rows
    assert (row.prediction, row.source, row.references, row.human, row.group) == (
        "c",
        'A "b',
        ("d",),
        {"da_z": -1.8},
        "cs-en",
    )


def webnlg_folder(folder: Path) -> Path:
    judged = {
        "2": {
            "w1": {"Correctness": 90, "Fluency": 80, "feedback": "good"},
            "w2": {"Correctness": 70, "Fluency": 60},
        }
    }
    results, texts = (
        folder / "evaluation" / "human-evaluation" / "results" / "en",
        folder / "submissions" / "rdf2text" / "en",
    )
    for team in ("TGen", "WebNLG-2020-reference"):
        write(results / team / "primary.json", json.dumps(judged))
    write(texts / "TGen" / "primary.en", "first\nsecond\n")
    return folder


WEBNLG = (
    '<benchmark><entries><entry category="Airport" eid="Id2" size="1"><modifiedtripleset><mtriple>a | b |'
    ' c</mtriple><mtriple>d | e | f</mtriple></modifiedtripleset><lex comment="good" lid="Id1">One.</lex><lex'
    ' lid="Id2">Two.</lex></entry></entries></benchmark>'
)


def test_webnlg(tmp_path):
    folder = webnlg_folder(tmp_path / "challenge-2020")
    (row,) = originals.read(folder).rows
    assert (row.source, row.references) == (None, ())
    write(folder / "corpus" / "rdf-to-text-generation-test-data-with-refs-en.xml", WEBNLG)
    found = originals.read(folder)
    (row,) = found.rows
    assert (found.name, row.segment, row.system, row.prediction) == (
        "webnlg2020_en",
        "en:2",
        "TGen",
        "second",
    )
    assert (row.source, row.references) == ("a | b | c ; d | e | f", ("One.", "Two."))
    assert (row.human, row.ratings["fluency"]) == ({"correctness": 80.0, "fluency": 70.0}, (80.0, 60.0))
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]>' + WEBNLG
    write(folder / "corpus" / "rdf-to-text-generation-test-data-with-refs-en.xml", bomb)
    with pytest.raises(InputError, match="declares XML entities"):
        originals.read(folder)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.jsonl", '{"a": 1}\n'),
        ("x.csv", "a,b\n1,2\n"),
        ("x.txt", "hello\n"),
        ("x.json", "{}"),
        ("x.tsv", ""),
    ],
)
def test_what_is_not_known_is_refused(tmp_path, name, text):
    with pytest.raises(InputError, match=r"file.*benchmark"):
        originals.read(write(tmp_path / name, text))


def test_what_is_not_there_or_broken_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.jsonl"):
        originals.read(tmp_path / "nothing.jsonl")
    with pytest.raises(InputError, match=r"x\.jsonl, line 3.*JSON"):
        originals.read(write(tmp_path / "x.jsonl", '{"a": 1}\n\n{"a": NaN}\n'))
    with pytest.raises(InputError, match=r"x\.json is not JSON"):
        originals.read(write(tmp_path / "x.json", "{"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"file.*benchmark"):
        originals.read(tmp_path / "empty")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tc_usr_data.json", '[{"context": "c", "responses": [{"response": "r"}]}]'),
        ("m.jsonl", '{"expert_annotations": 3, "model_id": "M1", "decoded": "x", "id": 1}'),
        ("r.json", '[{"system_outputs": {"a": "b"}, "annotations": {"a": 3}}]'),
        ("x.json", '[{"map_quality_scores": 1, "summary": "s", "text": "t"}]'),
        ("DA-seglevel.csv", "LP DATA SYSTEM SID HUMAN\ncs newstest2017 a 1 0.5\n"),
    ],
)
def test_a_file_of_a_known_kind_with_other_contents_is_refused(tmp_path, name, text):
    with pytest.raises(InputError, match=r"format of its benchmark|is missing|has no"):
        originals.read(write(tmp_path / name, text))
