"""Writers: the same page as text, Markdown, LaTeX, CSV and HTML; names are text in every one of them, and
nothing is lost.
"""

from __future__ import annotations

import csv
import math
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

import nlgauge
from nlgauge._core.numbers import bounds, counted, number, p_value, stars
from nlgauge._core.page import Cell, Column, Document, Footnotes, Line, Page, Sheet, Strip, column, limited
from nlgauge.errors import ParameterError
from nlgauge.explanations import NgramMatches, Order
from nlgauge.metric import Output
from nlgauge.metric.card import Card, card
from nlgauge.results.result import Result
from nlgauge.show.page_data.data import _described
from nlgauge.show.pages.names import short_names
from nlgauge.show.writers import latex, markdown
from nlgauge.show.writers.html import html_of
from nlgauge.show.writers.markdown import markdown_of
from nlgauge.show.writers.text import text_of
from nlgauge.show.writers.widths import shortened, widths, wrapped

EVIL = "R&D_50% {x} $y$ #1 ~^\\ <script>alert(1)</script> a|b `c` *d* [e] \x1b[31m\u202e"


@pytest.fixture(scope="module")
def result() -> Result:
    predictions = {
        "baseline": ["the cat sat on a mat", "a dog runs", "", "x y z w v"] * 6,
        "improved": ["the cat sat on the mat", "the dog runs off", "a b c d e", "x y z w v"] * 6,
    }
    references = ["the cat sat on the mat", "the dog runs away", "a b c d e f", "x y z w v u"] * 6
    return nlgauge.score(predictions, references, metrics=["bleu", "chrf(word_order=2)", "ter"])


@pytest.fixture(scope="module")
def evil() -> Result:
    return nlgauge.score(
        {EVIL: ["a b c", "c d"] * 10, "[B]": ["a b", "c"] * 10},
        ["a b c", "c d"] * 10,
        metrics=["wer", "bleu"],
    )


@pytest.mark.parametrize(
    ("value", "output", "shown"),
    [
        (12.345, Output("m", True, 0, 100), "12.35"),
        (62.3337, Output("ter", False, 0, decimals=2), "62.33"),
        (0.5, Output("m", True, 0, 1), "0.5000"),
        (2.0, Output("m", True, 0), "2.0000"),
        (15.0, Output("length", None, 0), "15"),
        (0.95, Output("ratio", None, 0), "0.9500"),
        (math.nan, Output("m", True, 0, 1), "n/a"),
    ],
)
def test_decimals_follow_the_scale(value: float, output: Output, shown: str) -> None:
    assert number(value, output) == shown


@pytest.mark.parametrize(
    ("name", "shown"),
    [("ter", "62.33"), ("flesch_reading_ease", "62.33"), ("perplexity", "62.33"), ("bleu", "62.33")],
)
def test_metrics_of_a_scale_like_bleus_have_its_decimals(name: str, shown: str) -> None:
    from nlgauge.metric import first_output
    from nlgauge.metric.registry import parse

    assert number(62.3337, first_output(parse(name))) == shown


def test_small_words() -> None:
    assert counted(1, "test") == "1 test"
    assert counted(2, "test") == "2 tests"
    assert counted(2, "entry", "entries") == "2 entries"
    assert [stars(p) for p in (0.05, 0.049, 0.01, 0.0099, 0.001, 0.00099, math.nan)] == [
        "",
        "*",
        "*",
        "**",
        "**",
        "***",
        "",
    ]
    assert bounds(1, math.nan, Output("m", True)) == p_value(math.nan) == "n/a"
    assert bounds(-1, 2, Output("m", True, 0, 100), sign=True) == "[-1.00, +2.00]"


def test_one_test_is_in_the_singular() -> None:
    one = nlgauge.score({"A": ["a b", "c"], "B": ["a", "c"]}, ["a b", "c"], metrics="wer")
    assert "p (Holm): corrected for the 1 test shown." in " ".join(one.to_text(width=200).split())


