"""TextMetric is a metric of torchmetrics: collections, forward, reset, Lightning and several processes."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import warnings
from typing import Any

import pytest

import nlgauge
from nlgauge.errors import InputError, ParameterError, UnknownMetricError

torch = pytest.importorskip("torch")
torchmetrics = pytest.importorskip("torchmetrics")
from nlgauge.compat.torchmetrics import _WIDTH, TextMetric  # noqa: E402

PREDS = ["the cat sat on the mat", "a dog", "the birds sing in the old tree", ""]
REFS = ["the cat sat on a mat", "the dog ran", "birds sing in old trees", "x"]
# cider is fitted on all references, distinct needs all predictions at once.
METRICS = ["bleu", "chrf(word_order=2)", "rouge", "wer", "meteor", "cider", "distinct"]


def expected(metric: str, preds: list[str] = PREDS, refs: list[str] = REFS) -> float:
    return float(nlgauge.score(preds, refs, metrics=[metric])[metric]["score"])


@pytest.mark.parametrize("name", METRICS)
def test_batches_together_have_the_score_of_all_texts(name):
    metric = TextMetric(name)
    assert isinstance(metric, torchmetrics.Metric)
    for start in (0, 2, 3):
        metric.update(
            PREDS[start : start + 2][: 1 + (start == 0)], REFS[start : start + 2][: 1 + (start == 0)]
        )
    assert metric.compute().item() == pytest.approx(expected(name), rel=1e-12)
    metric.reset()
    metric.update(PREDS[0], REFS[0])
    assert metric.compute().item() == pytest.approx(expected(name, PREDS[:1], REFS[:1]), nan_ok=True)


@pytest.mark.parametrize("name", ["wer", "cider"])
def test_forward_returns_the_score_of_the_batch_and_adds_it(name):
    metric = TextMetric(name)
    metric(PREDS[:2], REFS[:2])
    batch = metric(PREDS[2:], REFS[2:])
    assert batch.item() == pytest.approx(expected(name, PREDS[2:], REFS[2:]))
    assert metric.compute().item() == pytest.approx(expected(name))


def test_a_collection_clones_prefixes_and_resets():
    collection = torchmetrics.MetricCollection({"wer": TextMetric("wer"), "chrf": TextMetric("chrf")})
    validation = collection.clone(prefix="val_")
    values = validation(PREDS, REFS)
    assert {name: value.item() for name, value in values.items()} == {
        "val_wer": pytest.approx(expected("wer")),
        "val_chrf": pytest.approx(expected("chrf")),
    }
    validation.reset()
    with pytest.warns(UserWarning), pytest.raises(InputError, match="no predictions were added"):
        validation["wer"].compute()


def test_metrics_of_equal_states_stay_apart_in_a_collection():
    collection = torchmetrics.MetricCollection([TextMetric("wer"), torchmetrics.text.CharErrorRate()])
    values = collection(PREDS, REFS)
    assert values["TextMetric"].item() == pytest.approx(expected("wer"))
    two = torchmetrics.MetricCollection({"a": TextMetric("wer"), "b": TextMetric("cer")})
    for start in (0, 2):
        two.update(PREDS[start : start + 2], REFS[start : start + 2])
    assert two.compute()["b"].item() == pytest.approx(expected("cer"))
    assert two.compute()["a"].item() == pytest.approx(expected("wer"))


def test_outputs_and_directions():
    metric = TextMetric("rouge", output="all")
    outputs = metric(PREDS, REFS)
    assert outputs["rouge2"].item() == pytest.approx(
        nlgauge.score(PREDS, REFS, metrics="rouge")["rouge"]["rouge2"]
    )
    assert "score" not in outputs
    assert TextMetric("rouge", output="rouge2")(PREDS, REFS).item() == outputs["rouge2"].item()
    assert (TextMetric("wer").higher_is_better, TextMetric("bleu").higher_is_better) == (False, True)
    with pytest.raises(ParameterError, match=r"unknown output 'rouge3' .*did you mean"):
        TextMetric("rouge", output="rouge3")
    with pytest.raises(UnknownMetricError):
        TextMetric("blue")


def test_parameters_options_and_several_references():
    several = [[reference, prediction] for prediction, reference in zip(PREDS, REFS, strict=True)]
    metric = TextMetric("chrf(char_order=4)", word_order=2, sync_on_compute=False, lang="en")
    assert not metric.sync_on_compute
    scored = nlgauge.score(PREDS, several, metrics="chrf(char_order=4, word_order=2)")
    assert metric(PREDS, several).item() == pytest.approx(next(iter(scored.values()))["score"])


@pytest.mark.parametrize("name", ["wer", "cider"])
def test_copies_and_pickles_hold_their_state(name):
    metric = TextMetric(name)
    metric.update(PREDS, REFS)
    for again in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert again.compute() == metric.compute()
    metric.persistent(True)
    other = TextMetric(name)
    other.load_state_dict(metric.state_dict())
    other._update_count = 1
    assert other.compute() == metric.compute()


def test_the_sums_of_all_metrics_fit():
    from nlgauge.metric import Metric
    from nlgauge.metric.registry import metric_classes
    from nlgauge.metrics._shared.judged import Judged

    quick = [
        name
        for name, kind in metric_classes().items()
        if issubclass(kind, Metric) and kind.__module__.startswith("nlgauge.metrics.") and not kind().costly
    ]
    quick = [name for name in quick if not issubclass(metric_classes()[name], Judged)]
    result = nlgauge.score(PREDS[:2], REFS[:2], REFS[:2], metrics=quick)
    widths = [rows.shape[1] for table in result._tables.values() for rows in table.statistics.values()]
    assert len(widths) > 30
    assert max(widths) <= _WIDTH


def test_lightning_logs_the_object():
    """Lightning's result collection accepts metrics only if they are metrics of torchmetrics."""
    lightning = pytest.importorskip("pytorch_lightning.trainer.connectors.logger_connector.result")
    metric = TextMetric("wer")
    metric(PREDS, REFS)
    results = lightning._ResultCollection(training=False)
    results.log("validation_step", "wer", metric, on_step=False, on_epoch=True, batch_size=4)
    assert results.metrics(on_step=False)["log"]["wer"].item() == pytest.approx(expected("wer"))


def synchronized(rank: int, store: str, answers: Any) -> None:
    """Compute two metrics on two processes, first with texts in both, then with texts in the first only."""
    import torch.distributed as distributed

    distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    values = []
    for name in ("chrf", "cider"):
        metric = TextMetric(name)
        for row in ([0, 1, 2], [3])[rank]:
            metric.update([PREDS[row]], [REFS[row]])
        values.append(metric.compute().item())
        metric.reset()
        if rank == 0:
            metric.update(PREDS, REFS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the second process computes before it was updated
            values.append(metric.compute().item())
    answers.put(values)
    distributed.destroy_process_group()


@pytest.mark.slow
def test_two_processes_add_their_states(tmp_path):
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    processes = [
        context.Process(target=synchronized, args=(rank, str(tmp_path / "store"), answers), daemon=True)
        for rank in (0, 1)
    ]
    for process in processes:
        process.start()
    try:
        values = [answers.get(timeout=600) for _ in processes]
        for process in processes:
            process.join(600)
    finally:
        for process in processes:
            process.kill()
    chrf, cider = expected("chrf"), expected("cider")
    assert values == [[pytest.approx(value, rel=1e-12) for value in (chrf, chrf, cider, cider)]] * 2
