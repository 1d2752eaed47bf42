"""nlgauge check: a drop beyond chance fails with an exit code of its own, noise passes, and what cannot
be known is said.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from cli_cases import enter, printed, refused, run, warned, write
from messages import mentions

import nlgauge
from nlgauge.cli.program import INCONCLUSIVE, WORSE
from nlgauge.errors import ParameterError, ResultError
from nlgauge.results.gate import Change, Limit, Margin, units_needed
from nlgauge.results.joined import joined, of_metrics, of_systems
from nlgauge.stats.corrections import holm

WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "on",
    "mat",
    "in",
    "garden",
    "house",
    "he",
    "she",
    "reads",
    "runs",
    "book",
]
COUNT = 40


def texts(noise: float, seed: int) -> list[str]:
    """The references with this share of their words replaced."""
    generator = random.Random(1)
    references = [[generator.choice(WORDS) for _ in range(8)] for _ in range(COUNT)]
    changed = random.Random(seed)
    return [
        " ".join(changed.choice(WORDS) if changed.random() < noise else word for word in row)
        for row in references
    ]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    enter(tmp_path, monkeypatch)
    for name, noise, seed in (
        ("ref", 0.0, 0),
        ("main", 0.2, 1),
        ("bad", 0.6, 2),
        ("same", 0.21, 3),
        ("good", 0.02, 4),
    ):
        write(f"{name}.txt", "".join(f"{line}\n" for line in texts(noise, seed)))
    return tmp_path


def scored(directory: str, *systems: str, options: tuple[str, ...] = ("-m", "bleu", "wer")) -> str:
    printed("score", "-q", *options, "-r", "ref.txt", *(f"{name}.txt" for name in systems), "-o", directory)
    return directory


def conditions(*arguments: str) -> tuple[int, list[dict[str, Any]]]:
    result = run("check", *arguments, "--json")
    return result.exit_code, json.loads(result.stdout)["conditions"]


def test_a_drop_beyond_chance_fails_and_noise_passes() -> None:
    scored("out", "main", "bad", "same", "good")
    code, found = conditions("out", "--baseline", "main", "--fail-if", "bleu drops", "--fail-if", "wer rises")
    assert code == WORSE == 3
    assert {(row["condition"], row["system"]): (row["failed"], row["why"]) for row in found} == {
        ("bleu drops", "bad"): (True, "significantly worse"),
        ("wer rises", "bad"): (True, "significantly worse"),
        ("bleu drops", "same"): (False, "not significantly worse"),
        ("wer rises", "same"): (False, "not significantly worse"),
        ("bleu drops", "good"): (False, "significantly better"),
        ("wer rises", "good"): (False, "significantly better"),
    }
    saved = nlgauge.load("out")
    raw = [saved.compare("main", row["system"])[row["condition"].split()[0]].p for row in found]
    assert [row["p"] for row in found] == raw
    assert [row["p_holm"] for row in found] == holm(raw)
    assert conditions("out", "--baseline", "main", "--system", "same", "--system", "good")[0] == 0


def test_without_conditions_any_metric_that_worsens_fails() -> None:
    scored("out", "main", "bad")
    code, found = conditions("out", "--baseline", "main")
    assert code == WORSE
    assert [row["condition"] for row in found] == ["bleu worsens", "wer worsens"]
    assert conditions("out", "--baseline", "bad")[0] == 0


def test_a_drop_may_have_a_least_size() -> None:
    scored("out", "main", "bad")
    gain = nlgauge.load("out").compare()["bleu"].gain
    assert (
        conditions("out", "--baseline", "main", "--fail-if", f"bleu drops by {-gain - 0.1:.3f}")[0] == WORSE
    )
    code, found = conditions("out", "--baseline", "main", "--fail-if", f"bleu drops by {-gain + 0.1:.3f}")
    assert code == 0 and found[0]["why"].startswith("significantly worse, but by less than")


def test_several_conditions_on_one_score_are_one_test() -> None:
    scored("out", "main", "bad")
    _, found = conditions(
        "out", "--baseline", "main", "--fail-if", "bleu drops", "--fail-if", "bleu drops by 0.5"
    )
    assert [row["p_holm"] for row in found] == [row["p"] for row in found]


def test_the_corrected_p_decides() -> None:
    scored("out", "main", "bad")
    code, found = conditions("out", "--baseline", "main", "--alpha", "0.0015", "--resamples", "1999")
    assert [row["p"] < row["p_holm"] < 0.0015 for row in found] == [True, True]
    assert code == WORSE
    few = conditions("out", "--baseline", "main", "--alpha", "0.0015")
    assert few[0] == INCONCLUSIVE
    assert {row["why"] for row in few[1]} == {"1000 resamples cannot reach p < 0.0015 in 2 tests; use more"}


def test_equal_systems_pass() -> None:
    write("copy.txt", Path("main.txt").read_text())
    scored("out", "main", "copy")
    code, found = conditions("out", "--baseline", "main")
    assert (code, {row["why"] for row in found}) == (0, {"equal"})


def cut(count: int, *systems: str) -> None:
    """Keep so many lines of every file."""
    for name in ("ref", *systems):
        write(f"{name}.txt", "".join(Path(f"{name}.txt").read_text().splitlines(keepends=True)[:count]))


@pytest.mark.parametrize("count", [1, 2, 5, 6])
@pytest.mark.parametrize("margin", [(), ("--margin", "0.5")])
def test_a_gate_that_cannot_fail_is_inconclusive(count: int, margin: tuple[str, ...]) -> None:
    cut(count, "main", "bad")
    scored("out", "main", "bad", options=("-m", "wer"))
    code, (found,) = conditions("out", "--baseline", "main", "--fail-if", "wer rises", *margin)
    assert (code == INCONCLUSIVE) == (found["failed"] is None)
    if count < units_needed(0.05, 1):
        assert found["verdict"] == "inconclusive"
        assert conditions("out", "--baseline", "main", "--inconclusive", "pass", *margin)[0] == 0
        assert conditions("out", "--baseline", "main", "--inconclusive", "fail", *margin)[0] == WORSE
    if 1 < count < 6:
        assert found["why"] == f"{count} segments (or documents) cannot reach p < 0.05; 6 or more are needed"
        assert found["more"] >= 6 - count


def test_the_least_number_of_segments_is_that_of_the_sign_flips() -> None:
    for alpha in (0.05, 0.01, 0.5):
        for tests in (1, 2, 9, 60):
            needed = units_needed(alpha, tests)
            assert tests * 2.0 ** (1 - needed) < alpha <= tests * 2.0 ** (2 - needed)


def test_a_margin_makes_three_verdicts() -> None:
    scored("out", "main", "bad", "same", options=("-m", "wer"))
    gains = {row.second: row for row in nlgauge.load("out").compare()}
    inside = -gains["same"].gain_low + 0.01
    assert conditions("out", "--baseline", "main", "--system", "same", "--margin", f"{inside}")[0] == 0
    code, (found,) = conditions(
        "out", "--baseline", "main", "--system", "same", "--margin", f"wer={inside - 0.02}"
    )
    assert (code, found["verdict"]) == (INCONCLUSIVE, "inconclusive")
    assert found["more"] > 0
    assert "may lie below" in found["why"]
    assert conditions("out", "--baseline", "main", "--system", "bad", "--margin", "0.01")[0] == WORSE
    loss = -gains["bad"].gain_low + 0.01
    code, (found,) = conditions("out", "--baseline", "main", "--system", "bad", "--margin", f"{loss}")
    assert (code, found["why"]) == (0, "worse within the margin")


def test_margins_are_read_as_numbers_shares_and_of_one_metric() -> None:
    assert Margin.read("0.5") == Margin(0.5)
    assert Margin.read("1%") == Margin(0.01, None, True)
    assert Margin.read("chrf(word_order=2)=0.5") == Margin(0.5, "chrf(word_order=2)")


@pytest.mark.parametrize(
    ("baseline", "word", "code"),
    [("main", "drops", 0), ("bad", "drops", WORSE), ("main", "rises", WORSE), ("bad", "rises", 0)],
)
def test_an_output_without_a_direction_fails_by_the_word(baseline: str, word: str, code: int) -> None:
    write("main.txt", "".join(f"{line}\n" for line in texts(0.0, 0)))
    write("bad.txt", "".join(f"{line} with many words that are new\n" for line in texts(0.0, 0)))
    scored("out", "main", "bad", options=("-m", "novelty", "-s", "ref.txt"))
    checked = "bad" if baseline == "main" else "main"
    assert (
        conditions(
            "out", "--baseline", baseline, "--system", checked, "--fail-if", f"novelty.novelty1 {word}"
        )[0]
        == code
    )


def test_limits() -> None:
    scored("out", "main", "bad")
    scores = nlgauge.load("out")
    between = (scores["main"]["bleu"]["score"] + scores["bad"]["bleu"]["score"]) / 2
    code, found = conditions("out", "--fail-under", f"bleu={between}", "--fail-over", "wer=0.99")
    assert code == WORSE
    assert [(row["system"], row["failed"]) for row in found] == [
        ("main", False),
        ("bad", True),
        ("main", False),
        ("bad", False),
    ]
    assert conditions("out", "--fail-under", f"bleu = {between}", "--system", "main")[0] == 0
    both = conditions("out", "--baseline", "main", "--fail-if", "wer worsens", "--fail-under", "bleu=0")
    assert [row["failed"] for row in both[1]] == [True, False]


def test_a_baseline_in_another_directory_is_tested_as_in_the_same() -> None:
    scored("together", "main", "bad")
    scored("old", "main")
    scored("new", "bad")
    expected = nlgauge.load("together").compare("main", "bad")
    code, found = conditions("new", "--baseline", "old")
    assert code == WORSE
    assert [row["p"] for row in found] == [row.p for row in expected]
    assert [(row["gain_low"], row["gain_high"]) for row in found] == [
        (row.gain_low, row.gain_high) for row in expected
    ]
    assert "Baseline: main (old)." in run("check", "new", "--baseline", "old").stdout


def test_segments_in_another_order_are_matched_by_their_ids() -> None:
    lines = {name: Path(f"{name}.txt").read_text().splitlines() for name in ("ref", "main", "bad")}
    for name, system, step in (("old", "main", -1), ("new", "bad", 1)):
        rows = [
            {"id": f"s{i}", "prediction": p, "reference": r}
            for i, (p, r) in enumerate(zip(lines[system], lines["ref"], strict=True))
        ][::step]
        write(f"{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
        printed("score", "-q", "-m", "bleu", f"{system}={name}.jsonl", "-o", name)
    scored("together", "main", "bad", options=("-m", "bleu"))
    _, found = conditions("new", "--baseline", "old")
    assert found[0]["p"] == nlgauge.load("together").compare()["bleu"].p


def test_hashes_are_compared_with_texts() -> None:
    scored("old", "main", options=("-m", "bleu", "distinct", "--no-texts"))
    scored("new", "bad", options=("-m", "bleu", "distinct"))
    code, found = conditions(
        "new", "--baseline", "old", "--fail-if", "bleu drops", "--fail-if", "distinct drops"
    )
    assert [row["failed"] for row in found] == [True, None]
    assert "texts to recompute it were not saved" in found[1]["why"]
    assert code == WORSE
    unknown = run("check", "new", "--baseline", "old", "--fail-if", "distinct drops")
    assert unknown.exit_code == INCONCLUSIVE == 4
    assert "INCONCLUSIVE" in unknown.stdout
    assert unknown.stderr == "1 inconclusive\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("ref", "references ... segment 0"),
        ("short", "40 and 39 ... '39'"),
        (
            "metric",
            "results ... metric",
        ),
        ("weights", "different ... weights"),
    ],
)
def test_other_segments_texts_or_weights_are_refused(change: str, message: str) -> None:
    scored("new", "bad")
    options: tuple[str, ...] = ("-m", "bleu", "wer")
    if change == "ref":
        write("ref.txt", "x " + Path("ref.txt").read_text())
    elif change == "short":
        for name in ("ref", "main"):
            write(f"{name}.txt", "".join(Path(f"{name}.txt").read_text().splitlines(keepends=True)[:-1]))
    elif change == "weights":
        options = (*options, "--weights", write("w.txt", "2\n" * COUNT))
    else:
        options = ("-m", "chrf")
    scored("old", "main", options=options)
    assert mentions(refused("check", "new", "--baseline", "old", code=1), message)


def test_the_system_of_a_baseline_with_several() -> None:
    scored("old", "main", "same")
    scored("new", "bad")
    assert "old has several systems; choose one with --baseline-system: main, same" in refused(
        "check", "new", "--baseline", "old"
    )
    assert (
        run("check", "new", "--baseline", "old", "--baseline-system", "same").stdout.count(
            "Baseline: same (old)."
        )
        == 1
    )
    write("main.txt", Path("bad.txt").read_text())
    scored("again", "main")
    assert "Baseline: main (old)." in run("check", "again", "--baseline", "old").stdout


def test_the_summary_is_appended_as_markdown() -> None:
    scored("out", "main", "bad")
    write("page.md", "before\n")
    assert run("check", "out", "--baseline", "main", "--summary", "page.md").exit_code == WORSE
    page = Path("page.md").read_text()
    assert page.startswith("before\n### nlgauge check: 2 failed\n\n| fails if | system | baseline |")
    assert "FAILED: significantly worse" in page
    assert run("check", "out", "--baseline", "bad", "--summary", "page.md").exit_code == 0
    assert "### nlgauge check: 2 passed" in Path("page.md").read_text()


def test_the_table_fits_eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    scored("out", "main", "bad")
    shown = run("check", "out", "--baseline", "main", "--fail-under", "bleu=10").stdout
    assert max(map(len, shown.split("\n"))) <= 80
    assert "significantly worse" in shown


def test_another_way_of_scoring_is_warned_of() -> None:
    scored("old", "main")
    scored("new", "bad")
    run_file = Path("old/run.json")
    run_file.write_text(run_file.read_text().replace("nlgauge:0.1.0", "nlgauge:0.0.9"))
    assert (
        "warning: bleu has another signature in old (" in warned("check", "new", "--baseline", "old").stderr
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--baseline ... --fail-under"),
        (["--fail-if", "bleu drops"], "'bleu drops' ... --baseline"),
        (
            ["--baseline", "mian"],
            "'mian' ... 'main'",
        ),
        (
            ["--baseline", "main", "--fail-if", "bleu"],
            "'bleu' ... METRIC",
        ),
        (
            ["--baseline", "main", "--fail-if", "bleu rises"],
            "higher ... 'bleu rises' ... bleu drops",
        ),
        (["--baseline", "main", "--fail-if", "wer drops"], "write: wer rises"),
        (["--baseline", "main", "--fail-if", "chrf drops"], "metric ... 'chrf'"),
        (["--baseline", "main", "--fail-if", "bleu.precision1 drops"], "precision1 ... bleu"),
        (["--baseline", "main", "--system", "main"], "system ... baseline"),
        (["--fail-under", "bleu"], "'bleu' ... METRIC=NUMBER"),
        (["--fail-under", "wer=0.1"], "lower ... --fail-over wer=0.1"),
        (["--fail-over", "bleu=10"], "higher ... --fail-under bleu=10"),
        (["--fail-under", "bleu=10", "--alpha", "5"], "5.0 ... 0 and 1"),
        (
            ["--baseline", "main", "--margin", "much"],
            "'much' ... NUMBER, PERCENT% or METRIC=NUMBER",
        ),
        (["--baseline", "main", "--inconclusive", "maybe"], "'maybe' ... report"),
        (["--baseline", "main", "--max-missing", "5"], "5.0 ... --max-missing"),
        (["--fail-under", "bleu=10", "--test", "none"], "'none' ... randomization"),
        (["--fail-under", "bleu=10", "--system", "x"], "system 'x'"),
        (["--fail-under", "bleu=10", "--baseline-system", "x"], "--baseline-system x ... --baseline RESULT"),
        (["--baseline", "main", "--baseline-system", "x"], "'main' ... --baseline-system x"),
    ],
)
def test_wrong_use(arguments: list[str], message: str) -> None:
    scored("out", "main", "bad")
    assert mentions(refused("check", "out", *arguments), message)


def test_a_name_that_is_a_system_and_a_directory_is_refused() -> None:
    scored("main", "main", "bad")
    assert "use ./main for the directory" in refused("check", "main", "--baseline", "main")


def test_conditions_read_and_print() -> None:
    for text in ("bleu drops", "rouge.rouge2 drops by 0.5", "any worsens", "chrf(word_order=2) drops"):
        assert str(Change.read(text)) == text
    assert Limit.read("bleu=-1e2", above=False) == Limit("bleu", -100.0)
    with pytest.raises(ParameterError, match=r"length.*direction.*worsen"):
        Change("length", "worsens").check_direction(nlgauge.Output("length", None))


def test_parts_and_joined_results_hold_what_they_should() -> None:
    scored("out", "main", "bad")
    scored("other", "same")
    saved, other = nlgauge.load("out"), nlgauge.load("other")
    part = of_metrics(of_systems(saved, "bad"), "wer")
    assert (part.systems, part.labels) == (("bad",), ("wer",))
    assert part["wer"] == saved["bad"]["wer"]
    both = joined(saved, other, "same", "baseline")
    assert both.systems == ("main", "bad", "baseline")
    assert both["baseline"]["bleu"] == other["bleu"]
    assert (
        both.corpus.texts[int(both.corpus.predictions["baseline"][0][0])]
        == Path("same.txt").read_text().splitlines()[0]
    )


def test_metrics_of_the_same_label_and_other_parameters_are_not_compared() -> None:
    one, other = (
        nlgauge.score(
            {name: texts(noise, 1)},
            texts(0.0, 0),
            metrics={"path": "bleu", "resulting_name": "m", "compute_kwargs": {"max_order": order}},
        )
        for name, noise, order in (("A", 0.2, 4), ("B", 0.4, 2))
    )
    with pytest.raises(ResultError, match=r"no common metric.*m and m"):
        joined(one, other, "B", "baseline")


def test_annotations_name_failed_and_inconclusive_conditions() -> None:
    scored("out", "main", "bad")
    done = run("check", "out", "--baseline", "main", "--fail-if", "bleu drops", "--annotations")
    assert "::error title=bleu drops (bad)::failed: significantly worse" in done.stderr.splitlines()
    done = run("check", "out", "--baseline", "main", "--resamples", "10", "--annotations", "--json")
    warned_of = [line for line in done.stderr.splitlines() if line.startswith("::warning title=")]
    assert len(warned_of) == 2 and json.loads(done.stdout)
    done = run("check", "out", "--fail-under", "bleu=1", "--annotations")
    assert "::" not in done.stderr


def test_annotations_escape_texts() -> None:
    from dataclasses import replace

    from nlgauge.cli.gate import annotation
    from nlgauge.results.gate import CheckOutcome

    output = nlgauge.load(scored("out", "main"))._tables["main", "bleu"].outputs()[0]
    verdict = CheckOutcome("a:b,c drops", "x\n::error::y", output, 1.0, True, "5% worse\r\n")
    assert (
        annotation(verdict)
        == "::error title=a%3Ab%2Cc drops (x%0A%3A%3Aerror%3A%3Ay)::failed: 5%25 worse%0D%0A"
    )
    assert annotation(replace(verdict, failed=None)).startswith("::warning title=")


def test_the_summary_has_the_command_and_all_verdicts() -> None:
    scored("out", "main", "bad")
    run("check", "out", "--baseline", "main", "--summary=page.md", "--annotations", "--resamples", "10")
    page = Path("page.md").read_text("utf-8")
    assert page.startswith("### nlgauge check: 2 inconclusive")
    assert "INCONCLUSIVE" in page
    assert page.endswith("Reproduce with:\n\n    nlgauge check out --baseline main --resamples 10\n\n")
