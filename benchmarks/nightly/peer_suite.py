"""The test suite of another program, and every score that its passing tests computed. This file runs in .venv-peers.

    .venv-peers/bin/python -I benchmarks/nightly/peer_suite.py PROGRAM DIRECTORY > calls.json

DIRECTORY has the source archive of each program (`make .venv-peers/.peers` downloads them). The answer is {"version": ...,
"passed": ..., "calls": [[kind, parameters, predictions, references, score], ...]}. A score of a failed test is left out.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
import tarfile
import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

Call = list[Any]
# The tests of each archive: directories, and files that need a network or measure time.
SUITES = {
    "sacrebleu": (["test"], ["test_api.py", "test_dataset.py", "test_significance.py"]),
    "jiwer": (["tests"], ["test_speed.py", "test_large_vocab.py"]),
    "rouge_score": (["rouge_score"], []),
    "nltk": (
        ["nltk/test/unit/translate/test_bleu.py"],
        [],
    ),
}


class Recorder:
    """A pytest plugin that keeps the scores of passing tests."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.passed = 0
        self._of_test: list[Call] = []

    def add(self, *call: Any) -> None:
        """Record a call of the running test."""
        self._of_test.append(list(call))

    def pytest_runtest_setup(self) -> None:
        self._of_test = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" and report.passed:
            self.passed += 1
            self.calls += [call for call in self._of_test if call not in self.calls]


def texts(value: Any) -> list[str]:
    """Return a text or texts as a list."""
    return [value] if isinstance(value, str) else list(value)


def sacrebleu(recorder: Recorder) -> None:
    """Record BLEU, chrF and TER with their parameters; a reference of a segment may be missing."""
    from sacrebleu.metrics.base import Metric

    def parameters(metric: Any) -> dict[str, Any]:
        names = inspect.signature(type(metric).__init__).parameters
        kept = {name: getattr(metric, name) for name in names if hasattr(metric, name)}
        kept = {name: value for name, value in kept.items() if isinstance(value, str | int | float)}
        if hasattr(metric, "tokenizer"):
            kept["tokenizer"] = metric.tokenizer.signature()
        if type(metric).__name__ == "TER":
            # Its options are those of its tokenizer.
            kept = {
                "normalized": metric.tokenizer._normalized,
                "no_punct": metric.tokenizer._no_punct,
                "asian_support": metric.tokenizer._asian_support,
                "lowercase": not metric.tokenizer._case_sensitive,
            }
        return kept

    def watched(name: str) -> None:
        original = getattr(Metric, name)

        @functools.wraps(original)
        def score(self: Any, predictions: Any, references: Any, *rest: Any, **named: Any) -> Any:
            found = original(self, predictions, references, *rest, **named)
            if references is not None:
                groups = (
                    [list(references)]
                    if name == "sentence_score"
                    else [[r for r in group if r is not None] for group in zip(*references, strict=False)]
                )
                recorder.add(
                    type(self).__name__, parameters(self), texts(predictions), groups, float(found.score)
                )
            return found

        setattr(Metric, name, score)

    watched("corpus_score")
    watched("sentence_score")


def jiwer(recorder: Recorder) -> None:
    """Record the error rates of calls without transformations of their own."""
    package = import_module("jiwer")

    def watched(name: str, fields: tuple[str, ...]) -> None:
        original = getattr(package, name)

        @functools.wraps(original)
        def rate(*given: Any, **named: Any) -> Any:
            found = original(*given, **named)
            sides = dict(zip(("reference", "hypothesis"), given, strict=False)) | named
            if set(sides) == {"reference", "hypothesis"}:
                references, predictions = texts(sides["reference"]), texts(sides["hypothesis"])
                for field in fields:
                    value = getattr(found, field) if hasattr(found, field) else found
                    recorder.add(field, {}, predictions, [[r] for r in references], float(value))
            return found

        setattr(package, name, rate)

    for name in ("wer", "mer", "wil", "wip", "cer"):
        watched(name, (name,))
    watched("process_words", ("wer", "mer", "wil", "wip"))
    watched("process_characters", ("cer",))


