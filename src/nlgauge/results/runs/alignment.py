"""The alignment of two results of the same test set: common segments by id, pairs of systems by name, and
metrics by label; nothing is scored.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array
from nlgauge.errors import InputError, ResultError, did_you_mean
from nlgauge.results.groups import taken
from nlgauge.results.imported.human import with_human_scores
from nlgauge.results.joined import of_metrics, of_systems, with_systems

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.results.result import Result

# Positions that must have equal texts if the segments of both runs have no ids.
_EQUAL_SHARE = 0.9
# The field of a signature with the version of nlgauge.
_VERSION = "nlgauge:"


class RunPair(NamedTuple):
    """A system of the new run, the system of the old run that it is compared with, and the name of the old
    system in `Runs.both`.
    """

    new: str
    old: str
    old_name: str

    @property
    def name(self) -> str:
        return self.new if self.new == self.old else f"{self.new} against {self.old}"


@dataclass(frozen=True, eq=False)
class Runs:
    """Two results aligned.

    `both` has the common segments with the systems of both runs; `common` and `places` are the numbers of
    its segments in the new and in the old run. `changed` maps ids to the texts that differ between the runs.
    `refused` maps metrics whose parameters differ to both signatures; they are not in `both`. `versions` maps
    metrics that other versions of nlgauge scored to both versions. `unrated` maps human scores that only one
    run has to "new" or "old".
    """

    new: Result
    old: Result
    both: Result
    pairs: tuple[RunPair, ...]
    common: Array
    places: Array
    only_new: tuple[str, ...]
    only_old: tuple[str, ...]
    changed: Mapping[str, str]
    people: tuple[str, ...]
    human_fields: tuple[str, ...]
    refused: Mapping[str, tuple[str, str]]
    versions: Mapping[str, tuple[str, str]]
    unrated: Mapping[str, str]
    only_new_systems: tuple[str, ...]
    only_old_systems: tuple[str, ...]
    only_new_metrics: tuple[str, ...]
    only_old_metrics: tuple[str, ...]


def aligned(
    new: Result,
    old: Result,
    pairs: Mapping[str, str] | None = None,
    human: str | Sequence[str] | None = None,
) -> Runs:
    """Align two results by the ids of segments, the names of systems and the labels of metrics.

    Parameters
    ----------
    new, old : Result
        Scores of the same test set, or of two versions of it.
    pairs : mapping of str to str, optional
        For systems of the new run the systems of the old run to compare them with. Default: systems of the same name;
        if each run has one system, these two.
    human : str or sequence of str, optional
        Human scores, as for `Result.report`.

    Returns
    -------
    Runs
        The common segments and systems, and the differences between the runs.

    Raises
    ------
    ResultError
        If the runs have no common segment, system or metric, or have no ids and different texts.
    InputError
        If a pair names an unknown system.
    """
    chosen = _pairs(new, old, pairs or {})
    common, places = _common(new.corpus, old.corpus)
    changed = _changed(new, old, common, places)
    same = np.array([str(new.corpus.ids[segment]) not in changed for segment in common.tolist()], dtype=bool)
    rated_new, rated_old = (with_human_scores(each, _known(each, human)) for each in (new, old))
    people = tuple(label for label in rated_new.labels if label in rated_old.labels)
    unrated = {label: "old" for label in rated_new.labels if label not in people}
    unrated |= {label: "new" for label in rated_old.labels if label not in people}
    shared = [label for label in new.labels if label in old.labels and label not in people]
    refused, versions = _signatures(new, old, shared)
    labels = [*people, *(label for label in shared if label not in refused)]
    if not labels:
        names = " and ".join(", ".join(each.labels) for each in (new, old))
        raise ResultError(
            f"the two runs have no common metric with the same parameters ({names}); score both with the same"
            " metrics."
        )
    if not same.any():
        raise ResultError(
            "the two runs have no common segment with the same source and references; compare runs of one test"
            " set."
        )
    common, places = common[same], places[same]
    both = with_systems(
        of_metrics(of_systems(_taken(rated_new.result, common), *(pair.new for pair in chosen)), *labels),
        of_metrics(
            of_systems(_taken(rated_old.result, places), *dict.fromkeys(p.old for p in chosen)), *labels
        ),
        {pair.old_name: pair.old for pair in chosen},
    )
    ids = [[str(segment) for segment in each.corpus.ids] for each in (new, old)]
    matched = set(ids[0]) & set(ids[1])
    return Runs(
        rated_new.result,
        rated_old.result,
        both,
        chosen,
        common,
        places,
        tuple(segment for segment in ids[0] if segment not in matched),
        tuple(segment for segment in ids[1] if segment not in matched),
        changed,
        people,
        rated_new.fields,
        refused,
        versions,
        unrated,
        tuple(name for name in new.systems if name not in {pair.new for pair in chosen}),
        tuple(name for name in old.systems if name not in {pair.old for pair in chosen}),
        tuple(label for label in new.labels if label not in old.labels),
        tuple(label for label in old.labels if label not in new.labels),
    )


def _known(result: Result, human: str | Sequence[str] | None) -> list[str] | None:
    """Return the named human scores that a run has; the other run may have the rest."""
    if human is None:
        return None
    fields = [*result.corpus.system_fields, *result.corpus.fields, *result.labels]
    names = [human] if isinstance(human, str) else list(human)
    return [
        name
        for name in names
        if any(
            field == name.partition(":")[0] or field.startswith(f"{name.partition(':')[0]}.")
            for field in fields
        )
    ]


def _pairs(new: Result, old: Result, named: Mapping[str, str]) -> tuple[RunPair, ...]:
    for name, side, systems in (
        *((name, "new", new.systems) for name in named),
        *((name, "old", old.systems) for name in named.values()),
    ):
        if name not in systems:
            raise InputError(
                f"the {side} run has no system {name!r}{did_you_mean(name, systems)}; its systems are"
                f" {', '.join(map(repr, systems))}."
            )
    chosen = dict(named)
    if not chosen:
        chosen = {name: name for name in new.systems if name in old.systems}
        if not chosen and len(new.systems) == len(old.systems) == 1:
            chosen = {new.systems[0]: old.systems[0]}
    if not chosen:
        names = " and ".join(", ".join(map(repr, each.systems)) for each in (new, old))
        raise ResultError(
            f"the two runs have no system of the same name ({names})",
            python="pass pairs={new: old}",
            cli="name the systems to compare with --pair NEW=OLD",
        )
    taken_names = {*new.systems}
    found = []
    for ours, theirs in chosen.items():
        name = f"{theirs} (old)"
        while name in taken_names:
            name += "'"
        taken_names.add(name)
        found.append(RunPair(ours, theirs, name))
    return tuple(found)


def _common(new: Corpus, old: Corpus) -> tuple[Array, Array]:
    """Return the numbers of the common segments in the new and in the old run, in the order of the new run."""
    if _is_numbered(new) and _is_numbered(old):
        return _by_position(new, old)
    place_of = {str(segment): place for place, segment in enumerate(old.ids)}
    both = [(i, place_of[str(segment)]) for i, segment in enumerate(new.ids) if str(segment) in place_of]
    if not both:
        raise ResultError(
            f"the two runs have no common segment id, such as {str(new.ids[0])!r} and {str(old.ids[0])!r}; compare"
            " runs of one test set."
        )
    common, places = np.array(both, dtype=np.int64).T
    return common, places


def _is_numbered(corpus: Corpus) -> bool:
    """Return True if the segments have no ids of the user: they are numbered."""
    return all(str(segment) == str(number) for number, segment in enumerate(corpus.ids))


def _by_position(new: Corpus, old: Corpus) -> tuple[Array, Array]:
    count = min(len(new), len(old))
    numbers = np.arange(count)
    ours, theirs = (_texts(each, numbers) for each in (new, old))
    equal = sum(x == y for x, y in zip(ours, theirs, strict=True))
    if count == 0 or equal < _EQUAL_SHARE * count:
        raise ResultError(
            "the runs have no ids and their references or sources differ",
            python="score with ids",
            cli="score with --ids, or with a field id in the records",
        )
    return numbers, numbers


def _texts(corpus: Corpus, segments: Array) -> list[tuple[tuple[str, ...], str]]:
    """Return references and source of segments in Unicode's composed form; their order does not matter."""

    def text(number: int) -> str:
        return unicodedata.normalize("NFC", corpus.texts[number])

    references = None if corpus.references is None else corpus.references
    return [
        (
            () if references is None else tuple(sorted(text(int(n)) for n in references[segment])),
            "" if corpus.sources is None else text(int(corpus.sources[segment])),
        )
        for segment in segments.tolist()
    ]