def test_nothing_is_said_of_tests_where_none_was_possible() -> None:
    alone = nlgauge.score({"A": ["a b"], "B": ["a"]}, ["a b"], metrics="wer")
    for text in (alone.to_text(), alone.to_markdown(), alone.compare().to_text()):
        assert "orrected" not in text


def test_names_break_at_their_joints() -> None:
    assert wrapped("de.Facebook-AI", 10) == ["de.", "Facebook-", "AI"]
    assert wrapped("(char_order=3, beta=2)", 15) == ["(char_order=3,", "beta=2)"]
    assert wrapped("abcdefgh", 5) == ["abcde", "fgh"]
    assert wrapped("", 5) == [""]
    assert shortened("abcdefgh", 8) == "abcdefgh"
    assert shortened("abcdefghi", 8) == "abcd…ghi"


def test_the_widest_column_gives_way_first() -> None:
    assert widths([10, 20, 5], [[10, 8, 5]], 40) == [10, 20, 5]
    assert widths([10, 20, 5], [[10, 8, 5]], 30) == [10, 15, 5]
    # What its words need is given up only where that does not suffice.
    assert widths([10, 20], [[10, 18], [4, 8]], 25) == [10, 15]
    assert widths([30, 30], [[20, 20]], 30) == [20, 20]


def test_tables_keep_words_whole_in_80_columns() -> None:
    names = ["de.Facebook-AI", "online-G_2021.v3-large"]
    result = nlgauge.score(
        {name: ["the cat", "a dog"] for name in names},
        ["the cat", "the dog"],
        metrics=["bleu", "flesch_reading_ease", "rouge"],
    )
    for text, end in (
        (result.to_text(), "gain: "),
        (result.compare().to_text(), "gain: "),
        (str(result), "to_text()"),
    ):
        table = text[: text.index(end)]
        assert max(len(line) for line in table.split("\n")) <= 80
        for word in ("Facebook", "online", "large", "flesch", "reading", "ease", "rougeL", "bleu"):
            assert word in table, f"{word} is broken in\n{table}"


@pytest.mark.parametrize("width", [20, 50])
def test_numbers_are_whole_however_narrow_the_terminal(result: Result, width: int) -> None:
    text, interval = result.to_text(width=width), result.intervals()["improved"]["ter"]["score"]
    assert f"[{interval.low:.2f}, {interval.high:.2f}]" in text
    assert f"{result.compare()['ter'].p_holm:.4f}" in text


def test_a_heading_too_long_for_its_column_is_shortened() -> None:
    name = "averylongnamewithoutanyjoint" * 2
    result = nlgauge.score({name: ["a b", "c"], name + "2": ["a", "c"]}, ["a b", "c"], metrics=["bleu"])
    text = result.compare().to_text()
    assert max(len(line) for line in text.split("\n")[1:6]) <= 80
    assert "…" in text
    assert "+" in text or "-" in text


def test_what_stands_below_a_name_goes_into_the_next_row() -> None:
    sheet = Sheet(
        [column("metric"), column("score", "number")],
        [[Cell("chrf", below="(word_order=2)"), Cell("1")], [Cell(), Cell("2")]],
    )
    assert text_of(Page([sheet])).split("\n")[2:4] == ["chrf                1", "(word_order=2)      2"]
    alone = text_of(Page([Sheet(sheet.columns, sheet.rows[:1])])).split("\n")
    assert alone[2:4] == ["chrf                1", "(word_order=2)"]


def test_details_have_rows_of_their_own(result: Result) -> None:
    text = result.to_text(details=True, intervals=False, tests=False)
    scores = result["baseline"]["bleu"]
    assert re.search(rf"^  precision1 +↑ +baseline +{scores['precision1']:.2f}$", text, flags=re.MULTILINE)
    assert re.search(
        rf"^  brevity_penalty +baseline +{scores['brevity_penalty']:.4f}$", text, flags=re.MULTILINE
    )
    assert re.search(
        rf"^  translation_length +baseline +{scores['translation_length']:.0f}$", text, flags=re.MULTILINE
    )
    assert "precision1" not in result.to_text()


