"""Probes find the judges that they are made for; verdicts show themselves in every medium."""

from __future__ import annotations

import json
import math
from itertools import count
from typing import Any

import pytest
from cli_cases import printed, warned, write
from hostile_server import Answer, completion, serving
from judge_cases import answering, choice, client, weighed

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError
from nlgauge.explanations import Verdict
from nlgauge.explanations.wire import document, read
from nlgauge.meta.diagnostics.judges import FILLER, JudgeCheck, check
from nlgauge.metrics.judge import FileJudge
from nlgauge.metrics.pairwise import Pairwise
from nlgauge.show.writers.html import html_of
from nlgauge.show.writers.markdown import markdown_of

WORDS = [
    "the",
    "cat",
    "sat",
    "on",
    "a",
    "mat",
    "and",
    "slept",
    "while",
    "it",
    "rained",
    "outside",
    "all",
    "day",
    "long",
]
TEXTS = [" ".join(WORDS[: 2 + i]) + "." for i in range(8)]
CORPUS = Corpus.read(
    {"A": TEXTS, "B": [text.upper() for text in TEXTS]}, ["It rained."] * 8, ["a source"] * 8
)


def probed(weights: Any, **options: Any) -> tuple[JudgeCheck, dict[tuple[str, str], Any]]:
    found = check(FileJudge(model=weighed(weights)), CORPUS, rows=6, **options)
    return found, {(finding.probe, finding.what.split(" of ")[0]): finding for finding in found.findings}


def text_in(words: str) -> str:
    return words.rsplit("Text:\n", maxsplit=1)[-1].split("\n\nScore:", maxsplit=1)[0]


def fair(words: str) -> dict[str, float]:
    """A judge that likes lower case, and knows two equal texts when it sees them."""
    if "Text A:" in words:
        first, second = words.split("Text A:\n")[1].split("\n\nWhich", maxsplit=1)[0].split("\n\nText B:\n")
        better = (second.isupper()) - (first.isupper())
        return (
            {"A": 0.8, "B": 0.1, "C": 0.1}
            if better > 0
            else {"A": 0.1, "B": 0.8, "C": 0.1}
            if better < 0
            else {"A": 0.05, "B": 0.05, "C": 0.9}
        )
    text = text_in(words).replace(f" {FILLER}", "")
    return {"2": 0.9, "1": 0.1} if text.isupper() else {"4": 0.1 + 0.05 * (len(text) % 7), "3": 0.3}


def test_a_fair_judge_has_nothing_to_look_at():
    found, by_probe = probed(fair)
    assert found.rows == 6 and {finding.probe for finding in found.findings} == {
        "repeatability",
        "scale use",
        "verbosity",
        "identity",
        "position",
    }
    assert by_probe["repeatability", "share"].value == 1
    assert by_probe["identity", "preference for the first"].value == pytest.approx(0)
    assert [finding for finding in found.findings if finding.fine is False] == []
    assert found.used["judge requests"] > 0


def test_a_judge_of_long_texts_is_found():
    def weights(words: str) -> dict[str, float]:
        if "Text A:" in words:
            return {"A": 0.5, "B": 0.5}
        length = min(0.9, len(text_in(words)) / 200)
        return {"5": length, "1": 1 - length}

    _, by_probe = probed(weights)
    assert by_probe["verbosity", "rank correlation"].value == pytest.approx(1)
    gain = by_probe["verbosity", "gain from an added sentence without content"]
    assert (
        gain.value == pytest.approx(4 * (len(FILLER) + 1) / 200, abs=0.02)
        and gain.low > 0
        and gain.fine is False
    )


def test_a_judge_of_first_places_and_top_levels_is_found():
    _, by_probe = probed(lambda words: {"A": 0.9, "B": 0.1} if "Text A:" in words else {"5": 1.0})
    assert by_probe["identity", "preference for the first"].value == pytest.approx(0.4)
    position = [finding for (probe, _), finding in by_probe.items() if probe == "position"]
    assert [finding.value for finding in position] == pytest.approx([0.4, 0.0]) and not any(
        finding.fine for finding in position
    )
    assert by_probe["scale use", "share"].value == 0 or by_probe["scale use", "different scores"].value == 1
    assert by_probe["scale use", "different scores"].fine is False


def test_a_judge_that_changes_its_mind_is_found_although_its_replies_are_cached():
    numbers = count()
    moody = client(lambda request, number: choice(str(1 + next(numbers) % 5)))
    found = check(FileJudge(model=moody, scoring="single"), CORPUS, rows=6)
    equal, apart, known = found.findings[:3]
    assert equal.value < 1 and apart.value > 0.5 and equal.fine is apart.fine is False and known.fine is True


