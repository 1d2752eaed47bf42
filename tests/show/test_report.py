"""The report is one file that needs nothing else: its modules are linked, its policy names what may run,
and it is the same each time.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import importlib
import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.explanations import NgramMatches
from nlgauge.results.result import Result
from nlgauge.show.report import within

# The package has a function of this name.
pages = importlib.import_module("nlgauge.show.report.page")
_ROOT = Path(__file__).parents[2]
_SHELL = 330_000


@pytest.fixture(scope="module")
def result() -> Result:
    texts = [f"the text number {number} of a small corpus" for number in range(30)]
    return nlgauge.score(
        {"A": texts, "B": [text[:-7] for text in texts]},
        [[text] for text in texts],
        metrics=["bleu", "ter"],
        fields={"half": ["x"] * 15 + ["y"] * 15},
    )


@pytest.fixture(scope="module")
def written(result: Result, tmp_path_factory: pytest.TempPathFactory) -> str:
    return result.report(
        tmp_path_factory.mktemp("report") / "r.html", title="A <title> & more", resamples=100
    ).read_text("utf-8")


class Elements(HTMLParser):
    """The scripts and styles of a page, and every address in it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self.addresses: list[str | None] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), ""))
        self.addresses += [value for name, value in attrs if name in ("src", "href", "action")]

    def handle_endtag(self, tag: str) -> None:
        self.found.append(("", {}, ""))

    def handle_data(self, data: str) -> None:
        if self.found:
            tag, attrs, text = self.found[-1]
            self.found[-1] = tag, attrs, text + data


def parts(text: str) -> dict[str, bytes]:
    return {
        name: gzip.decompress(base64.b64decode(data))
        for name, data in re.findall(r'<script type="text/plain" id="d-(\w+)">([^<]*)</script>', text)
    }


def meta(text: str) -> Any:
    return json.loads(parts(text)["meta"])


def test_the_policy_names_the_one_script_and_the_one_style(written: str) -> None:
    elements = Elements(written)
    code = [
        text for tag, attrs, text in elements.found if tag == "script" and attrs.get("type") != "text/plain"
    ]
    styles = [text for tag, _, text in elements.found if tag == "style"]
    assert (len(code), len(styles)) == (1, 1)
    policy = next(
        attrs["content"] or ""
        for tag, attrs, _ in elements.found
        if attrs.get("http-equiv") == "Content-Security-Policy"
    )
    for name, text in (("script-src", code[0]), ("style-src", styles[0])):
        wanted = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name} 'sha256-{wanted}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert not [attrs for _, attrs, _ in elements.found if any(name.startswith("on") for name in attrs)]


def test_nothing_in_it_comes_from_elsewhere(written: str) -> None:
    assert all(address is not None and address.startswith("#") for address in Elements(written).addresses)
    assert not re.search(r"url\((?!data:)", written)
    assert "@import" not in written


def test_the_shell_is_small(written: str) -> None:
    data = re.sub(r'(<script type="text/plain" id="d-\w+">)[^<]*', r"\1", written)
    assert len(data.encode()) < _SHELL


def test_the_title_is_text_and_the_table_is_there_without_javascript(written: str, result: Result) -> None:
    assert "<title>A &lt;title&gt; &amp; more</title>" in written
    assert "<h1>A &lt;title&gt; &amp; more</h1>" in written
    fallback = written.partition("<noscript>")[2].partition("</noscript>")[0]
    assert f"{result['A']['ter']['ter']:.1f}" in fallback
    assert "<script" not in fallback


def test_what_fills_a_hole_is_not_a_hole() -> None:
    assert "<h1>@@STATIC@@</h1>" in pages.body("@@STATIC@@", "<p>table</p>")