def test_decimals_on_request(result: Result) -> None:
    score, low = result["improved"]["bleu"]["score"], result.intervals()["improved"]["bleu"]["score"].low
    assert f" {score:.1f} " in result.to_text(decimals=1)
    assert f"[{low:.1f}, " in result.to_text(decimals=1)
    assert f"{{{score:.3f}}}" in result.to_latex(decimals=3)
    with pytest.raises(ParameterError, match=r"decimals.*0 to 15.*-1"):
        result.to_text(decimals=-1)


def test_text_has_raw_and_corrected_p_values_and_how_they_were_made(result: Result) -> None:
    text = result.to_text(resamples=200, seed=3, confidence=0.9, test="bootstrap")
    row = result.compare(resamples=200, seed=3, confidence=0.9, test="bootstrap")["bleu"]
    assert re.search(rf"improved .* {row.p:.4f} +{row.p_holm:.4f}$", text, flags=re.MULTILINE)
    assert "90% interval" in text
    assert f"bleu: {result.signatures['bleu']}|bs:200|confidence:90|bs-test:200|seed:3" in text
    assert f"bleu: {result.signatures['bleu']}|ar:1000|seed:12345" in result.to_text(intervals=False).split(
        "\n"
    )
    assert f"bleu: {result.signatures['bleu']}" in result.to_text(intervals=False, tests=False).split("\n")


def test_corpus_metrics_say_how_often_they_were_recomputed() -> None:
    result = nlgauge.score({"A": ["a b", "c"], "B": ["a", "c"]}, metrics="distinct")
    assert result.to_text().rstrip().endswith("|halves:500|confidence:95|ar:500|seed:12345")


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)&", line.strip().removesuffix(r"\\"))]


def test_latex_is_a_booktabs_table_with_the_best_in_bold(result: Result) -> None:
    text = result.to_latex(label="tab:mt")
    lines = [line.strip() for line in text.split("\n")]
    assert lines[0] == r"% needs \usepackage{booktabs}"
    assert [line for line in lines if line.endswith("rule")] == [r"\toprule", r"\midrule", r"\bottomrule"]
    assert r"\label{tab:mt}" in lines
    head, first, second = (lines[lines.index(r"\toprule") + i] for i in (1, 3, 4))
    assert cells(head) == [
        "system",
        r"BLEU $\uparrow$",
        r"\shortstack{chrF $\uparrow$\\(word\_order=2)}",
        r"TER $\downarrow$",
    ]
    intervals = result.intervals()
    low, high = intervals["improved"]["bleu"]["score"][1:3]
    score, row = result["improved"]["bleu"]["score"], result.compare()["bleu"]
    assert 0 < row.p_holm < 0.01
    assert cells(second)[:2] == [
        "improved",
        rf"\textbf{{{score:.2f}}}\textsuperscript{{**}} {{\small [{low:.2f}, {high:.2f}]}}",
    ]
    assert cells(first)[0] == "baseline"
    assert r"\textbf" not in first
    assert "*" not in first
    assert len({len(cells(line)) for line in (head, first, second)}) == 1
    assert "approximate randomization with 1000 resamples" in text
    assert r"\begin{tabular}{@{}lrrr@{}}" in text


def test_many_metrics_become_rows(result: Result) -> None:
    many = result.add("rouge", "wer")
    text = many.to_latex()
    assert r"metric & baseline & improved \\" in text
    assert r"ROUGE-L $\uparrow$ & " in text
    assert "| metric | baseline | improved |" in many.to_markdown()


def balanced(text: str) -> bool:
    depth = 0
    for mark in re.findall(r"(?<!\\)[{}]", text.replace(r"\\", "")):
        depth += 1 if mark == "{" else -1
        if depth < 0:
            return False
    return depth == 0


