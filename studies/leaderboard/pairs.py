"""Clusters of metrics on better/worse pairs: the bootstrap of DARR, the same draws for all metrics."""

from __future__ import annotations

import numpy as np

from nlgauge.meta import Judgments
from nlgauge.meta.ready_pairs import columns, ordered, replicates
from nlgauge.stats.corrections import max_t
from nlgauge.stats.letters import cluster_ranks, wins
from nlgauge.stats.resampling import bootstrap


def pair_clusters(
    people: Judgments, resamples: int, seed: int = 12345
) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """Return the cluster of each metric, and the pairs of metrics of which the first beats the second.

    The value is DARR averaged over groups; the claims are about new systems.
    """
    labels = list(people.metrics)
    value, drawn = np.zeros(len(labels)), np.zeros((resamples, len(labels)))
    parts = people.by_group()
    for number, part in enumerate(parts.values()):
        resampled = bootstrap(len(part.systems), len(part.segments), "systems", resamples, seed + number)
        alike, against = columns([ordered(part, label) for label in labels])
        value += (alike - against).sum(axis=0) / np.maximum(1, (alike + against).sum(axis=0)) / len(parts)
        drawn += replicates(part, alike, against, resampled) / len(parts)
    k, m = np.triu_indices(len(labels), 1)
    null = drawn[:, k] - drawn[:, m]
    p = np.full((len(labels), len(labels)), np.nan)
    p[k, m] = p[m, k] = max_t(value[k] - value[m], null - np.nanmean(null, axis=0), True)
    clusters = {
        label: place
        for label, place in zip(labels, cluster_ranks(value, p), strict=True)
        if place is not None
    }
    return clusters, [(labels[winner], labels[loser]) for winner, loser in np.argwhere(wins(value, p))]
