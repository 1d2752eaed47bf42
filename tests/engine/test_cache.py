"""The cache of statistics: what changes a number is a miss, what does not is a hit, and what is found is
what was computed.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from cache_cases import cached

import nlgauge
from nlgauge.engine.cache import identity
from nlgauge.engine.executors import Serial, Threads
from nlgauge.engine.executors.processes import Processes
from nlgauge.errors import MetricError, ParameterError
from nlgauge.models import Model, loader
from nlgauge.results.result import Result

pytestmark = pytest.mark.usefixtures("statistics_file")

PREDICTIONS = ["the cat sat", "a dog", "on the mat"]
REFERENCES = [["the cat", "a cat sat"], ["the dog"], ["the mat"]]
ROWS = 4


@pytest.fixture
def encoder(tiny_models: Any, tmp_path: Path) -> Path:
    """A model that the test may change."""
    return Path(shutil.copytree(tiny_models["encoder"], tmp_path / "model"))


def bertscore(model: Path, **parameters: Any) -> dict[str, Any]:
    return {"path": "bertscore", "compute_kwargs": {"model": str(model), "layer": 1, **parameters}}


def score(
    metric: Any, predictions: Any = PREDICTIONS, references: Any = REFERENCES, **options: Any
) -> Result:
    return nlgauge.score(predictions, references, metrics=metric, **options)


def statistics(result: Result) -> list[bytes]:
    return [values.tobytes() for table in result._tables.values() for values in table.statistics.values()]


def test_a_second_run_computes_nothing_and_has_the_same_bits(
    encoder: Path, statistics_file: Path, monkeypatch: pytest.MonkeyPatch
):
    metrics = [bertscore(encoder), {**bertscore(encoder), "resulting_name": "again"}]
    without, first = score(metrics, cache=False), score(metrics)
    assert (cached(without), cached(first)) == (0, 0)
    loader.release()
    monkeypatch.setattr(loader, "_loaded", lambda *_: pytest.fail("a model was loaded"))
    second = score(metrics)
    assert cached(second) == 2 * ROWS
    assert statistics(without) == statistics(first) == statistics(second)
    assert statistics_file.is_file()


def test_explanations_are_computed(encoder: Path):
    score(bertscore(encoder))
    result = score(bertscore(encoder))
    found = result.explain(result.labels[0], 0)
    assert cached(result) == ROWS and found


def change_weights(model: Path) -> None:
    weights = model / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)


def change_tokenizer(model: Path) -> None:
    path = model / "tokenizer_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "do_lower_case": False, "note": "another"}))


def version_of(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = identity.installed_version
    monkeypatch.setattr(
        identity, "installed_version", lambda name: "another" if name == package else known(name)
    )


MISSES: dict[str, Callable[[Path, pytest.MonkeyPatch], dict[str, Any] | None]] = {
    "a prediction": lambda model, patch: {"predictions": ["the cat sat!", "a dog!", "on the mat!"]},
    "a reference": lambda model, patch: {"references": [["the cat!"], ["the dog!"], ["the mat!"]]},
    "prediction and reference": lambda model, patch: {
        "predictions": [one[0] for one in REFERENCES],
        "references": PREDICTIONS,
    },
    "the language": lambda model, patch: {"lang": "de"},
    "a parameter": lambda model, patch: {"metric": bertscore(model, layer=2)},
    "a parameter of the score": lambda model, patch: {"metric": bertscore(model, baseline=(0.1, 0.1, 0.1))},
    "a fit": lambda model, patch: {"metric": bertscore(model, idf=True)},
    "weights": lambda model, patch: change_weights(model),
    "the tokenizer": lambda model, patch: change_tokenizer(model),
    "a library": lambda model, patch: version_of("tokenizers", patch),
    "our version": lambda model, patch: version_of("nlgauge", patch),
    "our code": lambda model, patch: patch.setattr(identity, "_code", lambda package: "another"),
}


@pytest.mark.parametrize("what", MISSES)
def test_what_changes_a_number_is_a_miss(what: str, encoder: Path, monkeypatch: pytest.MonkeyPatch):
    given: dict[str, Any] = {"metric": bertscore(encoder)}
    assert cached(score(**given)) == 0
    assert cached(score(**given)) == ROWS
    given |= MISSES[what](encoder, monkeypatch) or {}
    assert cached(score(**given)) == 0
    again = score(**given)
    assert cached(again) == sum(
        len(rows) if isinstance(rows, list) else 1 for rows in given.get("references", REFERENCES)
    )
    assert statistics(again) == statistics(score(**given, cache=False))


HITS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "other segments": lambda given: {
        "predictions": [*PREDICTIONS, "mat"],
        "references": [*REFERENCES, ["sat", "on", "cat"]],
    },
    "the order": lambda given: {"predictions": PREDICTIONS[::-1], "references": REFERENCES[::-1]},
    "chunks": lambda given: {"executor": Serial(characters=1)},
    "processes": lambda given: {"executor": Processes(characters=1)},
    "systems": lambda given: {
        "predictions": {"A": PREDICTIONS, "B": PREDICTIONS, "C": ["dog", "cat", "mat"]}
    },
    "batch size": lambda given: {"batch_size": 1},
    "device": lambda given: {"device": "cpu"},
    "seed, where nothing is drawn": lambda given: {"seed": 7},
    "ids, documents, weights": lambda given: {"ids": [*"abc"], "documents": [*"xxy"], "weights": [1, 2, 3]},
    "label": lambda given: {"metric": {**given["metric"], "resulting_name": "another"}},
    "reduction": lambda given: {"reduce_fn": "mean"},
}


@pytest.mark.parametrize("what", HITS)
def test_what_does_not_change_a_number_is_a_hit(what: str, encoder: Path):
    given: dict[str, Any] = {"metric": bertscore(encoder)}
    first = score(**given)
    again = score(**given | HITS[what](given))
    assert cached(again) == ROWS
    if what in ("batch size", "device", "chunks", "processes", "label"):
        assert statistics(again) == statistics(first)


def test_the_content_of_a_fit_is_part_of_the_key(encoder: Path):
    weighted = bertscore(encoder, idf=True)
    assert [cached(score(weighted)), cached(score(weighted))] == [0, ROWS]
    assert cached(score(weighted, [*PREDICTIONS, "x"], [*REFERENCES, ["the the x"]])) == 0


def test_the_seed_is_part_of_the_key_where_something_is_drawn(tiny_models: Any):
    metric = {"path": "depthscore", "compute_kwargs": {"model": str(tiny_models["encoder"]), "layer": 1}}
    assert [cached(score(metric, seed=seed)) for seed in (1, 1, 2, 2)] == [0, ROWS, 0, ROWS]


def test_the_dialect_of_another_program_is_part_of_the_key(tiny_models: Any):
    metrics = [
        f"embedding_average(vectors={str(tiny_models['vectors'])!r}, compat={compat!r})"
        for compat in (None, "nlg-eval")
    ]
    assert [cached(score(metric)) for metric in (*metrics, *metrics)] == [0, 0, ROWS, ROWS]


@pytest.mark.filterwarnings("ignore:.*of the words have no vector")
def test_threads_share_the_cache(tiny_models: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NLGAUGE_THREADS", "3")
    metric = f"embedding_average(vectors={str(tiny_models['vectors'])!r})"
    predictions, references = [f"the cat {i}" for i in range(60)], [f"a cat {i}" for i in range(60)]
    runs = [
        score(metric, predictions, references, executor=Threads(characters=20), cache=cache)
        for cache in (False, True, True)
    ]
    assert [cached(run) for run in runs] == [0, 0, 60]
    assert statistics(runs[0]) == statistics(runs[1]) == statistics(runs[2])


def test_a_source_counts_and_all_references_in_their_order(costly_metrics: ModuleType):
    def run(references: list[str], source: str | None = "s", prediction: str = "p") -> int:
        costly_metrics.COMPUTED.clear()
        nlgauge.score(
            [prediction], [references], None if source is None else [source], metrics=costly_metrics.Joint()
        )
        return len(costly_metrics.COMPUTED)

    assert run(["a", "b"]) == 1
    assert run(["a", "b"]) == 0
    assert [
        run(["b", "a"]),
        run(["a"]),
        run(["a", "b"], "t"),
        run(["a", "b"], prediction="q"),
        run(["ab"]),
        run(["a", "b", ""]),
    ] == [1] * 6
    assert [
        run(["b", "a"]),
        run(["a"]),
        run(["a", "b"], "t"),
        run(["a", "b"], prediction="q"),
        run(["ab"]),
        run(["a", "b", ""]),
    ] == [0] * 6


def test_rows_with_equal_texts_are_found_for_all_their_segments(costly_metrics: ModuleType):
    given = {
        "predictions": ["p", "q", "p"],
        "references": [["a", "b"], ["c"], ["a", "b"]],
        "sources": ["s", "s", "s"],
        "metrics": costly_metrics.Joint(),
    }
    first, second = nlgauge.score(**given), nlgauge.score(**given)
    assert cached(second) == 3 and statistics(first) == statistics(second)


def test_adding_a_system_computes_its_new_rows_alone(costly_metrics: ModuleType):
    score(costly_metrics.Pair(), {"A": ["one", "two", "three"]}, ["x", "y", "z"])
    costly_metrics.COMPUTED.clear()
    both = score(
        costly_metrics.Pair(),
        {"A": ["one", "two", "three"], "B": ["one", "another", "three"]},
        ["x", "y", "z"],
    )
    assert costly_metrics.COMPUTED == [("another", "y")] and cached(both) == 3
    assert [table.statistics["lengths"][:, 0].tolist() for table in both._tables.values()] == [
        [4, 4, 6],
        [4, 8, 6],
    ]
    costly_metrics.COMPUTED.clear()
    more = both.add(predictions={"C": ["one", "another", "new"]})
    assert costly_metrics.COMPUTED == [("new", "z")] and cached(more) == 5
    both.add(predictions={"C": ["one", "another", "new"]}, cache=False)
    assert len(costly_metrics.COMPUTED) == 4


def test_what_is_not_a_number_is_computed_again(costly_metrics: ModuleType):
    for _ in range(2):
        costly_metrics.COMPUTED.clear()
        score(costly_metrics.Pair(), ["one", "nothing"], ["x", "y"])
    assert costly_metrics.COMPUTED == [("nothing", "y")]


def test_an_error_names_the_segment_although_others_were_found(costly_metrics: ModuleType):
    score(costly_metrics.Pair(), ["one", "two"], ["x", "y"])
    with pytest.raises(MetricError, match=r"segment 'c'.*cannot be scored"):
        score(costly_metrics.Pair(), ["one", "two", "refuse"], ["x", "y", "z"], ids=["a", "b", "c"])


def test_a_package_whose_code_changed_is_another(costly_metrics: ModuleType):
    assert [cached(score(costly_metrics.Pair(), ["one"], ["x"])) for _ in range(2)] == [0, 1]
    identity._code.cache_clear()
    path = Path(str(costly_metrics.__file__))
    path.write_text(path.read_text("utf-8") + "\n# changed\n", "utf-8")
    assert cached(score(costly_metrics.Pair(), ["one"], ["x"])) == 0
    identity._code.cache_clear()


def test_worker_processes_use_a_costly_metricss_cache(costly_metrics: ModuleType):
    score(costly_metrics.Pair(), ["one", "two"], ["x", "y"])
    again = score(
        costly_metrics.Pair(), ["one", "two", "three"], ["x", "y", "z"], executor=Processes(characters=1)
    )
    assert cached(again) == 2 and costly_metrics.COMPUTED == [("one", "x"), ("two", "y")]
    assert cached(score(costly_metrics.Pair(), ["three"], ["z"])) == 1


@pytest.fixture
def uncached(tiny_models: Any, costly_metrics: ModuleType) -> Iterator[dict[str, Any]]:
    causal = str(tiny_models["causal"])
    own = loader.load(str(tiny_models["encoder"]), "encoder", "cpu")
    yield {
        "words are compared faster than they are looked up": "chrf",
        "a class that says so": costly_metrics.Cheap(),
        "a function": nlgauge.metric_from(lambda prediction, reference: 1.0, name="constant"),
        "objects of the caller": nlgauge.metrics.bertscore.BertScore(Model(own.model, own.tokenizer), 1),
        "fitted on positions": f"cosmic(model={str(tiny_models['encoder'])!r}, folds=2, modes=1, seeds=1)",
        "replies are kept already": f"yes_no(model={causal!r}, question='Is it?')",
    }


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_is_not_cached(uncached: dict[str, Any], statistics_file: Path):
    for why, metric in uncached.items():
        runs = [score(metric, sources=["s one", "s two", "s three"]) for _ in range(2)]
        assert [cached(run) for run in runs] == [0, 0], why
    assert not statistics_file.exists()


def test_without_the_cache_nothing_is_found_or_kept(
    encoder: Path, statistics_file: Path, monkeypatch: pytest.MonkeyPatch
):
    score(bertscore(encoder), cache=False)
    assert not statistics_file.exists()
    score(bertscore(encoder))
    assert cached(score(bertscore(encoder), cache=False)) == 0
    monkeypatch.setenv("NLGAUGE_STATISTICS_CACHE", "off")
    assert cached(score(bertscore(encoder))) == 0
    with pytest.raises(ParameterError, match=r"cache.*True or False.*'no'"):
        nlgauge.Scorer("bleu", cache="no")


def test_a_part_that_was_found_and_one_that_was_computed_are_put_together(encoder: Path):
    score(bertscore(encoder), PREDICTIONS[1:], REFERENCES[1:])
    mixed, whole = score(bertscore(encoder)), score(bertscore(encoder), cache=False)
    assert cached(mixed) == 2
    for table, other in zip(mixed._tables.values(), whole._tables.values(), strict=True):
        for part, values in table.statistics.items():
            np.testing.assert_allclose(values, other.statistics[part], atol=1e-5)