def test_no_name_breaks_a_latex_table(evil: Result) -> None:
    for text in (
        evil.to_latex(caption=EVIL, label=EVIL),
        evil.compare().to_latex(),
        evil.to_latex(wide=False),
    ):
        body = "\n".join(line for line in text.split("\n") if not line.startswith("%"))
        assert balanced(body)
        body = re.sub(r"\\label\{[-\w:.]*\}", "", body)
        assert not re.search(r"(?<!\\)[%#~^_]|(?<!\\)\$", re.sub(r"\$(?:-|\\(?:up|down)arrow)\$", "", body))
        assert "\x1b" not in text
        assert (
            r"R\&D\_50\% \{x\} \$y\$ \#1 \textasciitilde{}\textasciicircum{}\textbackslash{}"
            r" \textless{}script\textgreater{}" in body
        )
    # After the end of a row a bracket would be read as its argument.
    assert "    {}[B] & " in evil.to_latex()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_latex_compiles(result: Result, evil: Result, tmp_path: Path) -> None:
    tables = [shown.to_latex() for shown in (result, result.compare(), evil, evil.compare())] + [
        evil.to_latex(caption=EVIL, label=EVIL, wide=False)
    ]
    document = (
        "\\documentclass{article}\\usepackage{booktabs}\\begin{document}"
        + "\n".join(tables)
        + "\\end{document}"
    )
    (tmp_path / "paper.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]


def test_latex_of_many_columns_is_set_smaller(result: Result) -> None:
    assert r"\scriptsize\setlength{\tabcolsep}{2pt}" in result.compare().to_latex()
    assert "scriptsize" not in result.to_latex()


def test_latex_has_minus_signs_in_numbers_alone() -> None:
    sheet = Sheet(
        [column("system"), column("gain", "number")], [[Cell("a -3"), Cell("-1.50", aside="[-2.00, +0.10]")]]
    )
    assert r"a -3 & $-$1.50 {\small [$-$2.00, +0.10]} \\" in latex.latex_of(Page([sheet]))


def test_latex_escapes_ligatures_and_quotes() -> None:
    assert latex.escaped("a--b 'c'' \"d\"") == "a-{}-b 'c'{}' ''d''"


def test_markdown_is_a_table_with_the_best_in_bold(result: Result) -> None:
    lines = result.to_markdown().split("\n")
    assert lines[0] == r"| system | bleu ↑ | chrf (word\_order=2) ↑ | ter ↓ |"
    assert lines[1] == "| --- | ---: | ---: | ---: |"
    assert lines[3].startswith(f"| improved | **{result['improved']['bleu']['score']:.2f}**\\*\\* \\[")
    assert "The best score is bold." in " ".join(lines)
    long = result.to_markdown(wide=False).split("\n")
    assert long[0] == "| metric |  | system | score | 95% interval | gain | p | p (Holm) |"


def test_no_name_breaks_a_markdown_table(evil: Result) -> None:
    for text in (evil.to_markdown(), evil.compare().to_markdown()):
        rows = [line for line in text.split("\n") if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1
        assert "<script>" not in text
        assert r"&lt;script&gt;alert(1)&lt;/script&gt; a\|b \`c\` \*d\* \[e\]" in text
    assert markdown.escaped("a_b<i>&") == "a\\_b&lt;i&gt;&amp;"


def test_csv_has_every_number_in_full(result: Result, tmp_path: Path) -> None:
    text = result.to_csv(tmp_path / "scores.csv")
    assert (tmp_path / "scores.csv").read_text(encoding="utf-8") == text
    rows = list(csv.DictReader(text.splitlines()))
    outputs = {(row["system"], row["metric"], row["output"]): row for row in rows}
    bleu = outputs["improved", "bleu", "bleu"]
    assert float(bleu["score"]) == result["improved"]["bleu"]["score"]
    assert float(bleu["low"]) == result.intervals()["improved"]["bleu"]["score"].low
    assert float(bleu["p_holm"]) == result.compare()["bleu"].p_holm
    assert bleu["baseline"] == "baseline"
    assert outputs["baseline", "bleu", "bleu"]["p"] == ""
    assert len(rows) == sum(len(table.outputs()) for table in result._tables.values())
    assert result.to_csv(delimiter="\t", intervals=False, tests=False).split("\n")[0].split("\t") == [
        *("system", "metric", "output", "score", "higher_is_better", "undefined", "reason")
    ]
    with pytest.raises(ParameterError, match=r"delimiter.*'::'"):
        result.to_csv(delimiter="::")


def test_csv_quotes_what_must_be_quoted(evil: Result) -> None:
    result = nlgauge.score({'a,"b"': ["a", "b"], "c\nd": ["a", "b"]}, ["a", "b"], metrics="wer")
    rows = list(csv.DictReader(result.to_csv(intervals=False, tests=False).splitlines(keepends=True)))
    assert {row["system"] for row in rows} == {'a,"b"', "c\nd"}


class Checker(HTMLParser):
    """Collects tags and attributes; void tags need no end."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in ("br", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


# What intervals are drawn with.
_DRAWN = (
    "width",
    "height",
    "viewbox",
    "aria-hidden",
    "x1",
    "x2",
    "y1",
    "y2",
    "cx",
    "cy",
    "r",
    "fill",
    "stroke",
    "stroke-width",
    "stroke-opacity",
)


def checked(text: str) -> Checker:
    found = Checker()
    found.feed(text)
    found.close()
    assert found.open == []
    assert found.attributes <= {"style", "href", "class", *_DRAWN}
    assert "script" not in found.tags
    return found


def test_html_is_well_formed_and_escaped(result: Result, evil: Result) -> None:
    for shown in (result, result.compare(), result.explain("bleu", 0, "improved"), result.worst("bleu", 2)):
        found = checked(shown._repr_html_())
        assert {"table"} <= found.tags
        assert "class" not in found.attributes
    for text in (
        evil._repr_html_(),
        evil.compare()._repr_html_(),
        evil.to_html(),
        evil.worst("bleu", 40)._repr_html_(),
    ):
        assert "<script>alert(1)</script> a|b" in checked(text).text
        assert "\x1b" not in text
        assert "\u202e" not in text
    explained = NgramMatches(EVIL, {}, [EVIL], [1], [Order(EVIL, 1, 1)])._repr_html_()
    assert checked(explained).text.count("<script>") == 4


def test_html_shows_what_the_text_shows(result: Result) -> None:
    found = checked(result.to_html()).text
    score, interval = result["improved"]["bleu"]["score"], result.intervals()["improved"]["bleu"]["score"]
    assert f"{score:.2f}" in found
    assert f"[{interval.low:.2f}, {interval.high:.2f}]" in found
    assert "approximate randomization" in found
    assert 'font-weight:bold">improved' in result.to_html()


def test_html_of_markdown_runs_nothing() -> None:
    page = Page(
        [
            Document(
                "# T\n<script>x</script>\n\n[a](javascript:alert(1)) [b](https://b.example)\n\n| a | b"
                " |\n|---|---|\n| 1 | 2 |\n"
            )
        ]
    )
    text = html_of(page)
    assert "<script>" not in text
    assert "javascript:" not in re.findall(r'href="([^"]*)"', text)
    assert 'href="https://b.example"' in text
    assert "<table>" in text


def test_long_pages_are_cut_where_they_stand_alone() -> None:
    page = Page(
        [Sheet([column("a")], [[Cell(str(i))] for i in range(100)]), Strip(["t"], [[Cell("x")]] * 50)]
    )
    short = limited(page, 10, 20)
    assert [len(block.rows) for block in short.blocks if isinstance(block, Sheet)] == [10]
    assert [block.text for block in short.blocks if isinstance(block, Line)] == [
        "... and 90 more rows",
        "... and 30 more",
    ]
    assert limited(page, 100, 50) == page


def test_what_stands_alone_is_short() -> None:
    systems = {f"system-{i}": ["the cat sat", "a dog ran"] for i in range(40)}
    result = nlgauge.score(
        systems, ["the cat", "a dog"], metrics=["bleu", "chrf", "ter", "cer", "mer", "wil", "wer"]
    )
    assert len(repr(result)) < 3000
    assert repr(result).endswith("more lines; print() shows all of them")
    assert "system-39" in str(result)
    assert len(repr(result.compare())) < 3000
    assert len(result._repr_html_()) < 200_000
    long = nlgauge.score(
        [" ".join(f"word{i}" for i in range(3000))], ["word1 word2"], metrics="bleu"
    ).explain("bleu", 0)
    assert len(repr(long)) < 3000
    assert len(long._repr_html_()) < 100_000
    assert "word2999" in str(long)


def test_an_explanation_shows_itself_as_the_command_does(result: Result) -> None:
    (explanation,) = found = result.explain("bleu", 1, "improved")
    assert str(explanation) == str(found) == repr(found)
    assert "matched     " in str(explanation)
    assert str(result.explain("bleu", 1, "improved")).split("\n")[0] == explanation.title
    assert isinstance(found, list)
    assert repr(type(found)()) == "no explanation"


def test_a_card_shows_itself() -> None:
    found = card("chrf")
    assert isinstance(found, Card)
    assert len(repr(found)) < 3000
    assert "scores: chrf from 0 to 100, higher is better" in str(found)
    assert "When it misleads" in str(found)
    assert {"h2", "p"} <= checked(found._repr_html_()).tags


def test_every_card_is_whole_html() -> None:
    for name in nlgauge.list_metrics():
        checked(card(name)._repr_html_())


def test_footnotes_are_numbered_once() -> None:
    notes = Footnotes()
    assert [notes.mark(text) for text in ("a", "b", "a", "")] == [(1,), (2,), (1,), ()]
    cell = Cell("1.0", notes=(1,), stars="*")
    page = Page([Sheet([Column(Cell("x"), "number")], [[cell]])], ["why"])
    assert text_of(page).split("\n")[2:4] == ["1.0* [1]", "[1] why"]
    assert "1.0\\*<sup>1</sup>" in markdown_of(page)
    assert "<sup>1</sup> why" in markdown_of(page)
    assert r"1.0\textsuperscript{*1}" in latex.latex_of(page)
    assert r"\caption{\textsuperscript{1} why.}" in latex.latex_of(page)


def test_files_are_written_as_they_are_returned(result: Result, tmp_path: Path) -> None:
    for name in ("text", "markdown", "latex", "html", "csv"):
        for shown in (result, result.compare()):
            text = getattr(shown, f"to_{name}")(tmp_path / name)
            assert (tmp_path / name).read_bytes().decode() == text
            assert "improved" in text


@pytest.fixture(scope="module")
def many() -> Result:
    """Nine systems, the best one in the middle, with names that begin alike; TER is better low."""
    references = [f"the {i} cats sat on the mat near {i + 2} old houses" for i in range(25)]
    kept = [3, 4, 5, 6, 11, 7, 8, 9, 10]
    predictions = {
        f"newstest2021.en-de.sys{k}": [
            " ".join(line.split()[: k - (i % 2)]) for i, line in enumerate(references)
        ]
        for k in kept
    }
    return nlgauge.score(
        predictions,
        references,
        metrics=["ter", "chrf", "rouge", "wer", "cer"],
        fields={"part": ["a"] * 13 + ["b"] * 12},
    )


def table_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if re.match(r"sys\d", line)]


def test_many_systems_have_one_row_each_and_the_best_is_first(many: Result) -> None:
    order = [f"sys{k}" for k in (11, 10, 9, 8, 7, 6, 5, 4, 3)]
    for text in (str(many), many.to_text(resamples=50, tests=False)):
        # Six outputs are two tables.
        assert [line.split()[0] for line in table_lines(text)] == order * 2
        assert max(map(len, text.split("\nter: ")[0].split("\n"))) <= 80
    assert re.findall(r">(sys\d+)<", many._repr_html_()) == order * 2
    assert many._repr_html_().count("<svg") == 9 * 6
    long = many.to_text(wide=False, resamples=50, tests=False)
    assert len(re.findall(r"^ *\S* *[↑↓]? *(?:rouge\w+)? *[↑↓]? *sys\d+ ", long, re.MULTILINE)) == 9 * 6
    assert len(table_lines(many.to_markdown(resamples=50, tests=False).replace("| ", ""))) == 9


def test_systems_without_a_score_come_last() -> None:
    systems = {"none": ["", ""], **{f"s{i}": ["a b", "c d"] for i in range(5)}}
    result = nlgauge.score(systems, ["a b", "c d"], metrics="flesch_reading_ease")
    names = [
        line.split()[0]
        for line in str(result).split("\n")
        if line.startswith(("s", "none")) and "system" not in line
    ]
    assert names == ["s0", "s1", "s2", "s3", "s4", "none"]
    assert math.isnan(result["none"]["flesch_reading_ease"]["score"])


def test_intervals_stand_below_where_there_is_no_room(many: Result) -> None:
    few = many._page(resamples=50, tests=False)
    narrow, broad = text_of(few, 80).split("\n"), text_of(few, 200).split("\n")
    first = next(i for i, line in enumerate(narrow) if line.startswith("sys11"))
    assert "[" not in narrow[first]
    assert narrow[first + 1].count("[") == 4
    assert next(line for line in broad if line.startswith("sys11")).count("[") == 4


def test_a_long_beginning_that_all_names_share_is_said_once(many: Result) -> None:
    said = "The names of all systems begin with 'newstest2021.en-de.'."
    for shown in (many, many.compare(resamples=20), many.ranks(resamples=20), many.by("part")):
        text = shown.to_markdown()
        assert text.count(said) == 1
        assert "newstest2021.en-de.sys" not in text.replace("against newstest", "")
    assert "newstest2021.en-de.sys3" in many.to_csv(resamples=20)
    assert dict(short_names(["summaries.base", "summaries.best"])) == {
        "summaries.base": "summaries.base",
        "summaries.best": "summaries.best",
    }
    assert list(short_names(["a.long.beginning.", "a.long.beginning.x"]).values()) == [
        "a.long.beginning.",
        "a.long.beginning.x",
    ]
    assert list(short_names(["a.long.beginning.alone"]).values()) == ["a.long.beginning.alone"]


def test_too_few_resamples_for_many_tests_are_said(many: Result) -> None:
    said = "100 resamples are too few for 48 tests: no corrected p can be below 0.48; use 5000 or more."
    assert said in many.to_markdown(resamples=100)
    assert said in many.compare(resamples=100).to_markdown()
    assert "too few for" not in many.to_markdown(resamples=1000)
    assert "too few for" not in many.to_markdown(tests=False)


def test_small_print_can_be_left_out(result: Result) -> None:
    for method in (result.to_markdown, result.to_latex):
        assert "nrefs:1" in method()
        assert "nrefs:1" not in method(small_print=False)


@pytest.mark.parametrize(
    ("output", "decimals"),
    [
        (Output("bleu", True, 0, 100), 2),
        (Output("ter", False, 0, decimals=2), 2),
        (Output("rougeL", True, 0, 1), 4),
    ],
)
def test_pages_show_the_decimals_of_tables(output: Output, decimals: int) -> None:
    assert len(number(12.3456789, output).partition(".")[2]) == decimals
    assert _described("label", "metric", "name", "output", output)["decimals"] == decimals


def test_pages_decide_on_the_decimals_of_counts() -> None:
    assert _described("label", "metric", "name", "length", Output("length", None, 0))["decimals"] is None