def _changed(new: Result, old: Result, common: Array, places: Array) -> dict[str, str]:
    """Return the ids of common segments whose texts differ, with the names of these texts."""
    if new.has_texts != old.has_texts:
        raise ResultError(
            "one of the two runs was saved without texts, so that their references and sources cannot be compared;"
            " save both with texts."
        )
    changed = {}
    for segment, ours, theirs in zip(
        common.tolist(), _texts(new.corpus, common), _texts(old.corpus, places), strict=True
    ):
        names = [name for name, x, y in zip(("references", "source"), ours, theirs, strict=True) if x != y]
        if names:
            changed[str(new.corpus.ids[segment])] = " and ".join(names)
    return changed


def _signatures(
    new: Result, old: Result, labels: Sequence[str]
) -> tuple[dict[str, tuple[str, str]], dict[str, tuple[str, str]]]:
    """Return the metrics whose signatures differ, and those that differ only in the version of nlgauge."""
    refused, versions = {}, {}
    for label in labels:
        both = new.signatures.get(label, ""), old.signatures.get(label, "")
        parts = [[part for part in each.split("|") if not part.startswith(_VERSION)] for each in both]
        if parts[0] != parts[1]:
            refused[label] = both
        elif both[0] != both[1]:
            versions[label] = _version(both[0]), _version(both[1])
    return refused, versions


def _version(signature: str) -> str:
    parts = [part for part in signature.split("|") if part.startswith(_VERSION)]
    return parts[0].removeprefix(_VERSION) if parts else "unknown"


def _taken(result: Result, segments: Array) -> Result:
    return result if np.array_equal(segments, np.arange(len(result.corpus))) else taken(result, segments)
