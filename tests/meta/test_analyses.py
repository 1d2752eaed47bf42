"""The methods of Judgments are the functions of the package, with the same options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from nlgauge import meta
from nlgauge.errors import ParameterError
from nlgauge.meta import Findings, Judgments, benchmarks

SAMPLE = benchmarks.load("sample")
JUDGED = SAMPLE.judgments(SAMPLE.score("chrf", "ter"), dimensions=["relevance"])


@pytest.mark.parametrize(
    ("name", "given", "options"),
    [
        ("correlate", (), {"level": "global", "interval": "fisher"}),
        ("compare", (), {"level": "global", "resamples": 50, "generalize_to": "inputs"}),
        ("replicate", (), {"resamples": 20, "splits": 3, "level": "global"}),
        ("between_metrics", (), {"level": "system", "coefficient": "kendall"}),
        ("top_systems", (), {"ks": [3, 4]}),
        ("agreement", (), {"resamples": 20}),
        ("rank", (), {"preset": "summeval", "resamples": 50}),
        ("bias", (SAMPLE.corpus(),), {"level": "system"}),
        ("sentinels", (SAMPLE.corpus(),), {"level": "global", "coefficient": "kendall"}),
        ("convert", ("chrf", "ter"), {"how": "isotonic"}),
    ],
)
def test_methods_are_the_functions(name: str, given: tuple[Any, ...], options: dict[str, Any]) -> None:
    method: Callable[..., Findings] = getattr(JUDGED, name)
    found, expected = method(*given, **options), getattr(meta, name)(JUDGED, *given, **options)
    assert type(found) is type(expected)
    assert len(found) > 0
    assert found.to_csv() == expected.to_csv()
    assert found.made == expected.made
    assert getattr(Judgments, name) is getattr(meta, name)


def test_estimates_take_judgments_or_arrays() -> None:
    for human, expected in ((None, JUDGED.human()), ("relevance", JUDGED.human("relevance"))):
        arrays = {label: JUDGED.oriented(label) for label in JUDGED.labels}
        found = JUDGED.estimate(human=human)
        assert found.rows == meta.estimate(expected, arrays, systems=JUDGED.systems).rows
    with pytest.raises(ParameterError, match="names a dimension of judgments"):
        meta.estimate(JUDGED.human(), arrays, human="relevance")


def test_what_is_made_of_judgments_has_the_methods_too() -> None:
    part = JUDGED.only(metrics=["chrf"])
    assert isinstance(part, Judgments)
    assert part.correlate(level="global", coefficient="kendall", interval=None).column("metric") == ["chrf"]
