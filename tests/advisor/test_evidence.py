"""The evidence in the wheel: it agrees with the pages of the leaderboard, with code and cards, and has no ratings."""

from __future__ import annotations

import gzip
import json
import re
from itertools import chain
from pathlib import Path

import nlgauge
from nlgauge.advisor import settings
from nlgauge.advisor.evidence import evidence, evidence_record
from nlgauge.metric.registry import metric_classes
from nlgauge.models.weights.catalog import catalog
from studies.leaderboard import boards
from studies.leaderboard.boards import BENCHMARKS
from studies.leaderboard.evidence import needs, refresh

RESULTS = Path(__file__).parents[2] / "docs" / "results"
DATA = Path(nlgauge.__file__).parent / "data" / "evidence.json.gz"
RECORD = evidence_record()
SETS = [*RECORD["sets"], *RECORD["others"]]
LEVELS = {"texts of an input": "texts", "all texts": "texts", "systems": "systems"}


def shown(entry: dict) -> str:
    """Return a value as a cell of the pages has it."""
    text = f"{entry['value']:.2f}"
    if "low" in entry:
        text += f" [{entry['low']:.2f}, {entry['high']:.2f}]"
    defined = entry.get("defined", 1)
    return text if defined >= 0.8 else f"{text} on {defined:.0%} of inputs"


def rows(page: str) -> list[list[str]]:
    """Return the cells of all rows of the tables of a page."""
    return [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith(("| `", "| length", "| random", "| metric", "| *one"))
    ]


def is_tested(about: dict) -> bool:
    """Return whether metrics were tested against each other on this dimension."""
    return about["dimension"] == (BENCHMARKS[about["benchmark"]].human or "pairs")


def test_values_and_places_are_those_of_the_leaderboard():
    page = (RESULTS / "leaderboard.md").read_text("utf-8")
    sections = {part.partition("\n")[0]: part for part in page.split("\n### ")[1:]}
    compared = 0
    for name in BENCHMARKS:
        sets = [each for each in SETS if each["benchmark"] == name and is_tested(each)]
        tables = re.split(r"\n\*\*(?=All texts|A sample)", sections[name])[1:]
        assert len(tables) == len(sets)
        for about, table in zip(sets, tables, strict=True):
            size = f"({about['systems']} systems, {about['inputs']} segments, {about['texts']:,} texts"
            assert size.replace("(1 systems", "(1 system") in table.replace("(1 systems", "(1 system")
            assert f"judged by {about['dimension']}:" in table
            header, *lines = rows(table.partition("\n## ")[0])
            assert {re.sub(r"^`|`( ±)?$", "", line[0]) for line in lines} == set(about["metrics"])
            for line in lines:
                entry = about["metrics"][re.sub(r"^`|`( ±)?$", "", line[0])]
                for at, title in enumerate(header):
                    level = LEVELS.get(title.removesuffix(" [95%]"))
                    if level is None:
                        continue
                    place = line[at + 2]
                    letters = {part for part in line[at + 1].split() if len(part) == 1}
                    assert ("R" in letters) == ("random numbers" in entry.get(level, {}).get("above", ()))
                    assert ("-L" in line[at + 1]) == (
                        "length in words" in entry.get(level, {}).get("below", ())
                    )
                    assert line[at] == (shown(entry[level]) if level in entry else "")
                    expected = entry.get(level, {})
                    assert place.partition(" ")[0] == str(expected.get("cluster", ""))
                    assert place.endswith("•") == bool(expected.get("unbeaten"))
                    compared += level in entry
    assert compared > 1500


def test_other_dimensions_are_those_of_the_pages_of_benchmarks():
    compared = 0
    for about in SETS:
        if is_tested(about):
            continue
        page = (RESULTS / "leaderboard" / f"{about['benchmark']}.md").read_text("utf-8")
        for section in page.split("\n## ")[1:]:
            level = LEVELS[section.partition("\n")[0].partition(" over ")[2]]
            header, *lines = rows(section)
            at = header.index(about["dimension"])
            for line in lines:
                label = re.sub(r"^`|`( ±)?$", "", line[0])
                if label in about["metrics"] and level in about["metrics"][label]:
                    assert line[at] == shown(about["metrics"][label][level])
                    compared += 1
    assert compared > 2000


def test_beats_says_the_same_as_unbeaten():
    for about in SETS:
        for level in settings.LEVELS:
            entries = {
                label: entry[level]
                for label, entry in about["metrics"].items()
                if "beats" in entry.get(level, {})
            }
            beaten = set(chain.from_iterable(entry["beats"] for entry in entries.values()))
            assert beaten == {label for label, entry in entries.items() if not entry["unbeaten"]}
            for entry in entries.values():
                assert all(entry["value"] > entries[label]["value"] for label in entry["beats"])
            assert is_tested(about) or not entries


