"""Weights of other programs become directories of ours; what a file says is never run, wherever it is
planted.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pickle
import re
import shutil
import tarfile
import warnings
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from cli_cases import run
from tiny import comet_networks

import nlgauge
from nlgauge.errors import ModelError, ParameterError
from nlgauge.models import loader
from nlgauge.models.networks.prism_layout import FILES as PRISM_FILES
from nlgauge.models.weights import catalog, convert, fetch, inert, store
from nlgauge.models.weights.vectors import load_vectors

torch = pytest.importorskip("torch")
SOURCE = Path(nlgauge.__file__).parent


class Planted:
    """Has something called when it is unpickled."""

    def __init__(self, call: Callable[..., Any], *given: Any, then: tuple[Any, ...] = ()) -> None:
        self.reduced = (call, given, *then)

    def __reduce__(self) -> tuple[Any, ...]:
        return self.reduced


class Callback:
    """A class of another program."""


def weights() -> OrderedDict[str, Any]:
    found = OrderedDict(
        a=torch.arange(12.0).reshape(3, 4).T,
        b=torch.nn.Parameter(torch.tensor([1.5])),
        half=torch.ones(2, dtype=torch.float16),
    )
    found["tied"] = found["a"]
    return found


def payloads(marker: Path) -> dict[str, Any]:
    """Files' contents that make the marker when they are read by an ordinary unpickler, by where the call
    hides.
    """
    touch = f"touch '{marker}'"
    evil = Planted(os.system, touch)
    namespace = argparse.Namespace(arch="transformer", evil=evil)
    return {
        "beside the weights": {"state_dict": weights(), "evil": evil},
        "among the weights": {"state_dict": weights() | {"evil": evil}},
        "in a callback": {"state_dict": weights(), "callbacks": {Callback: {"best": evil, "score": 1.0}}},
        "as a key": {"state_dict": weights(), "callbacks": {"k": [evil, {"deep": (evil,)}]}},
        "in a namespace": {"state_dict": weights(), "args": namespace},
        "in the state of an object": {"state_dict": weights(), "o": Planted(Callback, then=({"x": evil},))},
        "as what is appended": {"state_dict": weights(), "o": Planted(list, then=(None, iter([evil])))},
        "as an item": {"state_dict": weights(), "o": Planted(dict, then=(None, None, iter([("k", evil)])))},
        "by eval": {"state_dict": weights(), "o": Planted(eval, f"__import__('os').system({touch!r})")},
        "by getattr": {"state_dict": weights(), "o": Planted(getattr, evil, "x")},
        "as a function's argument": {
            "state_dict": weights(),
            "o": Planted(map, Planted(eval, "print"), [evil]),
        },
    }


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
@pytest.mark.parametrize("place", payloads(Path()))
def test_what_is_planted_is_never_run_and_weights_are_bit_equal(
    place: str, legacy: bool, tmp_path: Path
) -> None:
    marker, file = tmp_path / "marker", tmp_path / "model.ckpt"
    torch.save(payloads(marker)[place], file, _use_new_zipfile_serialization=not legacy)
    found = inert.read(file)
    assert not marker.exists()
    for name, tensor in weights().items():
        assert torch.equal(found.value["state_dict"][name], tensor), name
        assert found.value["state_dict"][name].dtype == tensor.dtype
    assert found.dropped
    assert found.value.get("args") == ({"arch": "transformer"} if place == "in a namespace" else None)
    # The plant is alive: an ordinary unpickler runs it.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            torch.load(file, weights_only=False)
        except Exception:
            assert place == "by getattr"
    assert marker.exists()


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    torch.save(
        {"state_dict": weights(), "callbacks": {Callback: 1}, "o": Callback(), "l": [1, Callback()]},
        tmp_path / "a.ckpt",
    )
    found = inert.read(tmp_path / "a.ckpt")
    named = f"{Callback.__module__}.Callback"
    assert found.dropped == [f"callbacks.{named}: int", f"o: {named}", f"l[1]: {named}"]
    assert found.value["l"] == [1]


def rewritten(file: Path, opcodes: bytes) -> Path:
    """The file with another pickle in it."""
    other = file.with_suffix(".other")
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            new.writestr(name, opcodes if name.endswith("/data.pkl") else old.read(name))
    return other


def test_the_functions_that_make_tensors_are_out_of_reach(tmp_path: Path) -> None:
    torch.save(weights(), tmp_path / "a.pt")
    function = b"ctorch._utils\n_rebuild_tensor_v2\n"
    before = dict(vars(torch._utils._rebuild_tensor_v2)), torch._utils._rebuild_tensor_v2.__defaults__
    for state in (b"}X\x04\x00\x00\x00evilK\x01s", b"N}X\x0c\x00\x00\x00__defaults__K\x01\x85s\x86"):
        file = rewritten(tmp_path / "a.pt", b"\x80\x02}X\x01\x00\x00\x00f" + function + state + b"bs.")
        assert inert.read(file).value == {}
    assert before == (
        dict(vars(torch._utils._rebuild_tensor_v2)),
        torch._utils._rebuild_tensor_v2.__defaults__,
    )
    for opcodes in (
        b"\x80\x02ccollections\nOrderedDict\n}X\x04\x00\x00\x00evilK\x01sb.",
        b"\x80\x02" + function + b")R.",
        b"\x80\x02cos\nsystem\n.",
        b"junk",
    ):
        with pytest.raises(ModelError):
            inert.read(rewritten(tmp_path / "a.pt", opcodes))
    assert not hasattr(OrderedDict, "evil")


def test_values_that_contain_themselves_end(tmp_path: Path) -> None:
    rows: list[Any] = [Callback()]
    rows.append(rows)
    torch.save({"state_dict": weights(), "rows": rows}, tmp_path / "a.ckpt")
    assert any("too deep" in dropped for dropped in inert.read(tmp_path / "a.ckpt").dropped)


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
def test_a_pickled_network_is_refused(legacy: bool, tmp_path: Path) -> None:
    torch.save(torch.nn.Linear(2, 2), tmp_path / "a.pt", _use_new_zipfile_serialization=not legacy)
    with pytest.raises(ModelError, match=r"torch\.nn\.modules\.linear\.Linear.*weights"):
        inert.read(tmp_path / "a.pt")
    (tmp_path / "config.json").write_text("{}")
    torch.save({"model": torch.nn.Linear(2, 2)}, tmp_path / "b.pt", _use_new_zipfile_serialization=not legacy)
    with pytest.raises(ModelError, match="weights"):
        convert.convert(tmp_path / "b.pt", "bin", tmp_path / "out")


def test_other_formats_are_refused(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    (tmp_path / "a.joblib").write_bytes(pickle.dumps(Planted(os.system, f"touch '{marker}'")))
    (tmp_path / "empty.pt").write_bytes(b"")
    (tmp_path / "cut.pt").write_bytes(b"PK\x03\x04 cut")
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        archive.add(tmp_path / "a.joblib", "storages")
    torch.save(weights(), tmp_path / "script.pt")
    with zipfile.ZipFile(tmp_path / "script.pt", "a") as archive:
        archive.writestr("script/constants.pkl", b"")
    for name, message in (
        ("a.joblib", "cannot be read"),
        ("empty.pt", "cannot"),
        ("cut.pt", "cannot"),
        ("a.tar", "is a tar archive, which is not read"),
        ("script.pt", "TorchScript"),
    ):
        with pytest.raises(ModelError, match=message):
            inert.read(tmp_path / name)
    with pytest.raises(ModelError, match="cannot find the file"):
        inert.read(tmp_path / "nothing.pt")
    assert not marker.exists()


def test_weights_of_another_model_are_refused_with_what_is_missing(tmp_path: Path) -> None:
    torch.save({"model": weights(), "args": {}}, tmp_path / "a.pt")
    for name in PRISM_FILES:
        (tmp_path / name).write_text("")
    with pytest.raises(
        ModelError,
        match=r"a\.pt.*KeyError: 'encoder\.embed_tokens\.weight'",
    ):
        convert.convert(tmp_path / "a.pt", "prism", tmp_path / "out")
    assert not (tmp_path / "out").exists()


HEADERS = {
    "a header longer than the file": (1 << 40).to_bytes(8, "little") + b"{}",
    "a header of nothing": (0).to_bytes(8, "little"),
    "no JSON": (4).to_bytes(8, "little") + b"\xff\xfe{}",
    "no object": (2).to_bytes(8, "little") + b"[]",
    "deep": (40_000).to_bytes(8, "little") + b"[" * 20_000 + b"]" * 20_000,
    "a tensor beyond the end": (
        (70).to_bytes(8, "little")
        + b'{"vectors":{"dtype":"F32","shape":[9,9],"data_offsets":[0,999999999]}}'.ljust(70)
    ),
    "a tensor of another size": (
        (70).to_bytes(8, "little")
        + b'{"vectors":{"dtype":"F32","shape":[2,-1],"data_offsets":[0,8]}}'.ljust(70)
        + bytes(8)
    ),
    "offsets before the start": (
        (70).to_bytes(8, "little")
        + b'{"vectors":{"dtype":"F32","shape":[1,2],"data_offsets":[-64,8]}}'.ljust(70)
        + bytes(8)
    ),
    "half": b"\x01\x02",
    "empty": b"",
}


@pytest.mark.parametrize("what", HEADERS)
def test_hostile_headers_of_safetensors_are_refused(
    what: str, tmp_path: Path, tiny_models: dict[str, Path]
) -> None:
    (tmp_path / "vectors.safetensors").write_bytes(HEADERS[what])
    (tmp_path / "words.txt").write_text("a\n")
    with pytest.raises(ModelError, match="cannot be read"):
        load_vectors(str(tmp_path))
    model = shutil.copytree(tiny_models["encoder"], tmp_path / "model")
    (model / "model.safetensors").write_bytes(HEADERS[what])
    with pytest.raises(ModelError, match="cannot be loaded"):
        loader.load(str(model), "encoder", "cpu")


def test_nothing_else_reads_pickles() -> None:
    unsafe = re.compile(
        r"torch\.load\(|jit\.load|\bimport"
        r" (?:pickle|joblib|dill|cloudpickle|marshal|shelve)\b|allow_pickle=True|read_pickle"
    )
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if unsafe.search(path.read_text("utf-8"))
    }
    assert found == {"models/weights/inert.py"}
    assert (
        len(re.findall(r"torch\.load\(", (SOURCE / "models" / "weights" / "inert.py").read_text("utf-8")))
        == 2
    )


# --- directories


@pytest.fixture
def bin_model(tiny_models: dict[str, Path], tmp_path: Path) -> Path:
    """A directory with pytorch_model.bin, as older repositories have it, and a payload beside the weights."""
    from safetensors.torch import load_file

    place = tmp_path / "old"
    shutil.copytree(tiny_models["masked"], place)
    state = load_file(place / "model.safetensors")
    (place / "model.safetensors").unlink()
    torch.save(
        {**state, "evil": Planted(os.system, f"touch '{tmp_path / 'marker'}'")}, place / "pytorch_model.bin"
    )
    return place


def test_bin_files_become_the_same_model(
    bin_model: Path, tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    made = convert.convert(bin_model / "pytorch_model.bin", "bin", tmp_path / "new")
    assert made.place == tmp_path / "new"
    assert made.dropped == ["evil: posix.system"]
    assert not (tmp_path / "marker").exists()
    original = hashlib.sha256((bin_model / "pytorch_model.bin").read_bytes()).hexdigest()
    manifest = msgspec.json.decode((made.place / store.MANIFEST).read_bytes())
    assert (manifest["sha256"], manifest["weights"], manifest["layout"]) == (
        original,
        "pytorch_model.bin",
        "bin",
    )
    assert store.weights_hash(made.place) == original
    models = [
        loader.load(str(place), "masked", "cpu").model.state_dict()
        for place in (tiny_models["masked"], made.place)
    ]
    assert all(torch.equal(models[0][name], models[1][name]) for name in models[0])


def test_a_file_elsewhere_takes_its_base_and_layouts_are_checked(bin_model: Path, tmp_path: Path) -> None:
    file = Path(shutil.move(bin_model / "pytorch_model.bin", tmp_path / "bart.pth"))
    with pytest.raises(ModelError, match=r"config\.json.*base=DIRECTORY"):
        convert.convert(file, "bart", tmp_path / "new")
    place = convert.convert(file, "bart", tmp_path / "new", str(bin_model)).place
    assert loader.load(str(place), "masked", "cpu").tokenizer("the cat").input_ids
    with pytest.raises(ModelError, match="already exists"):
        convert.convert(file, "bart", tmp_path / "new", str(bin_model))
    with pytest.raises(ModelError, match="already exists"):
        convert.convert(file, "bart", file, str(bin_model))
    with pytest.raises(ParameterError, match="'gpt'"):
        convert.convert(file, "gpt", tmp_path / "other", str(bin_model))


def test_a_conversion_that_fails_leaves_nothing(
    bin_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(place: Path, directory: Path) -> None:
        assert (directory / "model.safetensors").is_file()
        raise OSError("no space left")

    monkeypatch.setattr(convert, "_copy_tokenizer", fail)
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(OSError, match="no space left"):
        convert.convert(bin_model / "pytorch_model.bin", "bin", tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize("legacy", [False, True], ids=["zip", "legacy"])
def test_a_first_lightning_checkpoint_of_comet_scores_as_a_second_does(
    legacy: bool, tmp_path: Path, tiny_models: dict[str, Path]
) -> None:
    file = comet_networks.write_checkpoint(tmp_path, "regression", 1, layer_transformation="sparsemax")
    content = torch.load(file, weights_only=True)
    marker = tmp_path / "marker"
    content["hyper_parameters"]["evil"] = Planted(os.system, f"touch '{marker}'")
    content |= {
        "callbacks": {Callback: {"best_model_score": Planted(eval, f"open({str(marker)!r}, 'w')")}},
        "optimizer_states": [{"state": {0: torch.ones(3)}}],
    }
    content["state_dict"]["encoder.model.embeddings.position_ids"] = torch.arange(4)
    torch.save(content, file, _use_new_zipfile_serialization=not legacy)
    made = convert.convert(file, "comet", tmp_path / "model", str(tmp_path / "base"))
    assert not marker.exists()
    assert {
        "optimizer_states",
        "hyper_parameters.evil: posix.system",
        "encoder.model.embeddings.position_ids",
    } <= set(made.dropped)
    texts = ["the cat sat"], ["a cat sat"], ["le chat"]
    scores = [
        nlgauge.score(*texts, metrics=f"comet(model={str(place)!r})")["comet"]["score"]
        for place in (made.place, tiny_models["comet"])
    ]
    assert scores[0] == scores[1]


def test_a_fairseq_checkpoint_becomes_prism(tmp_path: Path, tiny_models: dict[str, Path]) -> None:
    from safetensors.torch import load_file
    from tiny import prism

    size, marker = prism.pieces(tmp_path), tmp_path / "marker"
    options = {
        **prism.ARGS,
        "encoder_normalize_before": True,
        "decoder_normalize_before": True,
        "evil": Planted(os.system, f"touch '{marker}'"),
    }
    torch.save(
        {"args": argparse.Namespace(**options), "model": prism.state_of(size, 1, True), "epoch": 1},
        tmp_path / "checkpoint.pt",
    )
    made = convert.convert(tmp_path / "checkpoint.pt", "prism", tmp_path / "model")
    assert made.dropped == ["args.evil: posix.system", "epoch"]
    assert not marker.exists()
    expected, found = (load_file(place / "model.safetensors") for place in (tiny_models["prism"], made.place))
    assert found.keys() == expected.keys() and all(torch.equal(found[name], expected[name]) for name in found)
    assert loader.load(str(made.place), "seq2seq", "cpu").tokenizer("the cat").input_ids[-1] == 2


def test_a_lightning_checkpoint_of_alignscore_scores_as_its_weights_do(
    tmp_path: Path, tiny_models: dict[str, Path]
) -> None:
    from safetensors.torch import load_file

    marker, base = tmp_path / "marker", tmp_path / "base"
    shutil.copytree(tiny_models["align"], base)
    state = load_file(base / "model.safetensors")
    (base / "model.safetensors").unlink()
    # The head over the vocabulary, which only the training used, and places, as old checkpoints have them.
    trained = {**state, "mlm_head.bias": torch.ones(4), "base_model.embeddings.position_ids": torch.arange(4)}
    content = {
        "state_dict": trained,
        "hyper_parameters": {"model": "roberta-base"},
        "callbacks": {Callback: Planted(os.system, f"touch '{marker}'")},
    }
    torch.save(content, tmp_path / "AlignScore-base.ckpt")
    converted = run(
        "models",
        "convert",
        str(tmp_path / "AlignScore-base.ckpt"),
        "--as",
        "align",
        "--base",
        str(base),
        "-o",
        str(tmp_path / "made"),
    )
    assert converted.exit_code == 0, converted.output
    assert not marker.exists()
    assert load_file(tmp_path / "made" / "model.safetensors").keys() == state.keys()
    texts = {"predictions": ["The cat sat."], "sources": ["The cat sat on the mat. It slept."]}
    metrics = [f"alignscore(model={str(place)!r})" for place in (tmp_path / "made", tiny_models["align"])]
    found, expected = (nlgauge.score(**texts, metrics=metric)["alignscore"]["score"] for metric in metrics)
    assert found == expected


@pytest.mark.parametrize("hub_has_it", [False, True], ids=["file", "hub"])
def test_a_checkpoint_of_bleurts_port_scores_as_the_same_bert_does(
    hub_has_it: bool, hub: list[tuple[str, str, list[str]]], tmp_path: Path, tiny_models: dict[str, Path]
) -> None:
    from safetensors.torch import load_file

    entry = catalog.catalog()["bleurt-20"]
    place = Path(shutil.copytree(tiny_models["pair_one"], tmp_path / "hub" / entry.repository))
    renamed = {
        name.replace("bert.", "bleurt.", 1): tensor
        for name, tensor in load_file(place / "model.safetensors").items()
    }
    (place / "model.safetensors").unlink()
    torch.save(renamed, place / entry.weights)
    made = (
        fetch.get("bleurt-20", hub=True)
        if hub_has_it
        else convert.convert(place / entry.weights, "bleurt", tmp_path / "made").place
    )
    config = msgspec.json.decode((made / "config.json").read_bytes())
    assert (config["model_type"], config["hidden_act"]) == ("bert", "gelu_new")
    metrics = [
        f"bleurt(model={str(one)!r}, compat='bleurt-pytorch')" for one in (made, tiny_models["pair_one"])
    ]
    found, expected = (
        nlgauge.score(["the cat sat"], ["a cat sat"], metrics=metric)["bleurt"]["score"] for metric in metrics
    )
    assert found == pytest.approx(expected, abs=1e-6)
    assert expected != 0


def test_what_a_checkpoint_is_not_is_said(bin_model: Path, tmp_path: Path) -> None:
    torch.save(
        {"state_dict": weights(), "hyper_parameters": {"model": "roberta-base"}}, tmp_path / "model.ckpt"
    )
    for layout, named in (
        ("align", "not a checkpoint of AlignScore"),
        ("bleurt", "bleurt"),
    ):
        with pytest.raises(ModelError, match=named):
            convert.convert(tmp_path / "model.ckpt", layout, tmp_path / layout, str(bin_model))


def test_word_vectors_are_converted(tmp_path: Path) -> None:
    (tmp_path / "glove.txt").write_text("the 1 0 0\ncat 0 1 0\n", "utf-8")
    made = convert.convert(tmp_path / "glove.txt", "vectors", tmp_path / "model")
    assert store.weights_hash(made.place) == hashlib.sha256((tmp_path / "glove.txt").read_bytes()).hexdigest()
    scored = nlgauge.score(["the cat"], ["cat the"], metrics=f"wmd(vectors={str(made.place)!r})")
    assert scored["wmd"]["score"] == pytest.approx(0, abs=1e-6)


def test_a_comet_directory_with_an_unknown_setting_is_refused(tmp_path: Path, tiny_models: Any) -> None:
    """A renamed setting would take its default, and the scores would change without a message."""
    from nlgauge.models.weights import comet_files

    place = shutil.copytree(tiny_models["lens"], tmp_path / "model")
    config = place / "config.json"
    config.write_text(config.read_text("utf-8").replace('"normalize"', '"layers_normalized"'), "utf-8")
    with pytest.raises(ModelError, match=r"models convert FILE --as comet"):
        comet_files.read(place, "cpu")


def test_what_hparams_yaml_rules(tmp_path: Path) -> None:
    from nlgauge.models.weights.comet_files import settings_of

    assert settings_of(
        {"layer_transformation": "sparsemax"}, {"class_identifier": "regression_metric"}
    ).sparse
    patched = {"class_identifier": "unified_metric", "layer_transformation": "sparsemax_patch"}
    assert not settings_of({"layer_transformation": "sparsemax", "layer_norm": False}, patched).sparse
    assert not settings_of(
        {"layer_transformation": "sparsemax_patch"}, {"class_identifier": "unified_metric"}
    ).sparse
    assert settings_of(
        {"layer_transformation": "sparsemax"},
        {"class_identifier": "regression_metric", "layer_transformation": "softmax"},
    ).sparse
    lens = {"class_identifier": "regression_metric_multi_ref"}
    assert [
        settings_of({"layer_norm": True, "train_data": data}, lens).normalize
        for data in ("a.csv", ["a"], "", None, [])
    ] == [
        True,
        True,
        False,
        False,
        False,
    ]
    for hyper, declared, message in (
        ({}, {}, r"class of this model is None"),
        ({"class_identifier": "ranking_metric"}, {}, "ranking_metric"),
        ({"class_identifier": "unified_metric", "encoder_model": "BERT"}, {}, "unified.*'BERT'"),
        ({"class_identifier": "regression_metric", "pool": "default"}, {}, "cannot be read"),
    ):
        with pytest.raises(ModelError, match=message):
            settings_of(hyper, declared)
    file = comet_networks.write_checkpoint(tmp_path, "lens", 1, "roberta")
    with pytest.raises(ModelError, match="lens"):
        convert.convert(file, "comet", tmp_path / "model", str(tmp_path / "base"))
    with pytest.raises(ModelError, match="base"):
        convert.convert(file, "lens", tmp_path / "model")


def test_the_command_says_where_the_model_is_and_what_was_left_out(
    bin_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    file = str(bin_model / "pytorch_model.bin")
    done = run("models", "convert", file, "--as", "bin", "--name", "mine")
    assert done.stdout.strip() == str(tmp_path / "cache" / "mine")
    assert "skipped: evil: posix.system" in done.stderr
    assert store.location("mine") == tmp_path / "cache" / "mine"
    assert run("models", "convert", file, "--as", "bin", "-o", str(tmp_path / "there")).stdout.strip() == str(
        tmp_path / "there"
    )
    neither = run("models", "convert", file, "--as", "bin")
    assert neither.exit_code and "-o DIR, or --name NAME" in neither.output


# --- the hub


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, list[str]]]:
    """A hub whose repositories are directories of hub/, and what was asked of it."""
    huggingface_hub = pytest.importorskip("huggingface_hub")
    from fnmatch import fnmatch

    asked: list[tuple[str, str, list[str]]] = []
    root = tmp_path / "hub"

    def files(repository: str) -> list[str]:
        return [
            path.relative_to(root / repository).as_posix()
            for path in (root / repository).rglob("*")
            if path.is_file()
        ]

    def model_info(repository: str, revision: str | None) -> Any:
        return SimpleNamespace(
            sha=revision or hashlib.sha1(repository.encode()).hexdigest(),
            siblings=[SimpleNamespace(rfilename=f) for f in files(repository)],
        )

    def snapshot_download(repository: str, revision: str, local_dir: Path, allow_patterns: list[str]) -> None:
        asked.append((repository, revision, allow_patterns))
        for file in files(repository):
            if any(fnmatch(file, pattern) for pattern in allow_patterns):
                (Path(local_dir) / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(root / repository / file, Path(local_dir) / file)

    monkeypatch.setattr(huggingface_hub, "model_info", model_info)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "nowhere"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.delenv("NLGAUGE_OFFLINE", raising=False)
    return asked


def test_a_checkpoint_of_the_hub_is_converted_with_the_base_of_another_repository(
    hub: list[tuple[str, str, list[str]]], tmp_path: Path, tiny_models: dict[str, Path]
) -> None:
    entry = catalog.catalog()["wmt22-comet-da"]
    repository = tmp_path / "hub" / entry.repository
    repository.mkdir(parents=True)
    file = comet_networks.write_checkpoint(repository, "regression", 1, layer_transformation="sparsemax")
    shutil.move(repository / "base", tmp_path / "hub" / entry.base)
    (repository / "LICENSE").write_text("Apache")
    (repository / "evil.py").write_text("raise SystemExit")
    place = fetch.get("wmt22-comet-da", hub=True)
    assert {path.name for path in place.iterdir()} >= {
        "model.safetensors",
        "head.safetensors",
        "config.json",
        "tokenizer.json",
        "LICENSE",
        store.MANIFEST,
    }
    assert not list(place.rglob("*.ckpt")) and not list(place.rglob("*.py"))
    manifest = msgspec.json.decode((place / store.MANIFEST).read_bytes(), type=store.Manifest)
    assert manifest.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert (manifest.weights, manifest.layout, manifest.license) == (
        "checkpoints/model.ckpt",
        "comet",
        "Apache-2.0",
    )
    assert manifest.revision == hub[0][1]
    assert manifest.base == f"{entry.base}@{hub[1][1]}"
    assert not [pattern for pattern in hub[1][2] if pattern.endswith((".bin", ".ckpt", ".safetensors"))]
    assert sorted(path.name for path in place.parent.iterdir()) == ["wmt22-comet-da"]
    texts = ["the cat sat"], ["a cat sat"], ["le chat"]
    expected = nlgauge.score(*texts, metrics=f"comet(model={str(tiny_models['comet'])!r})")["comet"]["score"]
    assert nlgauge.score(*texts, metrics="comet")["comet"]["score"] == expected
    assert store.revision(fetch.get("wmt22-comet-da@abc", hub=True)) == hub[2][1] == "abc"


def test_a_pinned_revision_is_what_is_fetched(
    hub: list[tuple[str, str, list[str]]], bin_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.move(bin_model, tmp_path / "hub" / "some" / "where")
    entry = catalog.Entry("pinned", "Pinned", "masked", "MIT", "1 kB", repository="some/where")
    monkeypatch.setitem(catalog.catalog(), "pinned", entry)
    monkeypatch.setitem(catalog.pinned_commits(), "some/where", "c0ffee")
    assert store.revision(fetch.get("pinned", hub=True)) == hub[0][1] == "c0ffee"
    assert store.revision(fetch.get("pinned@beef", hub=True)) == hub[1][1] == "beef"
    assert store.info("pinned")["pinned revision"] == "c0ffee"
    assert re.search("some/where at commit c0ffee,.* pinned", store.fetched("pinned"))
    assert "pinned@beef is some/where at commit beef" in store.fetched("pinned@beef")
    monkeypatch.setitem(catalog.pinned_commits(), "some/where", "decaf")
    assert re.search("c0ffee.*not the pinned commit decaf", store.fetched("pinned"))


def test_pinned_revisions_are_commits_of_repositories_that_the_catalog_names() -> None:
    named = {
        repository for entry in catalog.catalog().values() for repository in (entry.repository, entry.base)
    }
    assert set(catalog.pinned_commits()) <= named
    assert all(re.fullmatch("[0-9a-f]{40}", commit) for commit in catalog.pinned_commits().values())


def test_a_branch_is_resolved_once_and_later_fetches_ask_for_the_same_commit(
    hub: list[tuple[str, str, list[str]]],
    tiny_models: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import huggingface_hub

    entry = catalog.Entry(
        "moving", "Moving", "masked", "MIT", "1 kB", repository="some/weights", base="some/base"
    )
    monkeypatch.setitem(catalog.catalog(), "moving", entry)
    for repository in (entry.repository, entry.base):
        shutil.copytree(tiny_models["masked"], tmp_path / "hub" / repository)
    first = fetch.get("moving", hub=True)
    commits = [commit for _, commit, _ in hub]
    fact = f"some/weights at commit {commits[0]}, with some/base@{commits[1]}, .*later"
    assert re.search(fact, store.fetched("moving"))
    of_commit = huggingface_hub.model_info
    monkeypatch.setattr(
        huggingface_hub, "model_info", lambda repository, revision: of_commit(repository, revision or "newer")
    )
    shutil.rmtree(first)
    again = fetch.get("moving", hub=True)
    assert store.revision(again) == commits[0]
    assert [commit for _, commit, _ in hub] == commits * 2
    assert store.revision(fetch.get("moving@main", hub=True)) == "main"
    shutil.rmtree(again)
    monkeypatch.setattr(huggingface_hub, "model_info", lambda repository, revision: 1 / 0)
    with pytest.raises(
        ModelError,
        match=f"some/weights at {commits[0]}.*NAME@main",
    ):
        fetch.get("moving", hub=True)


def test_the_command_says_which_commit_it_fetched(
    hub: list[tuple[str, str, list[str]]], tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(tiny_models["masked"], tmp_path / "hub" / "some" / "model")
    done = run("models", "get", "some/model", "--hub")
    assert done.exit_code == 0
    assert f"some/model at commit {hub[0][1]}" in " ".join(done.stderr.split())


@pytest.mark.parametrize("shards", [1, 2])
def test_a_repository_without_safetensors_is_converted(
    shards: int,
    hub: list[tuple[str, str, list[str]]],
    bin_model: Path,
    tiny_models: dict[str, Path],
    tmp_path: Path,
) -> None:
    (tmp_path / "hub").mkdir()
    place = Path(shutil.move(bin_model, tmp_path / "hub" / "some--model"))
    place = Path(shutil.move(place, tmp_path / "hub" / "some" / "model"))
    if shards == 2:
        whole = inert.read(place / "pytorch_model.bin").value
        (place / "pytorch_model.bin").unlink()
        for number, names in enumerate((list(whole)[:5], list(whole)[5:]), 1):
            torch.save(
                {name: whole[name] for name in names}, place / f"pytorch_model-{number:05}-of-00002.bin"
            )
    made = fetch.get("some/model", hub=True)
    assert len(list(made.glob("*.safetensors"))) == shards
    assert not list(made.glob("*.bin"))
    assert not (tmp_path / "marker").exists()
    models = [
        loader.load(str(one), "masked", "cpu").model.state_dict() for one in (tiny_models["masked"], made)
    ]
    assert all(torch.equal(models[0][name], models[1][name]) for name in models[0])
    assert msgspec.json.decode((made / store.MANIFEST).read_bytes(), type=store.Manifest).layout == "bin"


def test_safetensors_of_the_hub_are_taken_as_they_are(
    hub: list[tuple[str, str, list[str]]], tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    shutil.copytree(tiny_models["masked"], tmp_path / "hub" / "some" / "model")
    (tmp_path / "hub" / "some" / "model" / "pytorch_model.bin").write_bytes(b"never fetched")
    made = fetch.get("some/model", hub=True)
    assert {"pytorch_model.bin"}.isdisjoint(path.name for path in made.iterdir())
    assert "pytorch_model.bin" not in hub[0][2]


@pytest.mark.parametrize("pickled", [False, True], ids=["safetensors", "bin"])
def test_a_model_without_a_tokenizer_gets_that_of_its_base_and_keeps_its_own_configuration(
    pickled: bool,
    hub: list[tuple[str, str, list[str]]],
    tiny_models: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entry = catalog.Entry(
        "bare", "Bare", "masked", "MIT", "1 kB", repository="some/weights", base="some/base"
    )
    monkeypatch.setitem(catalog.catalog(), "bare", entry)
    repository, base = (
        Path(shutil.copytree(tiny_models["masked"], tmp_path / "hub" / name))
        for name in (entry.repository, entry.base)
    )
    for path in repository.glob("tokenizer*"):
        path.unlink()
    (base / "config.json").write_text("{}")
    if pickled:
        torch.save(
            loader.load(str(tiny_models["masked"]), "masked", "cpu").model.state_dict(),
            repository / "pytorch_model.bin",
        )
        (repository / "model.safetensors").unlink()
    made = fetch.get("bare", hub=True)
    assert (made / "config.json").read_bytes().split() == (
        tiny_models["masked"] / "config.json"
    ).read_bytes().split()
    assert (made / "tokenizer.json").read_bytes() == (tiny_models["masked"] / "tokenizer.json").read_bytes()
    found, expected = (
        loader.load(str(place), "masked", "cpu").model.state_dict() for place in (made, tiny_models["masked"])
    )
    assert all(torch.equal(found[name], expected[name]) for name in expected)
    assert [asked[0] for asked in hub] == ["some/weights", "some/base"]
    assert not {"config.json", "*.safetensors"} & set(hub[1][2])
    assert (
        msgspec.json.decode((made / store.MANIFEST).read_bytes(), type=store.Manifest).base
        == f"some/base@{hub[1][1]}"
    )


def test_metricx_names_the_repository_of_its_tokenizer() -> None:
    assert {entry.base for name, entry in catalog.catalog().items() if name.startswith("metricx")} == {
        "google/mt5-large"
    }


def test_a_repository_that_lacks_its_checkpoint_says_so(
    hub: list[tuple[str, str, list[str]]], tmp_path: Path
) -> None:
    (tmp_path / "hub" / "davidheineman" / "lens").mkdir(parents=True)
    with pytest.raises(ModelError, match=r"davidheineman/lens.*checkpoints/model\.ckpt"):
        fetch.get("lens", hub=True)
    assert not list((tmp_path / "cache").iterdir())


def test_a_missing_model_names_command_size_and_license(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "nowhere"))
    message = (
        r"'xcomet-xl' is not installed \(about 13\.9 GB; license CC-BY-NC-SA-4\.0, .*\); run: nlgauge models get"
        r" xcomet-xl --hub$"
    )
    with pytest.raises(ModelError, match=message):
        nlgauge.score(["a"], ["a"], ["a"], metrics="xcomet")


def test_weights_are_written_as_they_are(tmp_path: Path) -> None:
    from safetensors.torch import load_file

    convert._save({**weights(), "slice": torch.arange(6.0)[2:4]}, tmp_path / "a.safetensors")
    found = load_file(tmp_path / "a.safetensors")
    np.testing.assert_array_equal(found["slice"].numpy(), [2, 3])
    assert torch.equal(found["tied"], weights()["a"])
