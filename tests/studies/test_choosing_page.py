"""Pages for practitioners: every sentence has a query, and the page is what the evidence says."""

from __future__ import annotations

import copy
import re
from pathlib import Path

import pytest

from nlgauge.advisor.evidence import evidence_record
from nlgauge.errors import InputError
from studies.leaderboard.page import CHOOSING, LEARNED, choosing, filled
from studies.leaderboard.queries import Queries

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"
TEMPLATE = CHOOSING.read_text(encoding="utf-8")
RECORD = evidence_record()


def sentences(text: str) -> list[str]:
    """The sentences and rows of tables of a template, without headings."""
    blocks = re.split(r"\n\s*\n|\n(?=- |\|)", text)
    found = []
    for block in blocks:
        if (
            block.startswith(("#", "| task", "| metric", "| name", "|---", "    ", "<!--"))
            or not block.strip()
        ):
            continue
        plain = re.sub(r"\{\{.*?\}\}", lambda place: place[0].replace(".", "·"), block, flags=re.S)
        # A sentence ends with a point before a capital, code or emphasis.
        found += re.split(r"(?<=\.)\s+(?=[A-Z*`\"])", plain) if not block.startswith("|") else [plain]
    return [one for one in found if one.strip()]


@pytest.mark.parametrize(("template", "least"), [(CHOOSING, 60), (LEARNED, 50)], ids=["choosing", "learned"])
def test_every_sentence_has_a_query(template: Path, least: int) -> None:
    found = sentences(template.read_text("utf-8"))
    assert len(found) > least
    assert [one for one in found if "{{" not in one] == []
    assert sentences("One fact. Another{{note}}.\n\n- A third.")[0] == "One fact."


def test_the_page_is_what_the_evidence_says() -> None:
    """If this fails, the evidence changed: write the sentence anew, and run: python -m studies leaderboard choosing."""
    page = (RESULTS / "choosing.md").read_text(encoding="utf-8")
    assert choosing(RECORD) == page and "{{" not in page


def test_the_page_of_learned_metrics_is_what_the_evidence_says() -> None:
    """Its tables need the benchmarks; the text around them does not."""
    page = (RESULTS / "learned.md").read_text(encoding="utf-8")
    parts = re.split(r"<!-- \w+ -->", filled(RECORD, LEARNED))
    assert len(parts) == 3 and [part for part in parts if part not in page] == [] and "{{" not in page


def test_the_table_of_judges_says_what_the_sentences_say() -> None:
    page = (RESULTS / "learned.md").read_text(encoding="utf-8")
    lines = page[page.index("| judge |") :].partition("\n\n")[0].splitlines()
    names = [cell.strip() for cell in lines[0].strip("|").split("|")]
    rows = [
        dict(zip(names, (cell.strip() for cell in line.strip("|").split(" |")), strict=True))
        for line in lines[2:]
    ]
    assert len(rows) == 7
    answered = {row["judge"].strip("`").partition("(")[0]: row["texts with a score"] for row in rows}
    assert answered["gemba"] == "1 of 47" and answered["rubric"] == "0 of 47"
    # The sentence has the shares outside of the levels.
    covered = [float(row["covered"]) for row in rows if row["covered"]]
    assert (len(covered), round(1 - max(covered), 2), round(1 - min(covered), 2)) == (5, 0.31, 0.97)
    assert [row["same winner in both orders"] for row in rows if row["judge"] == "`pairwise`"] == ["0.00"]


@pytest.mark.parametrize("template", [CHOOSING, LEARNED], ids=["choosing", "learned"])
def test_a_changed_table_fails_the_sentence(template: Path) -> None:
    """Each fact of the page that names two metrics of a table is made false in turn."""
    text = template.read_text("utf-8")
    facts = re.findall(r"\{\{\? (beats; .*?)\}\}", text, re.S)
    assert len(facts) > 4
    for fact in facts:
        table, _, winner, loser = (" ".join(part.split()) for part in fact.split("&")[0].split(";")[1:])
        name, _, sample = table.rpartition("-") if re.search(r"-\d+$", table) else (table, "", "")
        changed = copy.deepcopy(RECORD)
        for one in [*changed["sets"], *changed["others"]]:
            if one["benchmark"] == name and str(one["sample"] or "") == sample:
                for level in ("texts", "systems"):
                    beats = one["metrics"].get(winner, {}).get(level, {}).get("beats", [])
                    if loser in beats:
                        beats.remove(loser)
        with pytest.raises(InputError, match="says otherwise"):
            Queries(changed).filled(text)