def test_pairs_that_differ_are_as_many_as_the_leaderboard_says():
    page = (RESULTS / "leaderboard.md").read_text("utf-8")
    for about in SETS:
        if about["benchmark"] == "summeval" and is_tested(about) and about["sample"] is None:
            section = page[page.index("### summeval") :]
            made = sum(len(entry.get("texts", {}).get("beats", ())) for entry in about["metrics"].values())
            assert f"Over texts of an input, {made:,} of " in section


def test_facts_of_benchmarks_are_those_of_the_study():
    for about in SETS:
        board = BENCHMARKS[about["benchmark"]]
        assert (about["task"], tuple(about["languages"]), about["year"]) == (
            board.task,
            board.languages,
            board.year,
        )
        assert (about["task"] in settings.TASKS) or not board.advises
        assert about["main"] == (is_tested(about) and board.overall)
        assert is_tested(about) or about["dimension"] in board.others
    assert {about["benchmark"] for about in RECORD["others"]} == {
        name for name, board in BENCHMARKS.items() if not board.advises
    }
    dimensions = {about["dimension"] for about in RECORD["sets"] if not about["main"]}
    named = set(chain.from_iterable(settings.QUALITIES.values()))
    # Dimensions of no quality: shortness, and ratings that RoSE collected by other protocols.
    assert dimensions - named == {"compact", "prior", "ref_free"}


def test_needs_are_those_of_code_and_cards():
    """If this fails, run: python -m studies leaderboard needs."""
    assert RECORD["metrics"] == needs(RECORD["metrics"])
    assert set(metric_classes()) & {"chrf", "comet"} and set(RECORD["metrics"]) >= {
        name for name, metric in metric_classes().items() if metric.__module__.startswith("nlgauge.metrics.")
    }
    labels = {label for about in SETS for label in about["metrics"]} - set(settings.CONTROLS)
    assert labels <= set(RECORD["metrics"])


def test_models_know_languages():
    assert all(entry.languages for entry in catalog().values())
    assert [catalog()[name].languages for name in ("minilm", "bert-base-chinese", "wmt22-comet-da")] == [
        *(["en"], ["zh"], "many")
    ]
    facts = RECORD["metrics"]
    assert (
        facts["bertscore(model='minilm').f1"]["languages"] == ["en"] and facts["comet"]["languages"] == "any"
    )


def test_every_metric_with_evidence_has_a_family_and_a_cost():
    labels = {label for about in RECORD["sets"] for label in about["metrics"]} - set(settings.CONTROLS)
    others = {"frechet", "mauve", "cosmic"}
    assert {settings.metric_name(label) for label in labels if settings.family(label) == "other"} <= others
    assert labels <= set(evidence().costs)
    registered = set(metric_classes())
    assert set(chain.from_iterable(settings.FAMILIES.values())) <= registered
    assert set(settings.USUAL) <= registered
    assert set(settings.FAMILIAR) <= labels


def test_no_rating_is_in_the_file():
    keys = {
        "value",
        *("low", "high", "defined", "cluster", "unbeaten", "beats", "above", "below"),
    }
    for about in SETS:
        assert set(about) == {
            *("benchmark", "task", "languages", "year", "dimension", "main", "sample"),
            *("systems", "inputs", "texts", "coefficient", "ceiling", "metrics"),
        }
        for entry in about["metrics"].values():
            assert set(entry) <= {"texts", "systems", "seconds", "undirected", "also", "parts"}
            assert all(set(entry[level]) <= keys for level in settings.LEVELS if level in entry)


def test_the_file_is_the_same_whenever_it_is_written(tmp_path):
    assert DATA.read_bytes()[4:8] == bytes(4)  # the time of a gzip file
    copy = tmp_path / "evidence.json.gz"
    copy.write_bytes(DATA.read_bytes())
    refresh(copy)
    assert json.loads(gzip.decompress(copy.read_bytes())) == RECORD
    assert copy.read_bytes()[4:8] == bytes(4)


def test_the_study_names_the_controls_as_the_rules_do():
    from studies.leaderboard import comparisons, queries, tables

    assert (comparisons.LENGTH, comparisons.RANDOM) == settings.CONTROLS
    assert queries.LEAST_DEFINED == tables.LEAST_DEFINED
    assert settings.LEAST_DEFINED == tables.LEAST_DEFINED
    assert boards.BENCHMARKS["wmt21_mqm_news.en-de"].languages == ("de",)
