"""Expressions in the browser select what they select in Python."""

from __future__ import annotations

import re
from typing import Any

import pytest
from selection_cases import CASES, FILES

from nlgauge.show.report.page import WEB

# The module without its exports, on rows whose lists are scores of the systems.
_RUN = """({ systems, rows, expressions }) => {
    CODE
    const text = value => (value === null || value === "" ? null : String(value));
    const keys = Object.keys(rows[0]);
    const other = keys.filter(name => !["id", "reference", "source", ...systems].includes(name));
    const isScore = name => Array.isArray(rows[0][name]);
    const columns = () => ({
        systems,
        count: rows.length,
        chosen: systems.map((_, system) => system),
        numbers: Object.fromEntries(other.filter(isScore).map(name => [name, (system, segment) => rows[segment][name][system] ?? NaN])),
        values: Object.fromEntries(other.filter(name => !isScore(name)).map(name => [name, segment => text(rows[segment][name])])),
        texts: Object.fromEntries(
            ["id", "source", "reference"].filter(name => keys.includes(name)).map(name => [name, at => [rows[at][name]].flat()])),
        prediction: (system, segment) => rows[segment][systems[system]],
    });
    return expressions.map(expression => {
        try {
            const mask = met(parse(expression), columns());
            return { ids: rows.filter((_, segment) => mask[segment]).map(row => row.id) };
        } catch (error) {
            return { at: error.at, says: error.says ?? String(error) };
        }
    });
}"""


@pytest.mark.parametrize("file", FILES)
def test_the_browser_selects_as_python_does(file: str, opened: Any) -> None:
    cases = CASES(file)
    code = re.sub(r"^export ", "", (WEB / "selecting.js").read_text("utf-8"), flags=re.MULTILINE)
    given = {name: cases[name] for name in ("systems", "rows")}
    page = opened(None).page
    expressions = [case["expression"] for case in (*cases["cases"], *cases["errors"])]
    found = page.evaluate(_RUN.replace("CODE", code), {**given, "expressions": expressions})
    for case, got in zip((*cases["cases"], *cases["errors"]), found, strict=True):
        if "ids" in case:
            assert got == {"ids": case["ids"]}, case["expression"]
        else:
            assert got["at"] == case["at"], case["expression"]
            assert case["says"] in got["says"], case["expression"]
