"""The plug-in of pytest: a gate in a test, and nothing imported before one is used."""

from __future__ import annotations

import pytest

import nlgauge
from nlgauge.compat.gate import gate, not_worse
from nlgauge.errors import ParameterError, UnknownNameError

pytest_plugins = ["pytester"]
PLUG_IN = ("-p", "no:cacheprovider")
SETTINGS = "[pytest]\nfilterwarnings =\n    default\n    ignore:.*cannot be rewritten\n"
TEXTS = [f"page {number} of the book" for number in range(12)]


def result(new: list[str], old: list[str] = TEXTS, **options: object) -> nlgauge.Result:
    return nlgauge.score({"old": old, "new": new}, TEXTS[: len(new)], metrics="chrf", **options)


@pytest.fixture(autouse=True, scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Import all modules of a gate: pytester removes modules that a run imports first, and a second import of
    NumPy or of a registered metric fails.
    """
    directory = tmp_path_factory.mktemp("imported") / "result"
    result(["x"] * 12).save(directory)
    str(gate(directory, "old", "chrf drops", margin=1))
    not_worse(["x"] * 12, TEXTS, TEXTS, "wer")
    not_worse(["page 1", *TEXTS[1:]], TEXTS, TEXTS, "rouge", margin=1)


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """Tests of a user: a drop, equal systems, and too few segments."""
    pytester.makeini(SETTINGS)
    result(["x"] * 12).save(pytester.path / "drop")
    result(TEXTS).save(pytester.path / "equal")
    result(["x"] * 2, TEXTS[:2]).save(pytester.path / "few")
    pytester.makepyfile(
        """
        def test_drop(gate):
            gate("drop", "old", "chrf drops")

        def test_equal(gate):
            verdicts = gate("equal", "old", margin=1)
            assert not verdicts.failed and not verdicts.inconclusive

        def test_few(gate):
            gate("few", "old", "chrf drops")
        """
    )
    return pytester


@pytest.mark.parametrize(
    ("inconclusive", "outcomes"),
    [
        ("pass", {"passed": 2, "failed": 1, "warnings": 1}),
        ("fail", {"passed": 1, "failed": 2}),
        ("skip", {"passed": 1, "failed": 1, "skipped": 1}),
    ],
)
def test_outcomes(suite, inconclusive, outcomes):
    done = suite.runpytest_inprocess(*PLUG_IN, "--nlgauge-inconclusive", inconclusive, "-rs")
    done.assert_outcomes(**outcomes)
    done.stdout.fnmatch_lines(["*chrf drops*FAILED*", "*significantly worse*"])
    done.stdout.no_fnmatch_line("*pytest_plugin.py*Failed*")


def test_other_values_are_refused(pytester):
    done = pytester.runpytest_inprocess(*PLUG_IN, "--nlgauge-inconclusive", "maybe")
    assert done.ret == pytest.ExitCode.USAGE_ERROR


def test_the_plug_in_is_registered_and_imports_nothing_until_it_is_used(pytester):
    pytester.makepyfile(
        """
        import sys

        def test_nothing_is_imported():
            assert "nlgauge.compat.pytest_plugin" in sys.modules
            assert not {"numpy", "msgspec", "click", "nlgauge.errors", "nlgauge.scoring"} & set(sys.modules)
        """
    )
    pytester.runpytest_subprocess(*PLUG_IN).assert_outcomes(passed=1)


def test_a_gate_takes_results_directories_limits_and_margins(tmp_path):
    good, bad = result(TEXTS), result(["x"] * 12)
    bad.save(tmp_path / "bad")
    both = gate(bad, good, systems=["new"], fail_under={"chrf": 90}, margin={"chrf": "1%"})
    assert [verdict.word for verdict in both.outcomes] == ["failed", "failed"]
    assert str(both).count("FAILED") == 2
    assert gate(good, tmp_path / "bad", "chrf drops", systems=["new"]).failed == []
    assert gate(tmp_path / "bad", fail_under={"chrf": 0}, systems=["new"]).failed == []
    only = nlgauge.score(TEXTS, TEXTS, metrics="chrf")
    assert gate(only, only, "chrf drops").outcomes[0].why == "equal"


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        ((), {}, "the gate has no condition"),
        ((None, "chrf drops"), {}, "needs a baseline"),
        (("old",), {"alpha": 2}, "alpha must be a number from 0 to 1"),
        (("old",), {"alpha": 0}, "alpha must be between 0 and 1"),
        (("old",), {"fail_under": {"chrf": "much"}}, "cannot read the limit"),
        (("old",), {"systems": ["old"]}, "is the only system"),
        (("old", "chrf falls"), {}, "cannot read the condition"),
    ],
)
def test_mistakes_are_errors(arguments, options, error):
    with pytest.raises(ParameterError, match=error):
        gate(result(TEXTS), *arguments, **options)


def test_a_baseline_that_does_not_exist_is_an_error():
    with pytest.raises(UnknownNameError, match=r"unknown system 'olt'.*'old'"):
        gate(result(TEXTS), "olt")
    three = nlgauge.score({"a": TEXTS, "b": TEXTS, "c": TEXTS}, TEXTS, metrics="chrf")
    with pytest.raises(ParameterError, match="pass baseline_name, one of a, b, c"):
        gate(result(TEXTS), three)


@pytest.mark.parametrize(
    ("inconclusive", "outcomes"),
    [
        ("pass", {"passed": 3, "failed": 2, "warnings": 2}),
        ("fail", {"passed": 1, "failed": 4}),
        ("skip", {"passed": 1, "failed": 2, "skipped": 2}),
    ],
)
def test_new_predictions_are_checked_against_a_baseline(pytester, inconclusive, outcomes):
    pytester.makeini(SETTINGS)
    pytester.makepyfile(
        """
        TEXTS = [f"page {number} of the book" for number in range(12)]

        def test_drop(gate):
            gate.assert_not_worse(["x"] * 12, TEXTS, TEXTS)

        def test_error_rate_with_options(gate):
            gate.assert_not_worse(["x"] * 12, TEXTS, baseline=TEXTS, metric="wer", alpha=0.01)

        def test_equal(gate):
            verdicts = gate.assert_not_worse(TEXTS, TEXTS, TEXTS, "rouge", output="rouge2", margin=1)
            assert [verdict.condition for verdict in verdicts.outcomes] == ["rouge.rouge2 worsens"]

        def test_few(gate):
            gate.assert_not_worse(["x"] * 2, TEXTS[:2], TEXTS[:2])

        def test_margin(gate):
            gate.assert_not_worse(["page 1", *TEXTS[1:]], TEXTS, TEXTS, margin="1%")
        """
    )
    done = pytester.runpytest_inprocess(*PLUG_IN, "--nlgauge-inconclusive", inconclusive, "-rs")
    done.assert_outcomes(**outcomes)
    done.stdout.fnmatch_lines(["*chrf worsens*FAILED*", "*significantly worse*"])
    done.stdout.no_fnmatch_line("*pytest_plugin.py*")
