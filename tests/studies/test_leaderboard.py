"""The leaderboard: the scores that are kept in docs/results, the step that scores, and the pages that are
made of both.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from human_judgments import path_of

from nlgauge.errors import InputError
from nlgauge.meta import Judgments, kendall
from nlgauge.meta.benchmarks import read_scores, write_scores
from nlgauge.metric.registry import parse
from studies import leaderboard
from studies.leaderboard import boards, learned, page, scoring, summary, words
from studies.leaderboard.boards import (
    BENCHMARKS,
    JUDGES,
    METRICS,
    SLOW,
    STRINGS,
    Board,
    Scored,
    folder_name,
    texts,
)
from studies.leaderboard.boards import drawn as size_of
from studies.leaderboard.comparisons import RANDOM, Drawn, drawn, leaders, placed, planned
from studies.leaderboard.kept import Kept, of_results
from studies.leaderboard.tables import tables

ROOT = Path(__file__).resolve().parents[2]
SCORES = ROOT / "docs" / "results" / "scores" / "leaderboard"
PAGE = ROOT / "docs" / "results" / "leaderboard.md"
NAME = "sample"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A leaderboard of four metrics on the package's sample, of which one is scored on six segments alone."""
    board = Board(
        "summarization", "relevance", boards.TAU, {SLOW: 6, JUDGES: 4}, others=("fluency",), year=2020
    )
    metrics = {
        "chrf": Scored(),
        "rouge": Scored(outputs=("rougeL", "rouge1")),
        "self_bleu": Scored(whole=True),
        "ter": Scored(SLOW),
    }
    for module in (boards, page, scoring):
        monkeypatch.setattr(module, "BENCHMARKS", {NAME: board})
    monkeypatch.setattr("studies.leaderboard.tables.BENCHMARKS", {NAME: board})
    for module in (boards, scoring, summary, learned):
        monkeypatch.setattr(module, "METRICS", metrics)
    monkeypatch.setattr(summary, "FEWEST_TASKS", 1)
    monkeypatch.setattr(summary, "FEWEST_LANGUAGES", 1)
    monkeypatch.setattr(learned, "SHOWN", (NAME,))
    monkeypatch.setattr(page, "LEARNED", tmp_path / "learned.md")
    page.LEARNED.write_text(
        "TER has {{sample-6; ter; input}}.{{? higher; sample; chrf; input; -1}}\n\n<!-- tables -->\n\n<!-- judges -->\n",
        encoding="utf-8",
    )
    monkeypatch.setitem(words.ABOUT, NAME, "Made up.")
    monkeypatch.setattr(page, "CHOOSING", tmp_path / "choosing.md")
    planned = "{{planned; sample; input; random numbers}}; {{planned; sample; system; random numbers}}."
    page.CHOOSING.write_text(
        "chrF has {{sample; chrf; input}}, {{sample; chrf; system; fluency}}; {{pairs; sample; system}}; "
        + planned,
        encoding="utf-8",
    )


@pytest.fixture
def done(small: None, tmp_path: Path) -> Path:
    assert leaderboard.report("score", tmp_path, [NAME]) == "4 scored, 0 that cannot be scored, 0 were kept."
    return tmp_path


def row(text: str, metric: str) -> list[str]:
    """The cells of a metric's first row after the metric."""
    found = next(line for line in text.splitlines() if line.startswith(f"| `{metric}` |"))
    return [cell.strip() for cell in found.split("|")[2:-1]]


def test_scores_are_kept_and_not_computed_again(done: Path) -> None:
    assert {path.name for path in done.glob("sample*")} == {"sample.jsonl.xz", "sample-6.jsonl.xz"}
    kept = read_scores(done / "sample.jsonl.xz", texts(NAME))
    assert list(kept) == ["chrf", "rouge", "self_bleu"]
    assert list(read_scores(done / "sample-6.jsonl.xz", texts(NAME, SLOW))) == ["ter"]
    found = kept["rouge"]
    assert list(found.segments) == ["rougeL", "rouge1"] and found.seconds >= 0
    whole = of_results(texts(NAME), texts(NAME).score("rouge"))
    np.testing.assert_allclose(found.segments["rouge1"], whole.segments["rouge1"], rtol=5.1e-5)
    assert all(value == float(f"{value:.5g}") for value in found.segments["rougeL"] if value is not None)
    assert leaderboard.report("score", done, [NAME]) == "0 scored, 0 that cannot be scored, 4 were kept."
    assert (
        leaderboard.report("score", done, [NAME], ["ter", "wer"])
        == "1 scored, 0 that cannot be scored, 1 were kept."
    )
    assert leaderboard.report("score", done, [NAME], ["estime"]).startswith(
        "0 scored, 1 that cannot be scored"
    )


