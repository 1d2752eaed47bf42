"""Identity of a metric: everything besides the texts of a row that determines its numbers.

An identity consists of values and of the contents of files, never only of their names.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

import msgspec
import numpy as np

from nlgauge._core.paths import Stamp, stamp_of
from nlgauge._core.versions import installed_version
from nlgauge.corpus import Corpus
from nlgauge.errors import NlgaugeError
from nlgauge.features import RunOptions
from nlgauge.metric import Arrays, Metric
from nlgauge.metric.registry import home_of
from nlgauge.metric.saved import can_be_made_again, describe
from nlgauge.models.weights import store
from nlgauge.models.weights.contents import RECORD

# Libraries that affect the tokens, sentences or numbers of models, even if no signature names them.
_LIBRARIES = (
    "numpy",
    "scipy",
    "torch",
    "transformers",
    "tokenizers",
    "sentencepiece",
    "sentencex",
    "nltk",
    "POT",
)
# Directories of nlgauge whose code computes numbers. The choice of kernels is not part of an identity, because
# compiled and plain kernels agree bit for bit.
_FOLDERS = ("corpus", "estimators", "features", "kernels", "metric", "metrics", "models")
_CODE = (".py", ".so", ".pyd")
# nlgauge reads no file of this size except weights; such a file is identified by its size, times and inode
# number.
_LARGE_BYTES = 1 << 27


@dataclass(frozen=True)
class Identity:
    """Digest of a metric with everything that changes its numbers.

    `name` and `printed` describe the metric to users; rows are looked up by the digest only.
    """

    digest: bytes
    name: str
    printed: str


def identity_of(metric: Metric, fitted: Arrays, lang: str | None, options: RunOptions) -> Identity | None:
    """Return the identity of a metric; None if it cannot be determined.

    It cannot be determined for custom model objects, classes of the calling script, fitted Python objects,
    and metrics that raise an error when they describe themselves.
    """
    try:
        if not can_be_made_again(metric) or any(values.dtype.hasobject for values in fitted.values()):
            return None
        # The facts are computed for a corpus of one empty segment, because a row must not depend on other segments.
        facts = metric.facts(Corpus.read([""], [""], [""], lang=lang))
        properties = {
            "metric": describe(metric),
            "class": f"{home_of(metric)}.{type(metric.unwrapped).__qualname__}",
            "takes": [metric.takes, metric.source],
            "facts": facts,
            "models": {name: _content(_files(place)) for name, place in _models(facts)},
            "versions": {
                package: installed_version(package)
                for package in dict.fromkeys((*_LIBRARIES, *metric.libraries(), "nlgauge"))
            },
            "python": sys.version_info[:2],
            "code": [
                _code(package) for package in dict.fromkeys(("nlgauge", home_of(metric).partition(".")[0]))
            ],
            "lang": lang,
            "seed": options.seed if metric.seeded else None,
            "fit": _digest_of(fitted),
        }
    except (NlgaugeError, OSError):
        return None  # the metric reports the error when it runs
    return Identity(
        blake2b(msgspec.json.encode(properties), digest_size=32).digest(), metric.name, str(metric)
    )


def _digest_of(arrays: Arrays) -> str:
    """Return a digest of arrays, by name and content."""
    digest = blake2b(digest_size=32)
    for name, values in sorted(arrays.items()):
        digest.update(repr((name, values.dtype.str, values.shape)).encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def _models(facts: dict[str, str]) -> Iterator[tuple[str, Path]]:
    """Yield models and word vectors named in facts (also in comma-separated lists), with directories."""
    names = dict.fromkeys(name for value in facts.values() for name in (value, *value.split(",")))
    for name in names:
        place = store.location(name) if name and len(name) < 256 and name.isprintable() else None
        if place is not None:
            yield name, place


def _files(place: Path) -> tuple[tuple[str, Stamp | None, str], ...]:
    """List the files of a model: path, stamp, and a text that identifies the content.

    Weights have no stamp, and their hash and size as text. The text is empty for files that have to be read.
    """
    weights = {Path(file).name for file, _ in store.fingerprint(place)}
    weights_hash = store.weights_hash(place)
    entries: list[tuple[str, Stamp | None, str]] = []
    for file in sorted(path for path in place.iterdir() if path.is_file() and path.name != RECORD):
        stamp = stamp_of(file)
        if file.name in weights:
            entries.append((str(file), None, f"{weights_hash} {stamp[0]}"))
        else:
            entries.append((str(file), stamp, "" if stamp[0] < _LARGE_BYTES else f"{stamp}"))
    return tuple(entries)


@lru_cache(maxsize=64)
def _content(files: tuple[tuple[str, Stamp | None, str], ...]) -> str:
    """Return a digest of files by name and content.

    The stamps are part of the cache key, so that changed files are read again.
    """
    return _digest_of_files((Path(name), content.encode()) for name, _, content in files)


@cache
def _code(package: str) -> str:
    """Return a digest of the code of a package, so that changed code never reuses old rows."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise NlgaugeError(f"the package {package!r} has no files.")  # `identity_of` catches it
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    if package == "nlgauge":
        folders = [Path(spec.origin).parent / folder for folder in _FOLDERS]
    files = [file for folder in folders for file in folder.rglob("*") if file.suffix in _CODE] or [
        Path(spec.origin)
    ]
    return _digest_of_files((file, b"") for file in sorted(files))


def _digest_of_files(files: Iterable[tuple[Path, bytes]]) -> str:
    """Return a digest of files by name and by the bytes of each pair; if empty, the file is read."""
    digest = blake2b(digest_size=32)
    for file, content in files:
        data = content or file.read_bytes()
        digest.update(repr((file.name, bool(content), len(data))).encode())
        digest.update(data)
    return digest.hexdigest()