def test_the_same_result_gives_the_same_bytes(result: Result, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
    first, second = (
        result.report(tmp_path / name / "r.html", resamples=100, explain=5).read_bytes()
        for name in ("a", "b")
    )
    assert first == second
    saved = nlgauge.load(result.save(tmp_path / "saved"))
    assert saved.report(tmp_path / "c" / "r.html", resamples=100, explain=5).read_bytes() == first


@pytest.mark.skipif(os.name == "nt", reason="limits are POSIX's")
def test_a_full_disk_leaves_the_old_report_and_no_folder_is_made(result: Result, tmp_path: Path) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    (tmp_path / "r.html").write_text("old")
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
        with pytest.raises(OSError, match="File too large"):
            result.report(tmp_path / "r.html", resamples=10, explain=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (tmp_path / "r.html").read_text() == "old"
    with pytest.raises(ParameterError, match="directory"):
        result.report(tmp_path / "new" / "r.html")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]


def test_how_much_is_explained(result: Result, tmp_path: Path) -> None:
    def of(**options: Any) -> Any:
        return meta(result.report(tmp_path / "r.html", resamples=20, **options).read_text("utf-8"))

    assert of(explain=0)["explained"] == of(explain=0)["why"] == {}
    assert of(explain=10)["explained"] == {"bleu": 10, "ter": 10}
    assert sorted(map(int, of(explain="all")["why"])) == list(range(30))
    assert (of(texts=False)["texts"], of(texts=False)["why"]) == ("none", {})
    small = of(max_size=0, explain=4)
    assert (small["texts"], len(small["kept"])) == ("chosen", 4)
    assert [field["name"] for field in of()["fields"]] == ["half"]
    for explain in (-1, True, "some", 1.5):
        with pytest.raises(ParameterError, match="explain must be"):
            of(explain=explain)


def test_the_size_counts_explanations(result: Result, tmp_path: Path) -> None:
    def of(max_size: float) -> tuple[Any, float]:
        path = result.report(tmp_path / "r.html", resamples=20, explain="all", max_size=max_size)
        return meta(path.read_text("utf-8")), path.stat().st_size / 1e6

    whole, size = of(25)
    assert (len(whole["why"]), whole["left_out"]) == (30, [])
    smaller, less = of(size - 0.0002)
    assert less <= size - 0.0002
    assert smaller["texts"] == "all"
    assert 0 < len(smaller["why"]) < 30
    assert smaller["left_out"] == [f"the explanations of {30 - len(smaller['why'])} segments"]
    assert of(0)[0]["why"] == {}


def test_parts_that_do_not_fit_are_not_made() -> None:
    def parts() -> Iterator[tuple[str, bytes]]:
        for name in "abc":
            made.append(name)
            yield name, bytes(30)

    made: list[str] = []
    assert within(parts(), 100) is None
    assert made == ["a", "b", "c"]
    made.clear()
    assert within(parts(), 79) is None
    assert made == ["a", "b"]
    assert within(parts(), 120) == dict.fromkeys("abc", bytes(30))


def _five_systems() -> Result:
    texts = [f"the text number {number} of a small corpus" for number in range(4)]
    systems = {name: [text[place:] for text in texts] for place, name in enumerate("ABCDE")}
    return nlgauge.score(systems, [[text] for text in texts], metrics=["bleu", "ter"])


def _shown_first(about: dict[str, Any]) -> list[str]:
    """Return the pair, and the best and the worst system of segment 0 by BLEU; TER has the same extremes."""
    many = _five_systems()
    scores = [many._tables[system, "bleu"].segments_of("bleu")[0] for system in many.systems]
    ends = [int(np.argmax(scores)), 4 - int(np.argmin(scores[::-1]))]
    first = sorted({many.systems[number] for number in (*about["pair"], *ends)})
    assert len(first) < 5
    return first


def test_large_explanations_are_of_the_systems_that_are_shown_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nlgauge.show.report.explained.MATRICES", (NgramMatches,))
    text = _five_systems().report(tmp_path / "r.html", resamples=20).read_text("utf-8")
    why, about = json.loads(parts(text)["why0"]), meta(text)
    assert [sorted(of_label) for of_label in (why["0"]["bleu"], why["0"]["ter"])] == [
        _shown_first(about),
        list("ABCDE"),
    ]
    assert about["partly"] == ["bleu"]


def test_systems_that_are_not_shown_first_lose_their_explanations_first(
    tmp_path: Path,
) -> None:
    texts = [f"the text number {number} of a small corpus, with days and nights" for number in range(16)]
    systems = {name: [text[3 * place :] for text in texts] for place, name in enumerate("ABCDEFGHIJKL")}
    many = nlgauge.score(systems, [[text] for text in texts], metrics=["bleu", "ter"])
    whole = many.report(tmp_path / "whole.html", resamples=20)
    assert whole.left_out == ()  # type: ignore[attr-defined]
    size = whole.stat().st_size / 1e6
    limited = many.report(tmp_path / "r.html", resamples=20, max_size=size - 0.002)
    text = limited.read_text("utf-8")
    assert limited.left_out == (  # type: ignore[attr-defined]
        "the explanations of systems that the page does not show first",
    )
    assert limited.stat().st_size / 1e6 <= size - 0.002
    assert meta(text)["left_out"] == list(limited.left_out)  # type: ignore[attr-defined]
    why = json.loads(parts(text)["why0"])
    about = meta(text)
    pair = {about["systems"][number] for number in about["pair"]}
    assert all(pair <= set(of) and len(of) <= 6 for of_label in why.values() for of in of_label.values())
    assert about["partly"] == ["bleu", "ter"]


def test_texts_false_leaves_every_text_out(result: Result, tmp_path: Path) -> None:
    text = result.report(tmp_path / "r.html", resamples=20, texts=False).read_text("utf-8")
    assert not any(b"small corpus" in content for content in parts(text).values())
    assert "small corpus" not in text


def link(place: Path, monkeypatch: pytest.MonkeyPatch, **modules: str) -> str:
    for name, text in modules.items():
        (place / f"{name}.js").write_text(text)
    monkeypatch.setattr(pages, "WEB", place)
    return pages.linked()


def test_modules_are_linked_in_the_order_in_which_they_need_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = link(
        tmp_path,
        monkeypatch,
        main=(
            'import { a, twice as both } from "./a.js";\nimport { rows } from "./b.js";\nconst x = a +'
            " both(rows());\n"
        ),
        a=(
            'import { rows as own } from "./b.js";\nexport const a = own();\nfunction two(x) { return 2 * x;'
            " }\nexport { two as twice };\n"
        ),
        b=(
            "// a comment\nexport function rows() {\n  return 1;\n}\nexport async function later() {}\nexport"
            " class One {}\n"
        ),
    )
    assert text.index("$b = ") < text.index("$a = ") < text.index("$main = ")
    assert "import" not in text
    assert "a comment" not in text
    assert "return { a, twice: two };" in text
    assert "return { rows, later, One };" in text


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        (
            {
                "main": 'import { a } from "./a.js";\n',
                "a": 'import { b } from "./main.js";\nexport const a = 1;\n',
            },
            "in a circle",
        ),
        ({"main": 'import a from "./a.js";\n', "a": ""}, "not of the form"),
        ({"main": 'const x = "</SCRIPT>";\n'}, "</script"),
    ],
)
def test_what_cannot_be_linked_is_refused(
    modules: dict[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=message):
        link(tmp_path, monkeypatch, **modules)


def test_every_module_is_part_of_the_page() -> None:
    text = pages.linked()
    assert not re.search(r"^\s*(import|export)\b", text, re.MULTILINE)
    for path in pages.WEB.glob("*.js"):
        assert f"const ${path.stem} = " in text, path.name


# The syntax of a script and of modules, in one process: to start one takes longer than to read all of them.
_CHECK = """const { readFileSync } = require("fs");
const { Script, SourceTextModule } = require("vm");
const [script, ...modules] = process.argv.slice(1);
new Script(readFileSync(script, "utf-8"), { filename: script });
for (const path of modules) new SourceTextModule(readFileSync(path, "utf-8"), { identifier: path });
console.log(modules.length)"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_every_module_is_javascript(tmp_path: Path) -> None:
    linked = tmp_path / "linked.js"
    linked.write_text(pages.linked(), "utf-8")
    modules = sorted(pages.WEB.rglob("*.js"))
    command = ["node", "--experimental-vm-modules", "-e", _CHECK, linked, *modules]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(modules) > 30


def test_no_module_makes_markup_of_text() -> None:
    for path in pages.WEB.glob("*.js"):
        found = re.findall(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new"
            r" Function|DOMParser|createContextualFragment",
            path.read_text("utf-8"),
        )
        assert found == [], path.name


def test_every_rule_of_the_style_sheet_is_for_something() -> None:
    """Each class and id that is styled is given to an element somewhere."""
    code = "".join(path.read_text("utf-8") for path in [*pages.WEB.glob("*.js"), pages.WEB / "page.html"])
    # Classes that are the names of things in the data.
    of_data = {"stem", "synonym", "paraphrase", "minor", "major", "critical", "entail", "contradict"}
    rules = re.sub(
        r"\{[^{}]*\}",
        "{}",
        re.sub(r"/\*.*?\*/|@@\w+@@", "", (pages.WEB / "page.css").read_text("utf-8"), flags=re.DOTALL),
    )
    names = set(re.findall(r"[.#]([a-zA-Z][\w-]*)", rules)) - of_data
    assert len(names) > 50
    assert sorted(name for name in names if not re.search(rf"(?<![\w-]){name}(?![\w-])", code)) == []


def test_vendored_files_are_those_of_their_hashes() -> None:
    vendor = pages.WEB / "vendor"
    hashes = json.loads((vendor / "hashes.json").read_text("utf-8"))
    assert hashes == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in vendor.iterdir()
        if path.name != "hashes.json"
    }


def test_the_page_is_in_what_is_built() -> None:
    build = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["scikit-build"]
    assert "src/nlgauge" in build["wheel"]["packages"]
    assert "src" in build["sdist"]["include"]
    ignored = (_ROOT / ".gitignore").read_text("utf-8").split()
    tracked = [path for path in pages.WEB.rglob("*") if path.is_file()]
    assert tracked
    for path in tracked:
        assert path.suffix in (".js", ".css", ".html", ".woff2", ".json", ".txt"), path
        assert not any(pattern.strip("/") in path.parts for pattern in ignored)
