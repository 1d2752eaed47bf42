"""NLG-Metricverse and Jury beyond lists of texts: files and directories, `nlgauge eval`'s function, class
names, and what comes later.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge.compat import nlgmetricverse as nmv
from nlgauge.compat.nlgmetricverse import DataLoaderStrategies, NLGMetricverse, load_metric
from nlgauge.compat.nlgmetricverse.loading import LATER, unpacked
from nlgauge.errors import InputError, NotYetError, ParameterError

preds = ["the cat is on the mat", "hello there"]
refs = ["the cat sat on the mat", "hello their"]
LINES, FILES = DataLoaderStrategies.OneRecordPerLine, DataLoaderStrategies.OneRecordPerFile


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_bytes(text.encode())
    return folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write(tmp_path, p__txt="\n".join(preds) + "\n", r__txt="\n".join(refs) + "\n")
    write(tmp_path / "P", b__txt=preds[1] + "\n", a__txt="the cat is\non the mat\n", notes__md="no text")
    write(tmp_path / "R", b__txt=refs[1], a__txt=refs[0])
    return tmp_path


def scores(found: dict[str, Any], label: str = "chrf") -> dict[str, Any]:
    return {name: value for name, value in found[label].items() if name != "time_elapsed"}


def test_files_hold_one_text_per_line(place: Path) -> None:
    scorer = NLGMetricverse("chrf")
    expected = scores(scorer(preds, refs))
    for strategy in (None, LINES):
        assert (
            scores(scorer(predictions=str(place / "p.txt"), references=place / "r.txt", strategy=strategy))
            == expected
        )
    whole = scorer(place / "p.txt", place / "r.txt", strategy=FILES)
    assert whole["total_items"] == 1
    assert scores(whole) == scores(scorer(["\n".join(preds)], ["\n".join(refs)]))
    assert NLGMetricverse("distinct")(place / "p.txt")["total_items"] == 2


def test_directories_hold_one_text_per_file_or_one_segment_per_file(place: Path) -> None:
    scorer = NLGMetricverse("rouge")
    expected = scores(scorer(["the cat is\non the mat", preds[1]], refs), "rouge")
    for strategy in (None, FILES):
        found = scorer(str(place / "P"), str(place / "R"), strategy=strategy)
        assert found["total_items"] == 2
        assert scores(found, "rouge") == expected
    same = write(place / "same", a__txt="the cat is\non the mat", b__txt=preds[1])
    assert NLGMetricverse("exact_match")(place / "P", same)["exact_match"]["score"] == 1
    several = scorer(str(place / "P"), str(place / "R"), strategy=LINES)
    assert (
        scores(several, "rouge")
        == scores(scorer([["the cat is", "on the mat"], [preds[1]]], [[refs[0]], [refs[1]]]), "rouge")
        != expected
    )


def test_paths_that_do_not_fit(place: Path) -> None:
    scorer = NLGMetricverse("bleu")
    with pytest.raises(InputError, match=r"files.*directories"):
        scorer(place / "P", place / "r.txt")
    with pytest.raises(InputError, match=r"file.*directory"):
        scorer("the cat", "a cat")
    with pytest.raises(InputError, match=r"references.*paths"):
        scorer(place / "p.txt", refs)
    write(place / "R", c__txt="more")
    with pytest.raises(InputError, match=r"c\.txt"):
        scorer(place / "P", place / "R")
    with pytest.raises(InputError, match=r"no \.txt files"):
        scorer(write(place / "empty"), place / "R")


def test_the_function_behind_eval(place: Path) -> None:
    expected = NLGMetricverse()(preds, refs)
    found = nmv.evaluate_files(place / "p.txt", str(place / "r.txt"), export=place / "out.json")
    assert [name for name in found if isinstance(found[name], dict)] == ["bleu", "chrf", "rouge"]
    assert scores(found, "rouge") == scores(expected, "rouge")
    assert json.loads((place / "out.json").read_text("utf-8")) == found
    write(place / "P2", one__txt=preds[0], two__txt=preds[1])
    write(place / "R2", one__txt=refs[0], two__txt=refs[1])
    by_name = nmv.evaluate_files(place / "P2", place / "R2")
    assert list(by_name) == ["one.txt", "two.txt"]
    assert scores(by_name["two.txt"]) == scores(NLGMetricverse()(preds[1:], refs[1:]))


def test_tables_hold_several_references_per_row(place: Path) -> None:
    write(place, r__csv='"the cat, sat",a cat,\nhello their,,\n', p__tsv="the cat sat\nhello there\n")
    found = nmv.evaluate_files(place / "p.tsv", place / "r.csv", reduce_fn="min")
    assert scores(found) == scores(
        NLGMetricverse()(["the cat sat", "hello there"], [["the cat, sat", "a cat"], ["hello their"]], "min")
    )


def test_a_configuration(place: Path) -> None:
    metrics = [{"path": "bleu", "resulting_name": "bleu_1", "compute_kwargs": {"max_order": 1}}, "wer"]
    config = {
        "predictions": str(place / "p.txt"),
        "references": str(place / "r.txt"),
        "reduce_fn": "max",
        "metrics": metrics,
    }
    code = json.dumps({"metrics": [str(place)]})
    write(
        place,
        cfg__json=json.dumps(config),
        bad__json="{",
        list__json="[]",
        key__json='{"metric": "bleu"}',
        code__json=code,
    )
    found = nmv.evaluate_files(config=place / "cfg.json")
    assert list(found)[3:] == ["bleu_1", "wer"]
    assert found["wer"]["score"] == 2 / 8
    assert nmv.evaluate_files(references=place / "p.txt", config=place / "cfg.json")["wer"]["score"] == 0
    for name, error, message in (
        ("bad", InputError, "is not valid JSON"),
        ("list", InputError, "a JSON object"),
        ("key", ParameterError, r"unknown key 'metric' \(did you mean 'metrics'\?\)"),
        ("code", ParameterError, "never runs code"),
    ):
        with pytest.raises(error, match=message):
            nmv.evaluate_files(place / "p.txt", place / "r.txt", config=place / f"{name}.json")
    with pytest.raises(InputError, match=r"predictions.*references"):
        nmv.evaluate_files(place / "p.txt")
    with pytest.raises(InputError, match=r"file.*directory"):
        nmv.evaluate_files(place / "nothing", place / "r.txt")
    with pytest.raises(InputError, match=r"files.*directories"):
        nmv.evaluate_files(place / "P", place / "r.txt")
    with pytest.raises(InputError, match=r"pass a text in a list: predictions=\[text\]"):
        nmv.NLGMetricverse("wer")("a long text " * 100, "a reference")


def test_scores_that_are_undefined_are_exported_as_null(place: Path, tmp_path: Path) -> None:
    write(tmp_path, none__txt="\n", cfg__json='{"metrics": ["compression_ratio", "smog"]}')
    found = nmv.evaluate_files(
        tmp_path / "none.txt",
        tmp_path / "none.txt",
        config=tmp_path / "cfg.json",
        export=tmp_path / "out.json",
    )
    undefined = [
        (label, name)
        for label in ("compression_ratio", "smog")
        for name, value in found[label].items()
        if value != value
    ]
    assert undefined
    written = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert all(written[label][name] is None for label, name in undefined)


def test_class_names_are_in_the_package() -> None:
    from nlgauge.compat.nlgmetricverse import CHRF, WER, Bertscore, Bleu, ExactMatch, Rouge

    expected = nlgauge.score(preds, refs, metrics="rouge")["rouge"]
    assert Rouge.construct(resulting_name="r").compute(
        predictions=preds, references=refs, reduce_fn="max"
    ) == {"r": expected}
    assert (
        NLGMetricverse(metrics=[Rouge, Bleu.construct(compute_kwargs={"max_order": 1})])(preds, refs)[
            "rouge"
        ]["score"]
        == expected["score"]
    )
    assert NLGMetricverse(metrics=WER)(preds, refs)["wer"]["score"] == 2 / 8
    assert CHRF() == load_metric("chrf")
    assert Bertscore.construct(idf=True)["compute_kwargs"] == {"idf": True}
    assert ExactMatch.construct().compute(preds, preds)["exact_match"]["score"] == 1.0
    with pytest.raises(ImportError, match="Blue"):
        from nlgauge.compat.nlgmetricverse import Blue  # noqa: F401
    with pytest.raises(ImportError):
        from nlgauge.compat.nlgmetricverse import no_such_thing  # noqa: F401


def test_names_of_metrics_are_imported_lazily() -> None:
    code = "import sys, nlgauge.metrics.wer; print('nlgauge.compat' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "False\n"
    )


def test_bertscore_with_its_own_words(tiny_models: dict[str, Path], tmp_path: Path) -> None:
    write(tmp_path, base__tsv="LAYER,P,R,F\n0,0,0,0\n1,0.5,0.25,0.125\n")
    given = {
        "model_type": str(tiny_models["encoder"]),
        "num_layers": 1,
        "lang": "en",
        "verbose": True,
        "nthreads": 2,
    }
    plain = load_metric("bertscore", compute_kwargs=given).compute(preds, refs)["bertscore"]
    rescaled = load_metric(
        "bertscore",
        compute_kwargs={**given, "rescale_with_baseline": True, "baseline_path": str(tmp_path / "base.tsv")},
    )
    found = NLGMetricverse(rescaled)(preds, refs)["bertscore"]
    assert found["recall"] == pytest.approx((plain["recall"] - 0.25) / 0.75, abs=1e-6)


@pytest.mark.parametrize(("name", "kind"), [("bartscore", "seq2seq"), ("prism", "prism")])
def test_bartscore_and_prism_are_here(name: str, kind: str, tiny_models: dict[str, Path]) -> None:
    found = NLGMetricverse(load_metric(name, compute_kwargs={"model": str(tiny_models[kind])}))(preds, refs)[
        name
    ]
    assert found["score"] == pytest.approx((found["precision"] + found["recall"]) / 2)
    assert getattr(nmv, name.capitalize()).path == name


def test_bartscore_with_its_own_words(tiny_models: dict[str, Path]) -> None:
    from nlgauge.metrics.bartscore import BartScore

    for spelling in ("bartscore-large-cnn", "BARTScore-large-CNN"):
        loaded = load_metric("bartscore", model_checkpoint=spelling, direction="recall")
        assert unpacked(loaded)[1] == BartScore(direction="recall")
    model = str(tiny_models["seq2seq"])
    recall = load_metric("bartscore", model_checkpoint=model, direction="recall", batch_size=4).compute(
        preds, refs
    )["bartscore"]["score"]
    assert recall == pytest.approx(
        load_metric("bartscore", model=model).compute(preds, refs)["bartscore"]["recall"], abs=1e-6
    )


def test_learned_metrics_of_pairs(tiny_models: dict[str, Path]) -> None:
    models = {
        "model": str(tiny_models["pair_one"]),
        "nli": str(tiny_models["pair"]),
        "lm": str(tiny_models["causal"]),
    }
    for name, given, first in (
        ("bleurt", {"model": models["model"]}, "bleurt"),
        ("nubia", models, "semantic_relation"),
    ):
        found = load_metric(name, compute_kwargs=given).compute(["the cat sat"], ["the cat sat on a mat"])[
            name
        ]
        assert found["score"] == found[first]


# --- what comes later


@pytest.mark.parametrize("name", LATER)
def test_metrics_that_come_later_say_so(name: str) -> None:
    for call in (
        lambda: load_metric(name),
        lambda: NLGMetricverse(metrics=["bleu", name]),
        lambda: getattr(nmv, name.capitalize()).construct(),
    ):
        with pytest.raises(NotYetError, match=f"{name}.*later"):
            call()


def test_meteor_plus_plus_says_what_it_needs():
    for call in (lambda: load_metric("meteor++"), lambda: nlgauge.score(["a"], ["a"], metrics="meteor++")):
        with pytest.raises(ParameterError, match=r"list.*copy_words"):
            call()
    loaded = load_metric("METEOR++", copy_words=["Rome"])
    lost = loaded.compute(["I saw Paris"], ["I saw Rome"])["METEOR++"]["score"]
    assert lost < load_metric("meteor").compute(["I saw Paris"], ["I saw Rome"])["meteor"]["score"]