def made() -> Queries:
    def value(number: float, **more: object) -> dict[str, object]:
        cell = {"value": number, "low": number - 0.1, "high": number + 0.1, "unbeaten": True}
        return {"texts": {**cell, "beats": [], "above": [], "below": [], **more}}

    first = value(0.5, beats=["wer"], above=["random numbers"])
    first |= {"also": {"spa": 0.7471}, "parts": {"minor": [0.6, 0.25]}, "seconds": 0.5}
    metrics = {
        "chrf": first,
        "wer": {**value(0.2, unbeaten=False), "parts": {"minor": [0.5, 0.0]}, "seconds": 5.0},
        "density": {**value(0.9), "undirected": True},
        "few": value(0.95, defined=0.25),
        "random numbers": value(0.0),
    }
    about = {"benchmark": "made", "sample": 8, "dimension": "overall", "metrics": metrics}
    other = {**about, "dimension": "fluency", "metrics": {"chrf": value(-0.25)}}
    return Queries({"sets": [about], "others": [other]})


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("made-8; chrf; input", "0.50 [0.40, 0.60]"),
        ("made-8;\nchrf; global; fluency", "-0.25 [-0.35, -0.15]"),
        ("made-8; few; input", "0.95 [0.85, 1.05] on 25% of inputs"),
        ("pairs; made-8; input", "1 of 6"),
        ("planned; made-8; input; random numbers", "1 of 3"),
        ("also; made-8; chrf; spa", "0.747"),
        ("part; made-8; chrf; minor", "60.0%"),
        ("ties; made-8; chrf; minor", "25.0%"),
        ("untied; made-8; chrf; minor", "80.0%"),
        ("advice; captioning", "none"),
    ],
)
def test_what_queries_print(query: str, shown: str) -> None:
    assert made().filled(f"It has {{{{{query}}}}}.") == f"It has {shown}."


@pytest.mark.parametrize(
    "fact",
    [
        "beats; made-8; input; chrf; wer",
        "equal; made-8; input; chrf; density",
        "above; made-8; input; chrf; random numbers",
        "higher; made-8; chrf; input; wer",
        "higher; made-8; chrf; input; 0.49",
        "lower; made-8; wer; input; 0.21",
        "lower; made-8; chrf; input; 0; fluency",
        "first; made-8; input; chrf",
        "none beats; made-8; input; chrf",
        "notices; made-8; chrf; minor; wer",
        "few pairs; made-8; input; 0.17",
        "few better; made-8; input; random numbers; 0.34",
        "planned finds more; made-8; input",
        "refuses; captioning",
        "tested; test_a_changed_table_fails_the_sentence",
        "all below; made-8; input; 0.51",
        "zero; made-8; input; random numbers",
        "ends below; made-8; input; wer; 0.31",
        "wide; made-8; input; 0.19",
        "dearer; made-8; wer; chrf; 10",
    ],
)
def test_facts_are_true_or_refused(fact: str) -> None:
    assert made().filled(f"True {{{{? {fact}}}}}.") == "True."
    with pytest.raises(InputError, match=re.escape(fact.partition(";")[0])):
        made().filled(f"False{{{{? beats; made-8; input; chrf; wer & not {fact}}}}}.")


@pytest.mark.parametrize(
    "fact",
    [
        "few pairs; made-8; input; 0.16",
        "few better; made-8; input; random numbers; 0.3",
        "first; made-8; input; wer",
        "none beats; made-8; input; wer",
        "equal; made-8; input; wer; chrf",
        "all below; made-8; input; 0.5",
        "zero; made-8; input; chrf",
        "ends below; made-8; input; wer; 0.3",
        "wide; made-8; input; 0.21",
        "dearer; made-8; wer; chrf; 11",
    ],
)
def test_false_facts_are_refused(fact: str) -> None:
    with pytest.raises(InputError, match="says otherwise"):
        made().filled(f"It is{{{{? {fact}}}}}.")


@pytest.mark.parametrize(
    "query", ["gone; chrf; input", "made-8; gone; input", "? odd; made-8; input; chrf; wer"]
)
def test_unknown_names_are_refused(query: str) -> None:
    with pytest.raises(InputError, match=r"gone|odd"):
        made().filled(f"It is {{{{{query}}}}}.")
