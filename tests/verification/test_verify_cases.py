"""The cases are complete, fit their metrics, and have short texts."""

from __future__ import annotations

import pytest

from nlgauge.errors import UnknownNameError
from nlgauge.metric.registry import make
from nlgauge.verification.cases import cases, chosen

LONGEST_TEXT = 400


@pytest.mark.parametrize("name", [name for name, case in cases().items() if not case.why])
def test_every_case_fits_its_metric(name: str):
    case = cases()[name]
    for mode in case.modes:
        metric = make(case.metric, {**case.parameters, **case.models, **mode})
        outputs = {output.name for part in metric.outputs().values() for output in part}
        assert {values.output for values in case.values} - {""} <= outputs
    lengths = [len(values.values) for values in case.values if values.level == "segments"]
    assert set(lengths) <= {len(case.predictions)}
    assert all(len(values.values) == 1 for values in case.values if values.level == "system")
    for texts in (case.references, case.sources):
        assert texts is None or len(texts) == len(case.predictions)


def test_published_rows_are_all_here():
    """186 of the 187 collected rows; the last one is a table of correlations, not of scores."""
    published = [case for case in cases().values() if not case.command]
    assert len(published) == 51
    assert sum(len(case.numbers) for case in published) == 251
    measured = {case.checkpoint for case in cases().values() if case.command}
    assert measured == {"minilm", "smollm2", "glove"}


def test_texts_are_short():
    for case in cases().values():
        references = [text for group in case.references or () for text in group]
        texts = [*case.predictions, *references, *(case.sources or ())]
        assert max(map(len, texts)) <= LONGEST_TEXT


def test_metrics_choose_cases():
    assert {case.metric for case in chosen(["bleurt", "prism"])} == {"bleurt", "prism"}
    assert chosen() == list(cases().values())
    with pytest.raises(UnknownNameError, match="did you mean 'bleurt'"):
        chosen(["bleurtt"])