def test_pages_of_a_small_benchmark(done: Path) -> None:
    assert (
        leaderboard.report(
            "tables", done, [NAME], pages=done / "pages", evidence=done / "evidence.json.gz", resamples=20
        )
        == "1 benchmarks, 12 rows."
    )
    text = (done / "pages" / "leaderboard.md").read_text(encoding="utf-8")
    assert "<!--" not in text and "over 20 bootstrap resamples" in text
    judged = texts(NAME).judgments(texts(NAME).score("chrf"), dimensions=["relevance"])
    section = text[text.index("### sample") :]
    of_systems = kendall(judged.oriented("chrf").mean(axis=1), judged.human("relevance").mean(axis=1))
    of_texts = np.nanmean(
        [kendall(judged.oriented("chrf")[:, i], judged.human("relevance")[:, i]) for i in range(24)]
    )
    cells = row(section, "chrf")
    assert [cell.partition(" ")[0] for cell in cells[::3][:2]] == [f"{of_texts:.2f}", f"{of_systems:.2f}"]
    assert re.fullmatch(r"1( •)?", cells[2])
    by_language = text[text.index("### Languages") :]
    assert "| metric | mean | en |" in by_language
    order = [line.split("|")[1].strip() for line in by_language.partition("### Models")[0].splitlines()[6:-1]]
    shares = [row(by_language, name.strip("`"))[1] for name in order if name.startswith("`")]
    assert shares == sorted(shares, key=int, reverse=True) and "100" in shares and "0" in shares
    assert row(section, "self_bleu")[:3] == ["", "", ""]  # of whole systems alone
    assert "A sample of 6 inputs" in section and row(section, "ter")[0]
    chosen = (done / "pages" / "choosing.md").read_text(encoding="utf-8")
    assert chosen.startswith(f"chrF has {cells[0]}, ") and "{{" not in chosen
    # Random numbers are compared with five metrics at system level, of which four systems can show nothing,
    # and with four on texts.
    of_pairs, of_texts, of_systems = chosen.split("; ")[1:]
    assert (of_pairs, of_systems) == ("0 of 15", "0 of 5.\n") and re.fullmatch(r"[0-4] of 4", of_texts)
    assert (
        "Planned comparisons over systems, corrected only for these 9 pairs: 0 of 5 metrics better and 0 worse"
        " than random numbers" in section
    )
    record = json.loads(gzip.decompress((done / "evidence.json.gz").read_bytes()))
    assert [(about["dimension"], about["sample"], about["main"]) for about in record["sets"]] == [
        ("relevance", None, True),
        ("relevance", 6, True),
        ("fluency", None, False),
    ]
    whole, sample, fluency = (about["metrics"] for about in record["sets"])
    chrf = whole["chrf"]["texts"]
    assert f"{chrf['value']:.2f} [{chrf['low']:.2f}, {chrf['high']:.2f}]" == cells[0]
    assert (
        chrf["cluster"] == 1 and isinstance(chrf["beats"], list) and "beats" not in fluency["chrf"]["texts"]
    )
    assert "texts" not in whole["self_bleu"] and "ter" in sample and "ter" not in whole
    assert record["metrics"]["chrf"]["references"] and not record["metrics"]["self_bleu"]["references"]
    detail = (done / "pages" / "leaderboard" / f"{NAME}.md").read_text(encoding="utf-8")
    assert "| metric | relevance | fluency |" in detail and "*one annotator*" in detail


