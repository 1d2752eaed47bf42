"""sacreBLEU's test sets: scored where their files are on the machine, never fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli_cases import document, enter, printed, refused, run, write
from messages import mentions

sacrebleu = pytest.importorskip("sacrebleu")

SOURCES = ["ein Haus .", "das Haus ist rot .", "sie liest ein Buch"]
REFERENCES = ["a house .", "the house is red .", "she reads a book"]
SYSTEM = ["a house .", "the house was red", "she reads the book"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from sacrebleu.dataset import DATASETS

    enter(tmp_path, monkeypatch)

    def fetch(*_: Any, **__: Any) -> None:
        pytest.fail("it asked the network")

    monkeypatch.setattr("urllib.request.urlopen", fetch)
    monkeypatch.setattr("sacrebleu.utils.SACREBLEU_DIR", str(tmp_path / "sets"))
    for dataset in DATASETS.values():
        monkeypatch.setattr(dataset, "_outdir", str(tmp_path / "sets" / dataset.name))
        monkeypatch.setattr(dataset, "_rawdir", str(tmp_path / "sets" / dataset.name / "raw"))
    (tmp_path / "sets" / "wmt17" / "raw" / "test").mkdir(parents=True)
    columns = {
        "src": SOURCES,
        "ref": REFERENCES,
        "docid": ["a", "b", "b"],
        "genre": ["news"] * 3,
        "origlang": ["de", "en", "en"],
    }
    for field, lines in columns.items():
        write(f"sets/wmt17/wmt17.de-en.{field}", "".join(f"{line}\n" for line in lines))
    documents = [("a", "de", SOURCES[:1]), ("b", "en", SOURCES[1:])]
    raw = "".join(
        f'<doc sysid="src" docid="{name}" origlang="{lang}">\n'
        + "".join(f'<seg id="1">{line}</seg>\n' for line in lines)
        for name, lang, lines in documents
    )
    write("sets/wmt17/raw/test/newstest2017-deen-src.de.sgm", raw)
    write("sys.txt", "".join(f"{line}\n" for line in SYSTEM))
    return tmp_path


def test_a_test_set_brings_references_and_sources() -> None:
    found = document("score", "-t", "wmt17", "-l", "de-en", "-m", "bleu", "novelty", "sys.txt")
    assert found["systems"]["sys"]["bleu"]["scores"]["score"] == pytest.approx(
        sacrebleu.corpus_bleu(SYSTEM, [REFERENCES]).score, abs=1e-9
    )
    assert found["systems"]["sys"]["novelty"]["scores"]["score"] > 0
    piped = document(
        "score", "-t", "wmt17", "-l", "de-en", "-m", "bleu", stdin="".join(f"{line}\n" for line in SYSTEM)
    )
    assert piped["systems"]["stdin"]["bleu"] == found["systems"]["sys"]["bleu"]


def test_a_part_of_a_test_set() -> None:
    arguments = ("score", "-t", "wmt17", "-l", "de-en", "-m", "chrf", "sys.txt")
    for origlang, part in (("de", slice(0, 1)), ("non-de", slice(1, 3))):
        found = document(*arguments, "--origlang", origlang)["systems"]["sys"]["chrf"]["scores"]["score"]
        assert found == pytest.approx(sacrebleu.corpus_chrf(SYSTEM[part], [REFERENCES[part]]).score, abs=1e-9)
    assert "no segment of wmt17, de-en" in refused(*arguments, "-ol", "fr")
    Path("sets/wmt17/raw/test/newstest2017-deen-src.de.sgm").unlink()
    assert "need sacreBLEU's file" in refused(*arguments, "-ol", "de")


def test_texts_of_a_test_set() -> None:
    assert printed("score", "-t", "wmt17", "-l", "de-en", "--echo", "src").splitlines() == SOURCES
    assert (
        printed("score", "-t", "wmt17", "-l", "de-en", "--echo", "docid", "ref").splitlines()[0]
        == "a\ta house ."
    )
    assert (
        printed("score", "-t", "wmt17", "-l", "de-en", "--echo", "all").splitlines()[2]
        == "sie liest ein Buch\tshe reads a book\tb\tnews\ten"
    )
    assert printed("score", "-t", "wmt17", "-l", "de-en", "--echo", "ref", "-ol", "de").splitlines() == [
        "a house ."
    ]


def test_lists_and_citations() -> None:
    every = printed("score", "--list")
    assert "wmt17  " in every
    assert len(printed("score", "--list", "-l", "de-en").splitlines()) < len(every.splitlines())
    assert "de-en: src, ref, docid, genre, origlang" in printed("score", "--list", "-t", "wmt17")
    assert "bojar" in printed("score", "-t", "wmt17", "--cite")
    assert printed("score", "-t", "wmt17", "--citation") == printed("score", "-t", "wmt17", "--cite")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-t", "wmt19", "-l", "de-en", "sys.txt"], "test ... wmt19"),
        (["-t", "wmt19", "-l", "de-en", "sys.txt"], "sacrebleu --download wmt19 -l "),
        (["-t", "wmt21", "-l", "de-en", "sys.txt"], "test ... wmt21"),
        (["-t", "wmt21", "--list"], "test ... wmt21"),
        (
            ["-t", "wmt177", "-l", "de-en", "sys.txt"],
            "test set ... 'wmt177' ... 'wmt17'",
        ),
        (["-t", "wmt17", "-l", "de-xx", "sys.txt"], "wmt17 ... 'de-xx'"),
        (["-t", "wmt17", "sys.txt"], "-t wmt17 ... -l"),
        (["-t", "wmt17", "-l", "en", "sys.txt"], "-t wmt17 needs a language pair"),
        (
            ["-t", "wmt17", "-l", "de-en", "-r", "refs.txt", "sys.txt"],
            "-t wmt17 ... -r refs.txt",
        ),
        (
            ["-t", "wmt17", "-l", "de-en", "--echo", "x"],
            "wmt17 ... 'x'",
        ),
        (["--echo", "src"], "--echo ... test"),
        (["--cite"], "--cite needs a test set"),
        (
            ["--origlang", "de", "-r", "refs.txt", "sysA.txt"],
            "--origlang and --subset ... test",
        ),
        (
            ["-l", "en-ja", "-r", "refs.txt", "sysA.txt"],
            "-l ja ... Japanese ... -l en-JA ... English",
        ),
    ],
)
def test_wrong_use(arguments: list[str], message: str) -> None:
    assert mentions(refused("score", *arguments), message)


def test_languages_with_a_region_are_languages() -> None:
    assert run("score", "-q", "-m", "bleu", "-l", "pt-BR", "-r", "refs.txt", "sysA.txt").exit_code == 0
    assert run("score", "-q", "-m", "bleu", "-l", "zh_Hans", "-r", "refs.txt", "sysA.txt").exit_code == 0
