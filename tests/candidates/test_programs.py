"""The program of one output computes the score of a segment from counts, compiled and by NumPy alike."""

from __future__ import annotations

import numpy as np
import pytest
from twins import needs_native

from nlgauge._core.backend import NATIVE
from nlgauge.candidates.programs import output_program
from nlgauge.metric.program import CODES
from nlgauge.metric.registry import metric_classes, parse
from nlgauge.metric.symbols import Graph

SPECS = [
    "bleu",
    "bleu(compat='coco')",
    "chrf",
    "chrf(beta=1.5)",
    "gleu",
    "sentence_bleu",
    "rouge",
    "wil",
    "wip",
]


@needs_native
@pytest.mark.parametrize("spec", SPECS)
def test_numpy_and_the_compiled_module_run_a_program_to_the_same_bits(spec):
    metric = parse(spec)
    rng = np.random.default_rng(3)
    for outputs in metric.outputs().values():
        program = output_program(metric, outputs[0].name)
        assert program is not None
        columns = rng.choice([0.0, 0.0, 1.0, 2.0, 3.5, 17.0, 1e308, np.nan], (500, program.program.inputs))
        found, expected = NATIVE.Program(*program.program).run(columns), program.program.run(columns)
        assert found.shape == expected.shape == (500, 1)
        assert np.array_equal(found, expected, equal_nan=True)
        assert (np.signbit(found) == np.signbit(expected))[~np.isnan(found)].all()


@needs_native
def test_every_instruction_is_the_same_in_numpy():
    graph = Graph()
    values = graph.new_inputs(3)
    nodes = []
    for name in CODES[2:]:
        operands = (
            3
            if name == "where"
            else 1
            if name in ("negative", "absolute", "logical_not", "exp", "log", "sqrt", "isnan")
            else 2
        )
        nodes.append(int(graph.apply(name, *(values[k] for k in range(operands))).nodes))
    program = graph.program(nodes)
    some = [0.0, -0.0, 1.0, -2.5, 3.0, 1e-300, 1e308, np.inf, -np.inf, np.nan]
    columns = np.array([[a, b, c] for a in some for b in some for c in (0.0, 2.0)])
    found, expected = NATIVE.Program(*program).run(columns), program.run(columns)
    assert np.array_equal(found, expected, equal_nan=True)
    assert found.shape == (200, len(CODES) - 2)


def test_metrics_with_sources_models_or_fits_have_no_program():
    for name in ("comet", "bertscore", "cider", "mauve", "ari"):
        metric = metric_classes()[name]()
        assert (
            output_program(metric, next(iter(metric.outputs().values()))[0].name if metric.outputs() else "")
            is None
        )
