"""Agreement of segment scores: correlations of every two outputs over all outputs of all systems, and a tree
of similar outputs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nlgauge._core.ragged import Array

# Kendall's coefficient of more points than these is computed on as many drawn at even distances.
_KENDALL_POINTS = 20_000
METHODS = ("spearman", "pearson", "kendall")


def agreement(outputs: list[dict[str, Any]], columns: Array) -> dict[str, Any]:
    """Return the compared outputs, their order in the tree, the joins of the tree, and a matrix for each
    coefficient.

    Scores are turned so that more is better; points with an unknown score are left out. Outputs that are the
    same everywhere are compared once: `same` names their representative.
    """
    ids: list[int] = []
    same: dict[int, int] = {}
    for number, output in enumerate(outputs):
        if output["column"] is None:
            continue
        twin = next(
            (
                other
                for other in ids
                if np.array_equal(
                    columns[output["column"]], columns[outputs[other]["column"]], equal_nan=True
                )
            ),
            None,
        )
        if twin is None:
            ids.append(number)
        else:
            same[number] = twin
    flat = [
        columns[outputs[i]["column"]].ravel().astype(np.float64) * (-1 if outputs[i]["up"] is False else 1)
        for i in ids
    ]
    matrices = {method: _matrix(flat, method) for method in METHODS}
    order, joins = _tree(matrices["spearman"])
    shown = {
        method: [[None if math.isnan(value) else round(float(value), 3) for value in row] for row in matrix]
        for method, matrix in matrices.items()
    }
    return {
        "ids": ids,
        "same": {str(number): twin for number, twin in same.items()},
        "order": order,
        "tree": joins,
        **shown,
    }


def _matrix(flat: list[Array], method: str) -> Array:
    matrix = np.eye(len(flat))
    for i, x in enumerate(flat):
        for j in range(i):
            matrix[i, j] = matrix[j, i] = correlation(x, flat[j], method)
    return matrix


def correlation(x: Array, y: Array, method: str) -> float:
    """Return the coefficient of one of `METHODS` over the points at which both scores are known."""
    from nlgauge.stats.coefficients import kendall, pearson, spearman

    known = np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    if method == "kendall":
        step = -(-len(x) // _KENDALL_POINTS) or 1
        return float(kendall(x[::step], y[::step]))
    return float((pearson if method == "pearson" else spearman)(x, y))


def similarity_tree(similarity: Array) -> Array:
    """Return the joins of average linkage on the distance 1 - r, with similar leaves side by side.

    Scores are oriented so that higher is better: metrics with r = -1 prefer opposite texts, and are as far
    apart as can be. The distance 1 - |r| would put them side by side as if they agreed. An unknown
    correlation is as far as none.
    """
    from scipy.cluster.hierarchy import average, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    distance = squareform(np.clip(1 - np.nan_to_num(similarity), 0, None), checks=False)
    joins: Array = optimal_leaf_ordering(average(distance), distance)
    return joins


def _tree(similarity: Array) -> tuple[list[int], list[list[float]]]:
    """Return the leaves in the order of the tree, and its joins: two nodes and their distance."""
    if len(similarity) < 3:
        return list(range(len(similarity))), []
    from scipy.cluster.hierarchy import leaves_list

    joins = similarity_tree(similarity)
    return leaves_list(joins).tolist(), [[int(a), int(b), round(float(far), 4)] for a, b, far, _ in joins]
