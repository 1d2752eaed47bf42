"""Benchmarks by name: cards, where they are looked for, what they hold, and the scores that are kept of
them.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from segment_rows import rows_by_label

import nlgauge
from nlgauge.errors import InputError, ParameterError, ResultError, UnknownNameError
from nlgauge.meta import benchmarks
from nlgauge.meta.benchmarks import Benchmark, BenchmarkRow, card, load, names
from nlgauge.meta.benchmarks.places import SHIPPED
from nlgauge.meta.benchmarks.rows import read_lines, written
from nlgauge.metrics.chrf import Chrf


def grid(*, gap: bool = False) -> list[dict]:
    """Two systems and a person on three segments; one cell is missing where a gap is wanted."""
    rows = []
    for i, (source, reference) in enumerate(
        [("s0", "the cat sat"), ("s1", "a dog ran off"), ("s2", "birds sing")]
    ):
        for system, text in (("A", reference), ("B", "the cat"), ("ref", reference)):
            meta = {"domain": "news" if i else "ted", "human_reference": system == "ref", "length": len(text)}
            human = {"quality": i + (system == "A")}
            row = {
                "segment": i,
                "system": system,
                "source": source,
                "prediction": text,
                "references": [reference],
                "human": human,
                "meta": meta,
            }
            rows.append({**row, "human_raw": {"quality": [i, i + 2 * (system == "A")]}})
    return [row for row in rows if not (gap and row["segment"] == 1 and row["system"] == "B")]


def put(folder: Path, name: str, rows: list[dict], suffix: str = ".jsonl.gz") -> Path:
    path = folder / f"{name}{suffix}"
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path))
    return tmp_path


def test_every_card_says_what_a_user_needs():
    for name in names():
        facts = card(name).facts()
        assert all(
            facts[fact]
            for fact in (
                "name",
                "title",
                "task",
                "languages",
                "dimensions",
                "paper",
                "license",
                "source",
                "how to get it",
            )
        )
        assert name in SHIPPED or facts["reads"], name


@pytest.mark.parametrize(
    "wanted",
    [
        "summeval",
        "realsumm",
        "wmt17",
        "wmt19",
        "wmt21",
        "webnlg2020",
        "rose",
        "bagel",
        "hanna",
        "usr",
        "primer",
        "tac2008",
        "cogito",
        "wmt24_esa",
        "demetr",
        "mlqe",
        "hats",
        "summedits",
        "llmbar",
    ],
)
def test_the_benchmarks_of_the_field_are_known(wanted):
    assert card(wanted.upper()).name in names()


def test_an_unknown_name_has_a_suggestion():
    with pytest.raises(UnknownNameError, match="did you mean 'summeval'"):
        load("sumeval")


def test_a_missing_benchmark_says_where_to_get_it_and_under_which_license(folder):
    with pytest.raises(InputError) as error:
        load("hanna")
    for part in (
        str(folder),
        "MIT",
        "https://github.com/dig-team/hanna-benchmark-asg",
        "nlgauge benchmarks import hanna_stories_annotations.csv",
    ):
        assert part in str(error.value)


def test_the_folder_is_the_users_data_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("NLGAUGE_BENCHMARKS", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert benchmarks.folder() == tmp_path / "nlgauge" / "benchmarks"


def test_the_sample_is_always_there(monkeypatch, tmp_path):
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(tmp_path / "nowhere"))
    sample = load("sample")
    assert (len(sample.rows), sample.systems, sample.dimensions) == (
        96,
        ("baseline", "improved", "lead", "cut"),
        ("relevance", "fluency"),
    )
    assert sample.is_grid()
    assert sample.ratings("relevance").shape == (4, 24, 3)
    np.testing.assert_allclose(
        sample.ratings("relevance").mean(axis=-1), sample.human("relevance"), rtol=0, atol=1e-12
    )
    assert "never for conclusions" in sample.card.title


def test_a_grid_becomes_a_corpus_of_several_systems(folder):
    put(folder, "summeval", grid())
    benchmark = load("summeval")
    assert (benchmark.systems, benchmark.machines().systems) == (("A", "B", "ref"), ("A", "B"))
    corpus = benchmark.machines().corpus()
    assert corpus.systems == ("A", "B")
    assert list(corpus.ids) == ["0", "1", "2"]
    assert corpus.fields == {"domain": ("ted", "news", "news"), "human_reference": (False, False, False)}
    assert corpus.system_fields["quality"] == {"A": (1, 2, 3), "B": (0, 1, 2)}
    assert corpus.system_fields["quality.ratings"]["A"] == ((0, 2), (1, 3), (2, 4))
    assert set(corpus.system_fields) == {"quality", "quality.ratings", "length"}
    assert corpus.lang == "en"


def test_human_scores_are_system_fields_even_where_systems_share_them(folder):
    put(folder, "summeval", [{**row, "human": {"quality": 3.0}} for row in grid()])
    assert load("summeval").machines().corpus().system_fields["quality"] == {
        "A": (3.0, 3.0, 3.0),
        "B": (3.0, 3.0, 3.0),
    }


def test_rows_with_gaps_become_segments_of_their_own(folder):
    put(folder, "summeval", grid(gap=True))
    benchmark = load("summeval").machines()
    assert not benchmark.is_grid()
    corpus = benchmark.corpus()
    assert list(corpus.ids) == ["0/A", "0/B", "1/A", "2/A", "2/B"]
    assert corpus.fields["system"] == ("A", "B", "A", "A", "B")
    assert corpus.fields["quality"] == (1, 0, 2, 3, 2)
    assert np.isnan(benchmark.human("quality")[1, 1])
    assert np.isnan(benchmark.ratings("quality")[1, 1]).all()


@pytest.mark.parametrize("gap", [False, True])
def test_scores_are_those_of_the_scorer(folder, gap):
    put(folder, "summeval", grid(gap=gap))
    benchmark = load("summeval").machines()
    scores = benchmark.score("bleu", "ter", "vendi", show_progress=False)
    judged = benchmark.judgments(scores, corpus_scores=True)
    rows = [row for row in grid(gap=gap) if row["system"] == "B"]
    alone = nlgauge.score(
        [row["prediction"] for row in rows], [row["references"] for row in rows], metrics=["bleu", "ter"]
    )
    for label in ("bleu", "ter"):
        expected = [row[label] for row in rows_by_label(alone)]
        found = judged.metrics[label][1]
        np.testing.assert_allclose(found[~np.isnan(found)], expected, rtol=0, atol=1e-12)
        assert judged.system_scores[label][1] == pytest.approx(alone[label]["score"], abs=1e-12)
        assert np.isnan(found).tolist() == [False, gap, False]
    assert (judged.higher_is_better["bleu"], judged.higher_is_better["ter"]) == (True, False)
    assert "vendi" not in judged.metrics
    assert judged.labels == ("bleu", "ter", "vendi")


def test_systems_by_the_score_of_all_their_texts_on_request(folder):
    put(folder, "summeval", grid())
    benchmark = load("summeval").machines()
    scores = benchmark.score("bleu", "vendi", show_progress=False)
    assert set(benchmark.judgments(scores, corpus_scores=True).system_scores) == {"bleu", "vendi"}
    assert set(benchmark.judgments(scores).system_scores) == {"vendi"}
    with pytest.raises(ParameterError, match=r"outputs.*'first' or 'all'"):
        benchmark.judgments(scores, outputs="some")


def test_all_outputs_on_request(folder):
    put(folder, "summeval", grid())
    benchmark = load("summeval").machines()
    scores = benchmark.score("rouge", show_progress=False)
    assert list(benchmark.judgments(scores).metrics) == ["rouge"]
    assert "rouge.rouge1" in benchmark.judgments(scores, outputs="all").metrics


def test_a_result_is_extended_by_the_metrics_that_it_lacks(folder, tmp_path):
    put(folder, "summeval", grid())
    benchmark, place, said = load("summeval").machines(), tmp_path / "results", []
    options = {"output": str(place), "say": said.append, "show_progress": False}
    (first,) = benchmark.score("chrf", "bleu(max_order=2)", **options).values()
    assert said == ["scoring chrf, bleu(max_order=2)"]
    (again,) = benchmark.score("wer", "chrf", **options).values()
    assert said[1:] == ["scoring wer"]
    assert again.labels == ("wer", "chrf")
    assert again["A"]["chrf"] == first["A"]["chrf"]
    saved = nlgauge.load(place / "summeval")
    assert saved.labels == ("chrf", "bleu(max_order=2)", "wer")
    assert saved.corpus.system_fields["quality"]["A"] == (1, 2, 3)
    before = {path: path.stat().st_mtime_ns for path in (place / "summeval").iterdir()}
    benchmark.score("chrf", **options)
    assert len(said) == 2
    assert {path: path.stat().st_mtime_ns for path in (place / "summeval").iterdir()} == before


def test_a_saved_result_has_the_human_scores_of_today(folder, tmp_path):
    put(folder, "summeval", grid())
    load("summeval").machines().score("chrf", output=tmp_path / "results", show_progress=False)
    put(folder, "summeval", [{**row, "human": {"quality": None}} for row in grid()])
    said: list[str] = []
    again = load("summeval").machines()
    again.score("chrf", output=tmp_path / "results", say=said.append, show_progress=False)
    assert not said
    saved = nlgauge.load(tmp_path / "results" / "summeval")
    assert saved.corpus.system_fields["quality"]["A"] == (None, None, None)


def test_results_of_other_texts_are_refused_or_replaced(folder, tmp_path):
    put(folder, "summeval", grid())
    benchmark, place = load("summeval").machines(), tmp_path / "results"
    benchmark.score("chrf", "ter", output=place, show_progress=False)
    other = benchmark.where(systems=["A"])
    with pytest.raises(InputError, match=r"summeval.*overwrite=True"):
        other.score("chrf", output=place, show_progress=False)
    with pytest.raises(InputError, match=r"seed.*12345"):
        benchmark.score("chrf", output=place, seed=1, show_progress=False)
    found = other.score("chrf", output=place, overwrite=True, show_progress=False)
    assert nlgauge.load(place / "summeval").systems == ("A",)
    renamed = Benchmark(other.card, tuple(replace(row, segment=f"x{row.segment}") for row in other.rows))
    for strangers in (benchmark, renamed):
        with pytest.raises(InputError, match=r"chrf.*summeval"):
            strangers.judgments(found)


def test_a_metric_that_has_changed_is_computed_again(folder, tmp_path, monkeypatch):
    put(folder, "summeval", grid())
    benchmark, options = load("summeval").machines(), {"output": tmp_path, "show_progress": False}
    benchmark.score("chrf", "ter", **options)
    monkeypatch.setattr(Chrf, "revision", Chrf.revision + 1)
    with pytest.warns(UserWarning, match="scores.*chrf"):
        benchmark.score("chrf", **options)
    saved = nlgauge.load(tmp_path / "summeval")
    assert sorted(saved.labels) == ["chrf", "ter"]


def test_a_damaged_result_is_named(folder, tmp_path):
    put(folder, "summeval", grid())
    benchmark = load("summeval").machines()
    benchmark.score("chrf", output=tmp_path, show_progress=False)
    (tmp_path / "summeval" / "run.json").write_bytes(b"broken")
    with pytest.raises(ResultError, match="summeval is damaged"):
        benchmark.score("chrf", output=tmp_path, show_progress=False)


def test_published_scores_stand_beside_ours(folder):
    put(folder, "hanna", grid())
    peers = [
        {
            "segment": row["segment"],
            "system": row["system"],
            "metrics": {"BaryScore-W": row["segment"], "BLEU": None},
        }
        for row in grid()
    ]
    put(folder, "hanna", peers, ".peer_metrics.jsonl.gz")
    benchmark = load("hanna").machines()
    judged = benchmark.judgments(peers=True)
    assert judged.metrics["BaryScore-W"].tolist() == [[0, 1, 2], [0, 1, 2]]
    assert np.isnan(judged.metrics["BLEU"]).all()
    assert judged.higher_is_better == {"BaryScore-W": False, "BLEU": True}
    put(folder, "summeval", grid())
    with pytest.raises(InputError, match="no published metric scores"):
        load("summeval").judgments(peers=True)


def test_scores_without_texts(folder):
    rows = [
        {"segment": "D1", "system": system, "human": {"pyramid": 0.5}, "metrics": {"METEOR": 0.1}}
        for system in ("0", "1", "A")
    ]
    put(folder, "tac2008", rows, ".scores.jsonl.gz")
    benchmark = load("tac2008")
    assert benchmark.machines().systems == ("0", "1"), "systems with letters are people"
    assert list(benchmark.judgments(peers=True).metrics) == ["METEOR"]
    with pytest.raises(InputError, match=r"tac2008.*texts"):
        benchmark.corpus()


def test_language_pairs_are_scored_for_themselves(folder, tmp_path):
    rows = []
    for pair, text in (("en-de", "Haus am See"), ("zh-en", "a house by the lake")):
        for system in ("A", "B"):
            rows.append(
                {
                    "segment": f"{pair}:1",
                    "system": system,
                    "source": "x",
                    "prediction": text,
                    "references": [text],
                    "human": {"mqm": -1.0},
                    "meta": {"lp": pair},
                }
            )
    put(folder, "wmt21_mqm_news", rows)
    benchmark = load("wmt21")
    scores = benchmark.score("chrf", "bleu", "vendi", output=tmp_path / "out", show_progress=False)
    assert [nlgauge.load(tmp_path / "out" / pair).corpus.lang for pair in scores] == ["de", "en"]
    assert [result.labels for result in scores.values()] == [("chrf", "bleu", "vendi")] * 2
    judged = benchmark.judgments(scores, corpus_scores=True)
    assert np.isnan(judged.metrics["vendi"]).all(), "a score of whole systems is not one of these texts"
    assert judged.groups == ("en-de", "zh-en")
    assert not judged.system_scores, "a system's score would be of two languages"
    assert benchmark.where(group="en-de").language == "de"
    with pytest.raises(UnknownNameError, match="group 'en-fr'"):
        benchmark.where(group="en-fr")


def test_a_sample_is_drawn_within_each_language_pair(folder):
    rows = [
        {
            "segment": f"{pair}:{i}",
            "system": "A",
            "prediction": "x",
            "human": {"mqm": 0.0},
            "meta": {"lp": pair},
        }
        for pair in ("en-de", "zh-en")
        for i in range(9)
    ]
    put(folder, "wmt21_mqm_news", rows)
    drawn = load("wmt21").sample(3, seed=1)
    assert [sum(row.group == pair for row in drawn.rows) for pair in ("en-de", "zh-en")] == [3, 3]
    assert drawn.segments == load("wmt21").sample(3, seed=1).segments
    assert len(load("wmt21").sample(100).rows) == 18


def test_own_files_are_read(tmp_path):
    path = put(tmp_path, "mine", grid())
    benchmark = load(path)
    assert (benchmark.name, benchmark.dimensions) == ("mine", ("quality",))
    with pytest.raises(UnknownNameError, match=r"'qality'.*'quality'"):
        benchmark.human("qality")


def test_an_import_needs_a_name_and_never_overwrites(folder, tmp_path):
    path = put(tmp_path, "mine", grid())
    with pytest.raises(ParameterError, match=r"summeval.*pass its name"):
        benchmarks.imported(path)
    _, place = benchmarks.imported(path, name="hanna")
    assert load("hanna").rows == load(path).rows
    with pytest.raises(InputError, match=r"already in .* overwrite=True"):
        benchmarks.imported(path, name="hanna")
    before = place.read_bytes()
    benchmarks.imported(path, name="hanna", overwrite=True)
    assert place.read_bytes() == before
    with pytest.raises(InputError, match="segment '0' of system 'A' 2 times"):
        benchmarks.imported(path, path, name="hanna", overwrite=True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"segment": 1}', "line 1.*system"),
        ('{"system": "A"}', "line 1 is not a row"),
        ("[1]", "line 1 is not a row"),
        (
            '{"segment": 1, "system": "A"}\n{"segment": 1, "system": "A"}',
            "segment '1'.*system 'A'.*twice",
        ),
        (
            '{"segment": 1, "system": "A", "human_raw": {"q": 3}}',
            "line 1: 'human_raw'.*list",
        ),
        ("", "has no rows"),
    ],
)
def test_bad_lines_are_refused(text_file, line, message):
    with pytest.raises(InputError, match=message):
        read_lines(text_file("x.jsonl", line))


def test_what_is_written_is_read_again(tmp_path):
    rows = [
        BenchmarkRow(
            "1", "A", {"q": 0.1}, "p", "s", ("r",), {"q": (0.0, 0.2)}, {"bleu": 0.3}, {"lp": "en-de"}
        ),
        BenchmarkRow("1", "B", {"q": 1 / 3}),
    ]
    path = tmp_path / "x.jsonl"
    path.write_bytes(written(rows))
    assert read_lines(path) == (rows, [])


def test_a_part_by_further_fields_of_its_rows():
    kinds = (("A", "abstractive"), ("B", "extractive"))
    rows = tuple(
        BenchmarkRow(segment=str(i), system=system, prediction="x", meta={"type": kind})
        for system, kind in kinds
        for i in range(2)
    )
    whole = Benchmark(card("sample"), rows)
    assert whole.where(type="abstractive").systems == ("A",)
    part = whole.where(type=["abstractive", "extractive"], segments=["1"])
    assert (part.systems, part.segments) == (("A", "B"), ("1",))
    with pytest.raises(UnknownNameError, match=r"'typ'.*'type'"):
        whole.where(typ="abstractive")
    with pytest.raises(UnknownNameError, match="no type 'abs'; it has abstractive, extractive"):
        whole.where(type="abs")
