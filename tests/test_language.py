"""The one warning that a metric is made for another language."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import nlgauge
from nlgauge.corpus import Corpus

TEXT = "The cat sat on the mat."


@pytest.mark.parametrize(
    ("text", "lang", "warned"),
    [
        (TEXT, None, 0),
        (TEXT, "en", 0),
        (TEXT, "en-GB", 0),
        (TEXT, "de", 1),
        ("Кот сидел на ковре.", None, 1),
        ("猫が座った。", None, 1),
        ("The word кот is Russian.", None, 0),
        ("12 ?!", None, 0),
    ],
)
def test_one_warning_a_run_names_the_metrics(text: str, lang: str | None, warned: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters: np.array_split(np.arange(len(self)), 3))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nlgauge.score([text, text + " ", text + "  "], [text] * 3, metrics=["smog", "ari", "chrf"], lang=lang)
    assert len(caught) == warned
    for warning in caught:
        assert str(warning.message).startswith("smog, ari: made for en; ")


def test_a_metric_added_later_warns_too() -> None:
    result = nlgauge.score(["Кот сидел."], ["Кот сидел."], metrics="chrf")
    with pytest.warns(UserWarning, match="not in Latin letters"):
        result.add("smog")
