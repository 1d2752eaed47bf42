"""The analyses of the COSMIC paper on texts made so that the answer is known."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge.corpus import Corpus
from nlgauge.errors import InputError, ParameterError
from nlgauge.features.encoders.embeddings import TextEmbedding
from nlgauge.meta.papers.cosmic import (
    InformationGraph,
    convergence,
    information_graph,
    pair_information,
    rank_summarizers,
)
from nlgauge.meta.papers.embeddings import embeddings
from nlgauge.metrics.cosmic import Cosmic

pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore:cosmic")

WORDS = ["cat", "mat", "sat", "on", "the", "dog", "ran", "far", "big", "red"]


def _sources(count: int) -> list[str]:
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(WORDS, 8)) for _ in range(count)]


def _systems(sources: list[str]) -> dict[str, list[str]]:
    """The first words of the source; fewer of them; those of another source."""
    first = [" ".join(source.split()[:6]) for source in sources]
    return {
        "short": [" ".join(text.split()[:3]) for text in first],
        "other": first[1:] + first[:1],
        "first": first,
    }


@pytest.fixture
def metric(tiny_models: dict[str, Path]) -> Cosmic:
    return Cosmic(str(tiny_models["encoder"]), components=4, seeds=2, estimator="gaussian")


@pytest.fixture
def directed(metric: Cosmic) -> Cosmic:
    return replace(metric, estimator="knife")


def test_summarizers_are_ranked_by_what_they_tell(metric: Cosmic) -> None:
    sources = _sources(200)
    corpus = Corpus.read(_systems(sources), sources=sources)
    ranked = rank_summarizers(corpus, metric)
    assert [one.system for one in ranked] == ["first", "short", "other"]
    assert [one.words for one in ranked] == [6, 3, 6]
    result = nlgauge.score(_systems(sources), sources=sources, metrics=metric)
    assert rank_summarizers(result, metric) == ranked
    assert ranked[0].information == result["first"][str(metric)]["score"]
    assert ranked[0].seed_deviation == result["first"][str(metric)]["seed_deviation"]
    assert all(one.low < one.information < one.high and one.scored_pairs == 200 for one in ranked)


def test_one_system_is_ranked_alone_and_an_empty_one_last(metric: Cosmic) -> None:
    sources = _sources(60)
    assert len(rank_summarizers(nlgauge.score(sources, sources=sources, metrics=metric), metric)) == 1
    ranked = rank_summarizers(Corpus.read({"nothing": [""] * 60, "first": sources}, sources=sources), metric)
    assert [one.system for one in ranked] == ["first", "nothing"]
    assert math.isnan(ranked[1].information)


def test_every_density_says_how_it_was_fitted(tiny_models: dict[str, Path]) -> None:
    sources = _sources(40)
    metric = Cosmic(str(tiny_models["encoder"]), components=1, seeds=2, folds=3, modes=1)
    result = nlgauge.score({"a": sources, "b": sources[::-1]}, sources=sources, metrics=metric)
    found = convergence(result, metric)
    assert len(found) == 2 * 4 * 2 * 3
    assert {one.density for one in found} == {
        "source",
        "source given summary",
        "summary",
        "summary given source",
    }
    assert all(
        0 <= one.rounds <= 40 and one.gained < 1 and one.modes == 1 and np.isfinite(one.plain)
        for one in found
    )
    assert found[0].gap == found[0].held_out - found[0].learnt
    with pytest.raises(ParameterError, match="metric must be cosmic"):
        convergence(nlgauge.score(sources, sources, metrics="bleu"), "bleu")


def test_graph_of_systems(directed: Cosmic) -> None:
    sources = _sources(120)
    corpus = Corpus.read(_systems(sources), sources=sources)
    graph = information_graph(corpus, directed)
    assert graph.systems == ("short", "other", "first")
    assert np.isnan(np.diag(graph.information)).all()
    short, other, first = 0, 1, 2
    assert graph.information[first, short] > 0.1 > 0.05 > graph.information[other, short]
    as_sources = nlgauge.score(
        _systems(sources)["first"], sources=_systems(sources)["short"], metrics=directed
    )[str(directed)]
    # The graph's edge is the score of the one system's texts against the other's, but that folds are made
    # over sources here, over summaries there.
    assert graph.information[first, short] == pytest.approx(as_sources["score"], abs=0.1)
    forth, back = (graph.information[places] for places in (np.triu_indices(3, 1), np.tril_indices(3, -1)))
    assert np.abs(np.sort(forth) - np.sort(back)).max() > 1e-3  # directions are estimates of their own
    edges = graph.edges()
    assert len(edges) == 6
    assert {(edges[0].predicting, edges[0].predicted), (edges[1].predicting, edges[1].predicted)} == {
        ("first", "short"),
        ("short", "first"),
    }
    assert (
        edges[0].seed_deviation
        == graph.seed_deviation[
            graph.systems.index(edges[0].predicting), graph.systems.index(edges[0].predicted)
        ]
    )


def test_a_symmetric_estimate_is_refused_for_a_directed_graph(metric: Cosmic) -> None:
    with pytest.raises(
        ParameterError, match=r"the Gaussian estimate is symmetric, so that a graph shows no direction"
    ):
        information_graph(Corpus.read({"a": ["x", "y"], "b": ["y", "x"]}), metric)


def test_means_of_a_graph_go_along_rows_and_columns() -> None:
    nan = math.nan
    graph = InformationGraph(
        ("a", "b", "c"), np.array([[nan, 1, 2], [3, nan, 4], [5, 6, nan]]), np.zeros((3, 3))
    )
    assert graph.outgoing == {"a": 1.5, "b": 3.5, "c": 5.5}
    assert graph.incoming == {"a": 4.0, "b": 3.5, "c": 3.0}


def test_an_edge_has_a_direction_if_seeds_agree_on_it() -> None:
    nan = math.nan
    information = np.array([[nan, 2.0, 1.0], [1.5, nan, nan], [1.1, 0.5, nan]])
    deviation = np.array([[nan, 0.1, 0.1], [0.1, nan, nan], [0.1, 0.1, nan]])
    graph = InformationGraph(("a", "b", "c"), information, deviation, 3)
    assert [(edge.predicting, edge.predicted) for edge in graph.edges() if edge.directed] == [("a", "b")]
    first = graph.edges()[0]
    # Three seeds: the quantile of Student's t with 2 degrees of freedom is 4.3027.
    assert (first.low, first.high) == pytest.approx(
        (2 - 4.302653 * 0.1 / 3**0.5, 2 + 4.302653 * 0.1 / 3**0.5)
    )
    assert math.isnan(graph._replace(seeds=1).edges()[0].low)
    assert not graph._replace(seed_deviation=deviation * nan).directed.any()


def test_a_graph_embeds_each_text_once_and_leaves_empty_ones_out(
    directed: Cosmic, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = _sources(40)
    seen: list[str] = []
    compute = TextEmbedding.compute
    monkeypatch.setattr(
        TextEmbedding, "compute", lambda self, keys, *rest: (seen.extend(keys), compute(self, keys, *rest))[1]
    )
    graph = information_graph(
        Corpus.read({"a": ["", *sources[1:]], "b": sources, "none": [""] * 40}, sources=sources), directed
    )
    assert len(seen) == len(set(seen)) == 41
    assert not np.isnan(graph.information[0, 1])
    assert np.isnan(graph.information[2]).all()


def test_graphs_need_systems_with_one_prediction(directed: Cosmic) -> None:
    with pytest.raises(InputError, match=r"systems.*1"):
        information_graph(Corpus.read(["a", "b"]), directed)
    with pytest.raises(InputError, match="'b' has several"):
        information_graph(Corpus.read({"a": ["x", "y"], "b": [["x", "z"], ["y"]]}), directed)
    with pytest.raises(ParameterError, match=r"metric.*'bleu'"):
        information_graph(Corpus.read({"a": ["x"], "b": ["y"]}), "bleu")


def test_pair_information_of_the_metrics_vectors_is_the_metric(directed: Cosmic) -> None:
    sources = _sources(60)
    systems = {"first": _systems(sources)["first"], "gaps": ["", *sources[1:]]}
    result = nlgauge.score(systems, sources=sources, metrics=directed)
    found = pair_information(result, embeddings(result, directed.model), directed)
    for system, pair in found.items():
        scores = result[system][str(directed)]
        assert pair.pairs.mean() == pytest.approx(scores["score"], rel=1e-12)
        assert pair.seed_deviation == pytest.approx(scores["seed_deviation"], rel=1e-12)
    assert found["gaps"].pairs[0] == 0.0
    with pytest.raises(InputError, match="needs sources"):
        pair_information(Corpus.read(["a"]), embeddings(Corpus.read(["a"]), directed.model), directed)