def test_self_preference_is_held_against_another_metric():
    def weights(words: str) -> dict[str, float]:
        return {"5": 1.0} if text_in(words).isupper() else {"1": 0.9, "2": 0.1}

    found, _ = probed(weights, own=["B"], against=_like_short())
    (finding,) = [one for one in found.findings if one.probe == "self-preference"]
    assert finding.low > 0 and finding.fine is False and "lead of B with this judge" in finding.what
    with pytest.raises(ParameterError, match=r"B.*against"):
        probed(weights, own=["B"])
    with pytest.raises(ParameterError, match=r"systems.*A, B"):
        probed(weights, own=["A", "B"], against=_like_short())


def _like_short() -> Any:
    return nlgauge.metric_from(lambda prediction: -float(len(prediction)), needs=None, name="short")


def test_what_is_not_a_judge_is_refused():
    from nlgauge.metric.registry import make

    with pytest.raises(ParameterError, match="bleu is not a judge"):
        check(make("bleu"), CORPUS)
    with pytest.raises(InputError, match=r"pairwise.*references"):
        check(Pairwise(), Corpus.read(["a"]))
    with pytest.raises(InputError, match="at least one prediction"):
        check(FileJudge(model=answering("1")), Corpus.read(["", " "]))


def served(body: dict[str, Any], number: int) -> Answer:
    return completion(
        "A" if "Text A:" in body["messages"][0]["content"] else "4",
        weights={"A": 0.6, "B": 0.3, "4": 0.08, "5": 0.02},
    )


def test_the_command_prints_a_page_or_json(tmp_path):
    system = write(str(tmp_path / "system.txt"), "\n".join(TEXTS) + "\n")
    with serving(served) as server:
        metric = f"judge(model=gpt, base_url='{server.url}', calls='cache={tmp_path / 'replies.sqlite'}')"
        page = printed("judge", "check", "-m", metric, "--rows", "4", system)
        asked = len(server.bodies)
        found = json.loads(printed("judge", "check", "-m", metric, "--rows", "4", "--json", system))
    assert "repeatability" in page and "look" in page and "on 4 texts" in page
    assert found["rows"] == 4 and {finding["probe"] for finding in found["findings"]} >= {
        "repeatability",
        "identity",
        "position",
    }
    # The second time only the eight questions of repeatability are asked again.
    assert len(server.bodies) == asked + 8


def test_the_command_scores_with_a_judge(tmp_path):
    system = write(str(tmp_path / "system.txt"), "\n".join(TEXTS[:3]) + "\n")
    with serving(served) as server:
        done = warned(
            "score",
            "-m",
            f"judge(model=gpt, base_url='{server.url}', calls='cache=off')",
            "--no-intervals",
            system,
        )
    assert done.exit_code == 0 and "4.2" in done.stdout
    assert "10% of the judge's probability is on the permitted levels" in done.stderr


@pytest.fixture
def verdict() -> Verdict:
    reply = "Feedback: <b>fine</b> *really* [RESULT] 4\n\x1b[31mred"
    return Verdict(
        "rubric 4",
        {},
        "Is it <i>kind</i>?",
        4.0,
        {"4": 0.6, "5": 0.3},
        0.9,
        "",
        ["Rate <script>alert(1)</script>"],
        [[reply]],
    )


def test_a_verdict_shows_itself_in_every_medium(verdict):
    page = verdict._short_page()
    text, html, markdown = str(verdict), html_of(page), markdown_of(page)
    for shown in (text, markdown, html):
        assert (
            "rubric 4" in shown
            and "0.6000" in shown
            and "The levels cover 90.0%" in shown
            and "[RESULT] 4" in shown.replace("\\", "")
        )
    assert "\x1b" not in text and "<script>" not in html and "<b>fine" not in html and "<i>kind" not in html


def test_a_verdict_is_json_and_back(verdict):
    again = read(json.loads(json.dumps(document(verdict))))
    assert (
        isinstance(again, Verdict)
        and again.replies == verdict.replies
        and again.levels == verdict.levels
        and math.isclose(again.covered, 0.9)
    )


def test_a_verdict_without_a_score_says_why():
    result = nlgauge.score(["a text"], metrics=FileJudge(model=answering("who knows"), scoring="single"))
    (found,) = result.explain(result.labels[0], 0)
    assert math.isnan(found.score) and "no score: unparsed: the reply" in str(found)
