"""nlgauge annotate on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from messages import mentions
from rating_cases import made, rated

import nlgauge
from nlgauge.annotate.campaign import Campaign
from nlgauge.annotate.tokens import Tokens
from nlgauge.cli.commands import app


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.jsonl"
    lines = [
        {
            "id": f"s{number}",
            "system": system,
            "source": "the source",
            "prediction": f"text {number} of {system}",
        }
        for number in range(8)
        for system in ("alpha", "beta")
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def test_new_reports_the_items_of_everyone(texts: Path, tmp_path: Path) -> None:
    words = ("annotate", "new", texts, "-o", tmp_path / "c", "--protocol", "esa", "--annotators", "a1,a2")
    done = run(*words, "--segments", 6, "--overlap", 0.5)
    assert done.exit_code == 0, done.output
    assert done.stdout == f"{tmp_path / 'c'}\n"
    assert mentions(done.stderr, "6 segments x 2 systems = 12 items ... a1 ... a2 ... 6 shared")
    assert mentions(done.stderr, "warning: 6 outputs contain ... 'alpha'")
    campaign = Campaign.open(tmp_path / "c")
    assert len(campaign.texts) == 8
    done = run(*words)
    assert done.exit_code == 2
    assert mentions(done.stderr, "exists ... -o ... nlgauge annotate add")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--segments", 900), "segments ... 8 ... 900"),
        (("--protocol", "esaa"), "esaa ... esa"),
        (("--protocol", "absent.toml"), "absent.toml does not exist"),
        (("--annotators", "a1,a1"), "named twice"),
        (("--until", 3, "--until-sure"), "cannot be combined"),
        (("--overlap", 2), "overlap ... 2"),
        (("--decide-on", "fluency"), "fluency ... esa"),
    ],
)
def test_wrong_use(texts: Path, tmp_path: Path, words: tuple[object, ...], message: str) -> None:
    start = ("annotate", "new", texts, "-o", tmp_path / "c", "--protocol", "esa", "--annotators", "a1,a2")
    done = run(*start, *words)
    assert done.exit_code == 2, done.output
    assert mentions(done.stderr, message), done.stderr
    assert not (tmp_path / "c").exists()


def test_results_without_texts_cannot_be_rated(tmp_path: Path) -> None:
    nlgauge.score({"A": ["a b"], "B": ["a c"]}, [["a b"]], metrics=["chrf"]).save(
        tmp_path / "out", texts=False
    )
    done = run(
        "annotate", "new", tmp_path / "out", "-o", tmp_path / "c", "--protocol", "da", "--annotators", "a"
    )
    assert done.exit_code == 2
    assert mentions(done.stderr, "was saved without texts")


def test_status_export_and_add(tmp_path: Path) -> None:
    campaign = made(tmp_path, overlap=1.0, ids=[f"seg-{i}" for i in range(10)], damaged=0.3)
    place = campaign.directory
    assert run("annotate", "status", place, "--until", 5).exit_code == 3
    # ana notices damage, ben does not read.
    quality = {"alpha": 80, "beta": 60, "gamma": 40}
    rated(
        campaign,
        "ana",
        lambda item: {"da": quality[item.systems[0]] + int(item.segment[-1]) - 20 * (item.kind == "damaged")},
    )
    rated(campaign, "ben", {"da": 50})
    done = run("annotate", "status", place)
    assert done.exit_code == 0, done.output
    for words in ("estimates", "differences", "agreement", "9 of 9", "0 of 9", "10 of 10 segments finished"):
        assert words in done.stdout, words
    assert "stop" not in done.stdout
    state = json.loads(run("annotate", "status", place, "-f", "json").stdout)
    assert [row["failed"] for row in state["annotators"]] == [False, True]
    assert run("annotate", "status", place, "--until", 200).exit_code == 0
    target = tmp_path / "ratings.jsonl"
    done = run("annotate", "export", place, "-o", target, "--exclude-failed")
    assert done.exit_code == 0
    assert "ben" in done.stderr
    rows = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    assert {row["human"]["da"] - int(row["segment"][-1]) for row in rows} == {80, 60, 40}
    assert rows[0]["meta"]["annotators"] == ["ana"]
    done = run("annotate", "export", place, "-o", tmp_path / "ratings.csv", "-f", "appraise")
    assert mentions(done.stderr, "appraise does not contain")
    assert mentions(run("annotate", "add", place, "--annotators", "ana").stderr, "ana ... tokens --new ana")
    assert run("annotate", "add", place, "--annotators", "cem", "--segments", 5).exit_code == 0
    assert len(Campaign.open(place).plan.segments) == 15


def test_status_repairs_a_damaged_log(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    rated(campaign, "ana", {"da": 5}, 3)
    file = campaign.directory / "ratings.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"da":5', b'"da":6', 1))
    done = run("annotate", "status", campaign.directory)
    assert mentions(done.stderr, "line 1 of ratings.jsonl is damaged ... status --repair")
    done = run("annotate", "status", campaign.directory, "--repair")
    assert (done.exit_code, "1 damaged line was moved" in done.stderr) == (0, True)
    assert len(campaign.records()) == 2


def test_campaigns_of_another_version_are_refused(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    file = campaign.directory / "campaign.json"
    file.write_text(file.read_text("utf-8").replace('"format": 1', '"format": 7'), "utf-8")
    for command in ("status", "serve"):
        done = run("annotate", command, campaign.directory)
        assert done.exit_code == 1
        assert mentions(done.stderr, "format 7 ... format 1")


def test_tokens_are_printed_once(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    done = run("annotate", "tokens", campaign.directory, "--new", "ana,organizer")
    assert done.exit_code == 0
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    tokens = Tokens(campaign.directory)
    assert [tokens.role_of(address.partition("token=")[2]) for _, address in lines] == ["ana", "organizer"]
    done = run("annotate", "tokens", campaign.directory, "--new", "eve")
    assert done.exit_code == 2
    assert "eve" in done.stderr


def test_an_offline_page_has_the_items_of_one_annotator(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    done = run("annotate", "page", campaign.directory, "--annotator", "ana", "-o", tmp_path / "ana.html")
    assert done.stdout == f"{tmp_path / 'ana.html'}\n"
    assert (
        run("annotate", "page", campaign.directory, "--annotator", "eve", "-o", tmp_path / "x").exit_code == 2
    )
    (tmp_path / "empty.jsonl").write_text("", "utf-8")
    assert "0 ratings added" in run("annotate", "merge", campaign.directory, tmp_path / "empty.jsonl").stderr


def test_ratings_are_human_scores_of_a_report(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    rated(campaign, "ana", {"da": 70})
    systems = {
        name: [f"text {i} of {place}" for i in range(30)] for place, name in enumerate(campaign.plan.systems)
    }
    ids = [f"seg-{i}" for i in range(30)]
    nlgauge.score(systems, [[f"reference {i}"] for i in range(30)], metrics=["chrf"], ids=ids).save(
        tmp_path / "out"
    )
    done = run("report", tmp_path / "out", "--ratings", campaign.directory, "-o", tmp_path / "report.html")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "report.html").stat().st_size > 100_000
    done = run("report", tmp_path / "out", "--ratings", tmp_path, "-o", tmp_path / "other.html")
    assert done.exit_code == 2
    assert "not a campaign" in done.stderr
