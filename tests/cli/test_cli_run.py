"""nlgauge run: a file says what the options of score and check say, and nothing else is accepted."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli_cases import document, enter, printed, refused, run, write
from hostile_server import completion, serving

import nlgauge
from nlgauge._core.package_data import data_text
from nlgauge.cli.program import INCONCLUSIVE, WORSE
from nlgauge.cli.run_file import RunFile, read_run_file
from nlgauge.errors import InputError, ParameterError

EXAMPLE = data_text("run.toml")
WORDS = "the cat sat on a mat and the dog ran off to the old house by the sea".split()


def answers(share: int) -> str:
    """Records of 30 answers; every answer lacks a word if its number is a multiple of `share`."""
    rows = []
    for i in range(30):
        words = WORDS[i % 7 : i % 7 + 8]
        given = words if i % share else words[1:]
        rows.append({"id": i, "answer": " ".join(given), "expected": " ".join(words), "kind": "ab"[i % 2]})
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    enter(tmp_path, monkeypatch)
    (tmp_path / "evals").mkdir()
    for name, share in (("new", 7), ("old", 7), ("bad", 1)):
        write(f"evals/{name}.jsonl", answers(share))
    return tmp_path


def saved(text: str) -> str:
    return write("evals/eval.toml", text)


BAD = """
metrics = ["chrf", "plus=chrf(word_order=2)"]
[inputs]
systems = { bad = "bad.jsonl", old = "old.jsonl" }
map = { prediction = "answer", reference = "expected" }
[check]
baseline = "old"
"""


def test_the_example_is_valid_and_runs():
    assert printed("run", "--example") == EXAMPLE
    done = run("run", saved(EXAMPLE))
    assert done.exit_code == 0, done.stderr
    assert "3 passed" in done.stderr
    assert list(nlgauge.load("evals/new-result")["new"]) == ["chrf", "plus", "words"]
    assert run("run", "evals/eval.toml").exit_code == 0  # the example overwrites its result


def test_the_example_with_its_comments_removed_is_valid_too():
    whole = re.sub(r"^# (?=[\w\[])(?!A run|Paths|Files)", "", EXAMPLE, flags=re.MULTILINE)
    file = read_run_file(Path(saved(whole)))
    polite = file.specs()[-1]
    assert polite == {
        "path": "yes_no",
        "resulting_name": "polite",
        "compute_kwargs": {
            "model": "qwen3",
            "base_url": "http://localhost:8000/v1",
            "calls": "key_env=MY_KEY max_requests=500",
            "question": "Is this text polite?",
        },
    }
    assert (file.inputs.references, file.output.report) == ("refs.txt", "report.html")


def test_a_run_is_score_and_check():
    done = run("run", saved(BAD + '[output]\nresult = "out"\n'))
    assert done.exit_code == WORSE
    score = printed(
        *("score", "-m", "chrf", "plus=chrf(word_order=2)", "--map", "prediction=answer,reference=expected"),
        *("bad=evals/bad.jsonl", "old=evals/old.jsonl", "--baseline", "old", "-o", "other"),
    )
    check = run("check", "evals/out", "--baseline", "old")
    assert done.stdout == score + check.stdout
    assert check.exit_code == WORSE


def test_without_an_output_nothing_is_written(folder):
    before = sorted(folder.rglob("*"))
    assert run("run", saved(BAD)).exit_code == WORSE
    assert set(folder.rglob("*")) - set(before) == {folder / "evals" / "eval.toml"}


def test_a_baseline_may_be_another_result():
    run("run", saved(EXAMPLE))
    text = BAD.replace('bad = "bad.jsonl", old = "old.jsonl"', 'new = "bad.jsonl"')
    text = text.replace(
        'baseline = "old"', 'baseline_result = "new-result"\nbaseline_system = "old"\nfail_if = "chrf drops"'
    )
    done = run("run", saved(text))
    assert done.exit_code == WORSE, done.stderr
    assert "FAILED" in done.stdout


def test_few_segments_are_inconclusive_and_the_file_decides():
    write("evals/few.txt", "a b c\nd e f\n")
    text = '[inputs]\nsystems = {a = "few.txt", b = "few.txt"}\nreferences = ["few.txt"]\n[check]\nbaseline = "a"\n'
    assert run("run", saved(text)).exit_code == INCONCLUSIVE
    assert run("run", saved(text + 'inconclusive = "pass"\n')).exit_code == 0


def test_scores_of_other_tools_with_a_limit():
    write("evals/log.jsonl", "".join(f'{{"q": {i}, "who": "m", "good": {i % 2}}}\n' for i in range(10)))
    text = """
    inputs = {systems = ["log.jsonl"], scores = ["good:higher:0..1"], item = "q", system_field = "who"}
    check = {fail_under = {good = 0.6}}
    """
    done = run("run", saved(text))
    assert done.exit_code == WORSE, done.stderr
    assert "good below 0.6" in done.stdout


def test_options_of_reading_and_statistics_arrive():
    text = (
        BAD.partition("[check]")[0].replace("map =", "where = 'kind = a'\nmap =")
        + "[statistics]\nconfidence = 0.9\nresamples = 50\n"
    )
    done = run(
        "run",
        saved(text.replace("map =", "lang = 'de'\nmap =") + "[output]\nresult='out'\nsegments='seg.tsv'"),
    )
    assert done.exit_code == 0, done.stderr
    result = document("show", "evals/out")
    assert result["segments"] == 15
    assert len(Path("evals/seg.tsv").read_text().splitlines()) == 31
    assert "90%" in done.stdout


def test_summary_annotations_and_report():
    done = run(
        "run", saved(BAD + "[output]\nreport = 'r.html'\n"), "--summary", "s.md", "--annotations", "-q"
    )
    assert done.exit_code == WORSE
    errors = [line for line in done.stderr.splitlines() if line.startswith("::error")]
    assert (
        errors[0] == "::error title=chrf drops (bad)::failed: significantly worse" or "worsens" in errors[0]
    )
    assert Path("evals/r.html").stat().st_size > 1000
    assert "Reproduce with:\n\n    nlgauge run evals/eval.toml -q\n" in Path("s.md").read_text()
    assert "already exists" in refused("run", "evals/eval.toml")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[check]", "[chek]"), r"unknown key 'chek' \(did you mean 'check'\?\)"),
        (("baseline =", "base_line ="), r"unknown key 'base_line' in \[check\] \(did you mean 'baseline'"),
        (
            ('baseline = "old"', "fail-if = 'a'"),
            r"unknown key 'fail-if' in \[check\] \(did you mean 'fail_if'",
        ),
        (('baseline = "old"', "alpha = '0.05'"), r"check.alpha: expected a number, got a text"),
        (("[inputs]", "[inputs]\npooled = 1"), "inputs.pooled: expected true or false, got a whole number"),
        (('systems = { bad = "bad.jsonl", old = "old.jsonl" }', ""), "inputs: the key is missing: systems"),
        (('"chrf", ', '"chrff", '), "unknown metric 'chrff'"),
        (("bad =", '"a:b" ='), "must not be named 'a:b'"),
        (('baseline = "old"', 'baseline = "old"\nbaseline_result = "x"'), "omit one of them"),
        (('baseline = "old"', "baseline='old'\nmargin = 'much'"), "cannot read the margin 'much'"),
        (('baseline = "old"', "alpha = 0.1"), r"\[check\] has no condition"),
        (
            ('baseline = "old"', "baseline_result = 'none'"),
            "evals/none of check.baseline_result does not exist",
        ),
        (("[check]", "x = \n[check]"), "is not a TOML file"),
    ],
)
def test_mistakes_are_named_before_anything_is_read(change, message):
    write("evals/bad.jsonl", "broken")
    error = refused("run", saved(BAD.replace(*change)))
    assert re.search(message, error), error


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("x = 3", "metrics.x must be a text or a table"),
        ("x = {question = 'a'}", "metrics.x has no metric"),
        ("x = {metric = 'yes_no', judge = 'smal'}", "unknown judge 'smal' (did you mean 'small'?)"),
        ("x = {metric = 'yes_no', questoin = 'a'}", "did you mean 'question'"),
        ("'a b' = 'chrf'", "the name 'a b' of a metric"),
        ("x = {metric = 'yes_no', judge = 'open'}", "run files contain no secrets"),
        (
            "x = {metric = 'yes_no', judge = 'odd'}",
            "unknown key 'modle' in [judges.odd] (did you mean 'model'?)",
        ),
        ("x = {metric = 'yes_no', judge = 'wide'}", "judges.wide.n: expected a whole number"),
    ],
)
def test_mistakes_in_metrics_and_judges(metric, message):
    judges = (
        "small = {model='m'}\nopen = {model='m', api_key='s'}\nodd = {modle='m'}\nwide = {model='m', n='2'}\n"
    )
    text = f'[inputs]\nsystems = ["new.jsonl"]\n[judges]\n{judges}[metrics]\n{metric}\n'
    assert message in refused("run", saved(text))


def test_variables_of_the_environment_are_not_expanded(monkeypatch):
    monkeypatch.setenv("SECRET", "bad.jsonl")
    error = refused("run", saved('[inputs]\nsystems = ["$SECRET"]\n'))
    assert "$SECRET" in error and "bad.jsonl" not in error


def test_no_metric_has_a_parameter_with_a_reserved_name():
    from dataclasses import fields

    from nlgauge.metric.registry import metric_classes

    names = {field.name for metric in metric_classes().values() for field in fields(metric)}
    assert not names & {"metric", "judge"}


def test_a_missing_file_and_a_missing_gate_are_errors_of_usage():
    assert "missing run file" in refused("run")
    assert "does not exist" in refused("run", "none.toml")
    assert "add the table [check]" in refused("run", saved(BAD.partition("[check]")[0]), "--annotations")


def test_every_table_has_its_defaults():
    assert RunFile.__struct_fields__ == (
        "inputs",
        "metrics",
        "judges",
        "check",
        "statistics",
        "running",
        "output",
    )
    with pytest.raises((InputError, ParameterError)):
        read_run_file(Path(saved("")))


def test_a_named_judge_is_asked_with_the_key_of_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    with serving(lambda body, number: completion("Yes", weights={"Yes": 0.9, "No": 0.1})) as server:
        text = f"""
        [inputs]
        systems = ["new.jsonl"]
        map = {{ prediction = "answer" }}
        [metrics.polite]
        metric = "yes_no"
        judge = "small"
        question = "Is it (very) polite = kind?"
        [judges.small]
        model = "gpt"
        base_url = "{server.url}"
        key_env = "MY_KEY"
        cache = "off"
        [check]
        fail_under = {{ polite = 0.8 }}
        [output]
        result = "out"
        """
        done = run("run", saved(text))
    assert done.exit_code == 0, done.stderr
    assert "Is it (very) polite = kind?" in str(server.bodies[0])
    assert "sk-very-secret" in str(server.headers[0])
    result = nlgauge.load("evals/out")
    assert list(result) == ["polite"] and result["polite"]["score"] == pytest.approx(0.9)
    written = b"".join(path.read_bytes() for path in Path("evals/out").rglob("*") if path.is_file())
    assert b"sk-very-secret" not in written and "sk-very-secret" not in done.output
