"""Public names have numpydoc docstrings: every parameter and return value is described, in plain English."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

from nlgauge import Corpus, Scorer, score
from tools.prose import Piece
from tools.prose_lint import RULES, hits, read_rules

# Missing docstring, undocumented or unknown parameter, no return value, summary without a period, in the third person,
# or of several lines.
CODES = {"GL08", "PR01", "PR02", "RT01", "SS03", "SS05", "SS06"}


def _public(package: str) -> Iterator[tuple[str, str]]:
    """Yield the names of functions, classes and their public methods in a package, with their docstrings."""
    module = import_module(package)
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, ModuleType) or not callable(value):
            continue
        yield f"{package}.{name}", inspect.getdoc(value) or ""
        for method in dir(value) if inspect.isclass(value) else ():
            function = _function(inspect.getattr_static(value, method))
            if not method.startswith("_") and getattr(function, "__module__", "").startswith("nlgauge."):
                yield f"{package}.{name}.{method}", inspect.getdoc(function) or ""


def _function(value: Any) -> Any:
    """Return the function behind a method, a property or a lazy attribute; None if there is none."""
    for name in ("fget", "func", "__func__"):
        value = getattr(value, name, None) or value
    return value if inspect.isfunction(value) else None


@pytest.mark.parametrize(
    "package",
    [
        "nlgauge",
        "nlgauge.meta",
        "nlgauge.meta.benchmarks",
        "nlgauge.plots",
        "nlgauge.preferences",
        "nlgauge.spans",
    ],
)
def test_public_names_are_documented(package: str):
    from numpydoc.validate import validate

    rules = read_rules(RULES.read_text("utf-8"))
    problems = {}
    for name, text in _public(package):
        summary = text.partition("\n")[0]
        problems[name] = [
            *(error for error in validate(name)["errors"] if error[0] in CODES),
            *([f"the summary has {len(summary)} characters"] if len(summary) > 100 else []),
            *map(str, hits(Piece("docstring-public", name, 1, text), rules)),
        ]
    assert len(problems) > 15
    assert {name: texts for name, texts in problems.items() if texts} == {}


@pytest.mark.parametrize("function", [Scorer.__init__, Scorer.__call__, Corpus.read])
def test_shared_options_have_the_text_of_score(function: Any):
    from numpydoc.docscrape import FunctionDoc

    described = {each.name: each.desc for each in FunctionDoc(score)["Parameters"]}
    documented = Scorer if function is Scorer.__init__ else function
    texts = {each.name: each.desc for each in FunctionDoc(documented)["Parameters"]}
    assert list(texts) == [name for name in inspect.signature(function).parameters if name != "self"]
    assert texts == {name: described[name] for name in texts}
