"""Judge: a prompt of the user's own, from a file."""

from __future__ import annotations

import pytest
from judge_cases import answering, scored_by, weighed

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError
from nlgauge.metrics.judge import FileJudge
from nlgauge.models.weights.store import location

MODEL_KIND = "chat"
TEST_PARAMETERS = {"calls": "cache=off"}
OWN = '''
version = 3
system = "You are strict."
scale = { good = 1.0, "so-so" = 0.4, bad = 0.0 }
higher_is_better = false
prompt = """
Is {prediction} worse than {reference}? Braces: {} {x y}.
Answer:"""

[[before]]
role = "user"
content = "Is A worse than B?"

[[before]]
role = "assistant"
content = "bad"
'''


@pytest.fixture(scope="session")
def own(tmp_path_factory):
    path = tmp_path_factory.mktemp("prompts") / "own.toml"
    path.write_text(OWN, "utf-8")
    return str(path)


def _changed() -> dict[str, object]:
    import tempfile
    from pathlib import Path

    path = Path(tempfile.mkdtemp()) / "prompt.toml"
    path.write_text('prompt = "Rate {prediction}:"\nscale = [1, 3]\n', "utf-8")
    return {"base_url": "local", "scoring": "single", "calls": "cache=off concurrency=3", "prompt": str(path)}


CHANGED_PARAMETERS = _changed()


def test_a_file_says_everything(own):
    client = weighed({"good": 0.6, " So-so": 0.2, "bad": 0.15, "?": 0.05})
    metric = FileJudge(model=client, prompt=own)
    output = metric.outputs()["judge"][0]
    assert (metric.takes, metric.source, output.higher_is_better, output.low, output.high) == (
        "pair",
        False,
        False,
        0,
        1,
    )
    scores = scored_by(metric)
    assert scores["score"] == pytest.approx((0.6 + 0.4 * 0.2) / 0.95) and scores["covered"] == pytest.approx(
        0.95
    )
    messages = client.client.seen[0].messages
    assert [role for role, _ in messages] == ["system", "user", "assistant", "user"]
    assert messages[-1][1] == "Is a prediction worse than a reference? Braces: {} {x y}.\nAnswer:"


def test_the_signature_has_version_and_hash_and_they_follow_the_file(own, tmp_path):
    if location("smollm2") is None:
        pytest.skip("the model smollm2 is not in the cache; run: nlgauge models get smollm2")
    other = tmp_path / "other.toml"
    other.write_text(OWN.replace("strict", "kind"), "utf-8")
    one, two = (
        dict(f.split(":", 1) for f in FileJudge(prompt=str(path)).signature(Corpus.read(["a"])).split("|"))
        for path in (own, other)
    )
    assert (
        one["template"] == two["template"] == "3"
        and one["prompt"] != two["prompt"]
        and len(one["prompt"]) == 12
    )


def test_a_number_of_a_wide_scale_needs_no_levels(tmp_path):
    path = tmp_path / "wide.toml"
    path.write_text(
        'prompt = "{prediction} {source}"\nscale = [0, 100]\nlevels = false\nmark = "Score:"\n', "utf-8"
    )
    with pytest.raises(ParameterError, match=r"scoring.*'samples' or 'single'"):
        FileJudge(prompt=str(path))
    assert (
        scored_by(FileJudge(model=answering("Well. Score: 73"), prompt=str(path), scoring="single"))["score"]
        == 73
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prompt = 'no place'", "no placeholder {prediction}"),
        ("promt = '{prediction}'", "TOML"),
        ("prompt = '{prediction}'\nscale = [5, 1]", "two numbers.*\\[5, 1\\]"),
        ("prompt = '{prediction}'\nscale = {a = 1.0}", "at least two different values"),
        ("prompt = '{prediction}'\nbefore = [{role = 'tool', content = 'x'}]", "role 'tool'"),
        ("prompt = ", "TOML"),
    ],
)
def test_a_wrong_file_is_told(tmp_path, text, message):
    path = tmp_path / "wrong.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(ParameterError, match=message):
        FileJudge(prompt=str(path))


def test_a_file_that_is_not_there_is_an_input_error():
    with pytest.raises(InputError, match=r"prompt.*'nowhere\.toml': No"):
        FileJudge(prompt="nowhere.toml")


def test_an_empty_prediction_is_the_lowest_level_and_not_shown():
    client = weighed({"5": 1.0})
    result = nlgauge.score([" \n", "words"], metrics=FileJudge(model=client))
    scores = result[result.labels[0]]
    assert scores["score"] == 3 and scores["empty"] == 1 and len(client.client.seen) == 1
    (verdict,) = result.explain(result.labels[0], 0)
    assert "not shown to the judge" in str(verdict)