def rouge_score(recorder: Recorder) -> None:
    """Record F of each type of calls with the package's own tokenizer."""
    from rouge_score.rouge_scorer import RougeScorer

    created, original = RougeScorer.__init__, RougeScorer.score

    @functools.wraps(created)
    def create(self: Any, rouge_types: Any, use_stemmer: bool = False, **named: Any) -> None:
        created(self, rouge_types, use_stemmer, **named)
        self.recorded = None if any(named.values()) else bool(use_stemmer)

    @functools.wraps(original)
    def score(self: Any, target: str, prediction: str) -> Any:
        found = original(self, target, prediction)
        if self.recorded is not None:
            for kind, value in found.items():
                recorder.add(kind, {"stem": self.recorded}, [prediction], [[target]], float(value.fmeasure))
        return found

    RougeScorer.__init__, RougeScorer.score = create, score
    # The archive lacks the files that every test opens. Tests that compare their contents fail, and are not recorded.
    util = import_module("rouge_score.test_util")
    stand_in = Path("stand-in.txt")
    stand_in.write_text("a\nb\n", "utf-8")
    for constant in [name for name in vars(util) if name.endswith("_FILE")]:
        setattr(util, constant, str(stand_in.resolve()))


def nltk(recorder: Recorder) -> None:
    """Record calls with the default parameters.

    NIST is missing: with several references NLTK takes the best one of each order, which no other program does.
    """
    for file, names in {
        "bleu_score": ("sentence_bleu", "corpus_bleu"),
        "gleu_score": ("sentence_gleu", "corpus_gleu"),
        "ribes_score": ("sentence_ribes", "corpus_ribes"),
    }.items():
        module = import_module(f"nltk.translate.{file}")
        for name in names:
            setattr(module, name, _watched_words(recorder, name, getattr(module, name)))


def _watched_words(recorder: Recorder, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def score(references: Any, predictions: Any, *rest: Any, **named: Any) -> Any:
        found = original(references, predictions, *rest, **named)
        if not rest and not named and isinstance(found, float | int):
            groups, sides = (
                ([references], [predictions]) if name.startswith("sentence") else (references, predictions)
            )
            recorder.add(
                name,
                {},
                [" ".join(words) for words in sides],
                [[" ".join(words) for words in group] for group in groups],
                float(found),
            )
        return found

    return score


def doctests(name: str) -> list[str]:
    """Return the files of an installed program whose examples are tests."""
    if name != "nltk":
        return []
    place = Path(import_module("nltk.translate").__path__[0])
    return [str(place / f"{file}_score.py") for file in ("bleu", "gleu", "ribes")]


def main() -> None:
    """Answer on standard output; pytest prints on standard error."""
    import pytest

    name, folder = sys.argv[1], Path(sys.argv[2])
    (archive,) = folder.glob(f"{name}-*.tar.gz")
    recorder = Recorder()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(archive) as files:
            files.extractall(place, filter="data")
        (root,) = (path for path in Path(place).iterdir() if path.is_dir())
        os.chdir(root)
        globals()[name](recorder)
        suite, left_out = SUITES[name]
        words = [
            "-q",
            "-p",
            "no:cacheprovider",
            "--noconftest",
            "--import-mode=importlib",
            "--doctest-modules",
            "--doctest-continue-on-failure",
            "-o",
            "python_files=test_*.py *_test.py",
            "-c",
            os.devnull,
            "--rootdir",
            ".",
            *(word for one in left_out for word in ("--ignore-glob", f"*{one}")),
            *suite,
            *doctests(name),
        ]
        pytest.main(words, plugins=[recorder])
    json.dump({"version": version(name), "passed": recorder.passed, "calls": recorder.calls}, answers)


if __name__ == "__main__":
    main()
