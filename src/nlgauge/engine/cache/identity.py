"""What a metric's numbers depend on beside the texts of a row: by value and by content, never by a name
alone.
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
from nlgauge.metric.saved import can_be_made_again, describe
from nlgauge.models.weights import store
from nlgauge.models.weights.contents import RECORD

# Libraries that decide a token, a number or a sentence for a model, whether or not a signature names them.
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
# The folders of nlgauge that numbers come from; compiled kernels give those of the plain ones bit for bit.
_FOLDERS = ("corpus", "estimators", "features", "kernels", "metric", "metrics", "models")
_CODE = (".py", ".so", ".pyd")
# Beside a model's weights nothing that is read is as large as this; such files are told by size and time of
# change.
_LARGE_BYTES = 1 << 27


@dataclass(frozen=True)
class Identity:
    """A metric with everything that changes its numbers, as a digest; its name and how it prints are for
    those who look.
    """

    digest: bytes
    name: str
    printed: str


def identity_of(metric: Metric, fitted: Arrays, lang: str | None, options: RunOptions) -> Identity | None:
    """What the numbers of a metric depend on; None where that cannot be told: of own model objects, of
    classes of the calling script.
    """
    try:
        if not can_be_made_again(metric) or any(values.dtype.hasobject for values in fitted.values()):
            return None
        # Of a corpus without anything in it: what other segments are like is not a fact about a row.
        facts = metric.facts(Corpus.read([""], [""], [""], lang=lang))
        told = {
            "metric": describe(metric),
            "class": f"{type(metric).__module__}.{type(metric).__qualname__}",
            "takes": [metric.takes, metric.source],
            "facts": facts,
            "models": {name: _content(_files(place)) for name, place in _models(facts)},
            "versions": {
                package: installed_version(package)
                for package in dict.fromkeys((*_LIBRARIES, *metric.libraries(), "nlgauge"))
            },
            "python": sys.version_info[:2],
            "code": [
                _code(package)
                for package in dict.fromkeys(("nlgauge", type(metric).__module__.partition(".")[0]))
            ],
            "lang": lang,
            "seed": options.seed if metric.seeded else None,
            "fit": _digest_of(fitted),
        }
    except (NlgaugeError, OSError):
        return None  # the metric itself says what is wrong
    return Identity(blake2b(msgspec.json.encode(told), digest_size=32).digest(), metric.name, str(metric))


def _digest_of(arrays: Arrays) -> str:
    """A digest of arrays, by name and content."""
    digest = blake2b(digest_size=32)
    for name, values in sorted(arrays.items()):
        digest.update(repr((name, values.dtype.str, values.shape)).encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def _models(facts: dict[str, str]) -> Iterator[tuple[str, Path]]:
    """The models and word vectors that facts name, also several in one, and where they are."""
    names = dict.fromkeys(name for value in facts.values() for name in (value, *value.split(",")))
    for name in names:
        place = store.location(name) if name and len(name) < 256 and name.isprintable() else None
        if place is not None:
            yield name, place


def _files(place: Path) -> tuple[tuple[str, Stamp | None, str], ...]:
    """List all files of a model: path, what it looks like, and what is known of it without reading it:
    the hash of weights.
    """
    weights, known = {Path(file).name for file, _ in store.fingerprint(place)}, store.weights_hash(place)
    found: list[tuple[str, Stamp | None, str]] = []
    for file in sorted(path for path in place.iterdir() if path.is_file() and path.name != RECORD):
        stamp = stamp_of(file)
        if file.name in weights:
            found.append((str(file), None, f"{known} {stamp[0]}"))
        else:
            found.append((str(file), stamp, "" if stamp[0] < _LARGE_BYTES else f"{stamp}"))
    return tuple(found)


@lru_cache(maxsize=64)
def _content(files: tuple[tuple[str, Stamp | None, str], ...]) -> str:
    """Return a digest of files by name and content; what they look like is part of the key, so that a
    changed one is read again.
    """
    return _digest_of_files((Path(name), known.encode()) for name, _, known in files)


@cache
def _code(package: str) -> str:
    """A digest of the code of a package, so that what is being worked on never finds what it was before."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise NlgaugeError(f"the package {package!r} has no files.")
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    if package == "nlgauge":
        folders = [Path(spec.origin).parent / folder for folder in _FOLDERS]
    files = [file for folder in folders for file in folder.rglob("*") if file.suffix in _CODE] or [
        Path(spec.origin)
    ]
    return _digest_of_files((file, b"") for file in sorted(files))


def _digest_of_files(files: Iterable[tuple[Path, bytes]]) -> str:
    """A digest of files by name and by what is known of them, else by what they hold."""
    digest = blake2b(digest_size=32)
    for file, known in files:
        data = known or file.read_bytes()
        digest.update(repr((file.name, bool(known), len(data))).encode())
        digest.update(data)
    return digest.hexdigest()