def test_page_of_learned_metrics(done: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is costly counts as learned here; a judge's covered probability and its preference for the
    first text are said beside its agreement.
    """
    monkeypatch.setitem(boards.METRICS, "pairwise", Scored(JUDGES))
    part = texts(NAME, JUDGES)
    scores = of_results(part, part.score("chrf"))
    values = scores.segments["chrf"]
    judge = msgspec.structs.replace(
        scores,
        label="pairwise",
        higher_is_better={"pairwise": True, "covered": None, "first_preferred": None},
        segments={
            "pairwise": [None, *values[1:]],
            "covered": [0.25] * len(values),
            "first_preferred": [None, *[0.5] * (len(values) - 1)],
        },
        systems={},
    )
    write_scores(done / f"{NAME}-4.jsonl.xz", [judge])
    leaderboard.report(
        "tables", done, [NAME], pages=done / "pages", evidence=done / "evidence.json.gz", resamples=20
    )
    text = (done / "pages" / "learned.md").read_text(encoding="utf-8")
    tables_of, judges = text[: text.index("| judge |")], text[text.index("| judge |") :]
    assert "<!--" not in text and text.startswith(f"TER has {row(tables_of, 'ter')[0]}.")
    assert "`rouge.rouge1`" not in text and "`self_bleu`" not in text and "All texts" not in text
    assert len(re.findall(r"^\| `chrf` \|", text, re.MULTILINE)) == 2  # beside ter, and beside the judge
    cells = row(judges, "pairwise")
    assert cells[:2] == [NAME, f"{len(values) - 1} of {len(values)}"] and cells[-3:] == ["0.25", "", "0.50"]
    assert (
        cells[2] == row(tables_of, "pairwise")[0]
        and cells[3] == row(tables_of[tables_of.index("sample of 4") :], "chrf")[0]
    )
    assert "covered" not in tables_of


def test_scores_of_other_texts_are_refused(done: Path) -> None:
    path = done / "sample.jsonl.xz"
    write_scores(
        path,
        [msgspec.structs.replace(one, fingerprint="0" * 16) for one in read_scores(path).values()],
    )
    with pytest.raises(InputError, match=r"scores.*texts"):
        tables(done, [NAME], 20)
    assert leaderboard.report("score", done, [NAME]).startswith("3 scored")
    tables(done, [NAME], 20)


def test_a_run_that_was_killed_goes_on_after_its_last_whole_metric(done: Path) -> None:
    path = done / "sample.jsonl.xz"
    whole = read_scores(path)
    write_scores(path, [whole["chrf"]])
    killed = Kept.of(done, NAME)
    killed.add(whole["rouge"])
    with killed.unfinished.open("ab") as file:
        file.write(b'{"label":"self_bl')
    assert list(Kept.of(done, NAME).scores) == ["chrf", "rouge"] and list(read_scores(path)) == ["chrf"]
    assert leaderboard.report("score", done, [NAME]).startswith("1 scored, 0 that cannot be scored, 3 were")
    assert list(read_scores(path)) == list(whole) and not killed.unfinished.exists()


def test_tests_of_pairs_and_of_means_over_language_pairs() -> None:
    rng = np.random.default_rng(1)
    quality = rng.normal(size=(12, 60))
    pairs = [
        (i, a, b)
        for i in range(60)
        for a in range(12)
        for b in range(12)
        if quality[a, i] > quality[b, i] + 0.5
    ]
    metrics = {
        "good": quality + 0.1 * rng.normal(size=quality.shape),
        "noise": rng.normal(size=quality.shape),
        "bleu": quality + rng.normal(size=quality.shape),
    }
    names = tuple("abcdefghijkl"), tuple(range(60))
    of_pairs = Judgments(*names, metrics=metrics, pairs=np.array(pairs))
    halves = tuple("ab"[i % 2] for i in range(60))
    rated = Judgments(*names, humans={"quality": quality}, metrics=metrics, groups=halves)
    for people, board, level in (
        (of_pairs, Board("translation", None, {"input": "darr"}, {}, year=2020), "input"),
        (of_pairs, Board("translation", None, {"input": "darr"}, {}, "inputs", year=2020), "input"),
        (rated, Board("translation", "quality", {"global": "pearson"}, {}, "inputs", year=2020), "global"),
    ):
        found = drawn(people, board, level, 200)
        assert placed(found) == {
            "good": (1, ("noise", "bleu"), 0),
            "noise": (3, (), 2),
            "bleu": (2, ("noise",), 1),
        }
        each = planned(found, {"noise": "good"})
        assert each.pairs == 3 and set(each.by_metric["noise"]) == {"bleu", "good"}
        assert {of: one.verdict for of, one in each.by_metric["noise"].items()} == {"bleu": -1, "good": -1}
        assert each.by_metric["good"]["bleu"].verdict == 1 and each.by_metric["bleu"] == {}
        assert each.by_metric["good"]["bleu"].delta == pytest.approx(found.values[0] - found.values[2])


def test_planned_comparisons_are_corrected_for_their_own_pairs_alone() -> None:
    """Twenty metrics at the edge: all pairs find nothing, two planned ones do."""
    rng = np.random.default_rng(5)
    labels = [RANDOM, "bleu", *(f"m{number}" for number in range(20))]
    null = rng.normal(size=(2000, 22 * 21 // 2))
    values = np.zeros(22)
    values[0] = -3.2
    found = Drawn(labels, values, null)
    assert not any(place.beaten for place in placed(found).values())
    each = planned(found, {})
    assert each.pairs == 41
    assert each.by_metric["m3"][RANDOM].verdict == 0 < each.by_metric["m3"][RANDOM].corrected < 0.1
    few = planned(Drawn(labels[:3], values[:3], null[:, :3]), {})
    assert few.by_metric["m0"][RANDOM].verdict == 1 and few.by_metric["m0"]["bleu"].verdict == 0


def test_the_best_of_a_class_is_chosen_on_other_data() -> None:
    shares = {"first": {"a": 0.9, "b": 0.8, "slow": 0.1}, "second": {"a": 0.1, "b": 0.8}, "third": {"c": 1.0}}
    classes = {"a": "strings", "b": "strings", "c": "strings", "slow": "models", "other": "models"}
    assert leaders(shares, classes, list(classes)) == {"a": "c", "b": "c", "other": "slow"}
    more = {**shares, "fourth": {"a": 0.9, "b": 0.8}}
    assert leaders(more, classes, list(classes)) == {"a": "b", "c": "b", "other": "slow"}
    assert leaders(more, classes, ["a", "other"]) == {}


def kept_files() -> Iterator[tuple[str, str]]:
    for name in BENCHMARKS:
        for cost in dict.fromkeys(one.cost for one in METRICS.values()):
            if cost == STRINGS or size_of(name, cost):
                yield name, folder_name(name, cost)


def test_kept_scores_are_of_known_metrics() -> None:
    files = {f"{folder}.jsonl.xz": name for name, folder in kept_files()}
    outputs = {str(parse(spec)): one.outputs for spec, one in METRICS.items() if one.outputs}
    for path in SCORES.iterdir():
        for label, one in read_scores(path).items():
            assert str(parse(label)) == label and tuple(one.higher_is_better) == outputs.get(
                label, tuple(one.higher_is_better)
            ), (path.name, label)
            name = files[path.name]
            assert one.benchmark == (BENCHMARKS[name].benchmark or name)
    assert sum(path.stat().st_size for path in SCORES.iterdir()) < 15_000_000


def test_numbers_for_practitioners_are_those_of_the_tables() -> None:
    pages = "".join(
        (PAGE.parent / name).read_text(encoding="utf-8") for name in ("choosing.md", "learned.md")
    )
    numbers = re.findall(r"-?\d\.\d\d \[-?\d\.\d\d, -?\d\.\d\d\]", " ".join(pages.split()))
    shown = "".join(
        path.read_text(encoding="utf-8") for path in (PAGE, *(PAGE.parent / "leaderboard").glob("*.md"))
    )
    assert len(numbers) > 30 and [number for number in numbers if number not in shown] == []


def test_the_page_counts_its_benchmarks_and_tables() -> None:
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    benchmarks = {board.benchmark or name for name, board in BENCHMARKS.items()}
    assert f"on {len(benchmarks)} benchmarks ({len(BENCHMARKS)} tables)" in text
    assert {path.stem for path in (PAGE.parent / "leaderboard").glob("*.md")} == set(BENCHMARKS)
    single = [
        board.languages[0] for board in BENCHMARKS.values() if board.advises and len(board.languages) == 1
    ]
    assert single.count("en") == 12 and all(single.count(lang) == 1 for lang in set(single) - {"en"})
    assert "English has twelve tables, and each other language one" in text
    tasks = {board.languages[0]: board.task for board in BENCHMARKS.values() if board.languages != ("en",)}
    assert {lang: task for lang, task in tasks.items() if task != "translation"} == {"fr": "speech"}


def test_page_is_what_the_scores_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_BENCHMARKS", str(path_of("summeval").parent))
    benchmark = texts("summeval")
    judged = benchmark.judgments(benchmark.score("chrf"), dimensions=["relevance"])
    metric, human = judged.oriented("chrf"), judged.human("relevance")
    section = PAGE.read_text(encoding="utf-8")
    section = section[section.index("### summeval") :]
    of_systems = float(kendall(metric.mean(axis=1), human.mean(axis=1)))
    of_texts = float(np.nanmean(kendall(metric.T, human.T)))
    cells = row(section, "chrf")
    assert [cell.partition(" ")[0] for cell in cells[::3][:2]] == [f"{of_texts:.2f}", f"{of_systems:.2f}"]
    assert f"{of_systems:.4f}" == "0.5882"  # the row CHRF of Table 1 of the Shannon Score paper
    assert "chrf" in read_scores(SCORES / "summeval.jsonl.xz", benchmark)
