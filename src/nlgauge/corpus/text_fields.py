"""Text fields: texts of the fields of a corpus by name, for metrics that read more than the usual columns.

A name refers to the field of that name. Otherwise, a usual name of the source ("question", "article"), of the
references ("ground_truth") or of the prediction ("answer") refers to that column, and a usual name of passages
("contexts") to the only field with such a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from nlgauge._core.ragged import Array
from nlgauge.corpus.records import CONTEXT_NAMES, names_by_role
from nlgauge.corpus.store.lazy_values import picked
from nlgauge.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus


class TextField(NamedTuple):
    """Column of a corpus that a name refers to: a field by its name, or one of the usual columns."""

    kind: Literal["prediction", "references", "source", "field"]
    name: str


def text_field(corpus: Corpus, name: str) -> TextField:
    """Return the column that a name refers to; raise InputError if there is none."""
    names = (*corpus.fields, *corpus.system_fields)
    if name in names:
        return TextField("field", name)
    has = {
        "prediction": True,
        "references": corpus.references is not None,
        "source": corpus.sources is not None,
    }
    for role, usual in names_by_role().items():
        if name.lower() in usual and has[role]:
            return TextField(role, name)  # type: ignore[arg-type]
    matches = [field for field in names if field.endswith(f".{name}")]
    if not matches and name.lower() in CONTEXT_NAMES:
        matches = [field for field in names if field.lower() in CONTEXT_NAMES]
    if len(matches) == 1:
        return TextField("field", matches[0])
    raise _unknown(name, names, [role for role, present in has.items() if present], matches)


def _unknown(name: str, names: Sequence[str], roles: Sequence[str], matches: Sequence[str]) -> InputError:
    if matches:
        return InputError(
            f"the field {name!r} may be {' or '.join(map(repr, matches))}; use one of these names."
        )
    near = did_you_mean(name, (*names, *(role.removesuffix("s") for role in roles)))
    return InputError(
        f"the segments have no field {name!r}{near}"
        + (f"; their fields are {', '.join(names)}" if names else ", and no other fields"),
        python=f"score records with this field, or pass fields={{{name!r}: [...]}} with one value per segment;"
        " or use the name of an existing field in the metric",
        cli=f"score a file of records (JSONL, CSV or TSV) with a column {name!r}, or use the name of an existing"
        " column in the metric",
    )


def check_text_field(corpus: Corpus, name: str) -> None:
    """Raise InputError if a segment has no text in the column that a name refers to."""
    column = text_field(corpus, name)
    if column.kind == "field":
        for values in _columns(corpus, column.name):
            for number, value in enumerate(values):
                _texts_of(value, column.name, corpus.ids[number])


def field_texts(corpus: Corpus, name: str, system: str, segments: Array) -> list[tuple[str, ...]]:
    """Return the texts of a field of some segments: several texts for a list, otherwise one text."""
    column = text_field(corpus, name)
    if column.kind == "source":
        assert corpus.sources is not None
        return [(text,) for text in corpus.texts.many(corpus.sources[segments])]
    if column.kind == "references":
        assert corpus.references is not None
        return [tuple(corpus.texts.many(row)) for row in corpus.references.take(segments)]
    values = corpus.fields.get(column.name)
    if values is None:
        values = corpus.system_fields[column.name][system]
    return [
        _texts_of(value, column.name, corpus.ids[number])
        for number, value in zip(segments.tolist(), picked(values, segments.tolist()), strict=True)
    ]


def _columns(corpus: Corpus, name: str) -> list[Sequence[Any]]:
    return [corpus.fields[name]] if name in corpus.fields else list(corpus.system_fields[name].values())


def _texts_of(value: Any, name: str, segment: Any) -> tuple[str, ...]:
    """Return the texts of a value; numbers become text, a list has several texts."""
    items = value if isinstance(value, list | tuple) else (value,)
    if all(isinstance(item, str) for item in items):
        return tuple(items)
    wrong = next((item for item in items if not isinstance(item, str | int | float)), "")
    if wrong == "":
        return tuple(map(str, items))
    problem = "is missing" if value is None else f"has {wrong!r:.40} instead of a text"
    raise InputError(
        f"the field {name!r} of segment {segment!r} {problem}; the value must be a text, a number or a list of"
        " texts. Add it (an empty list if the segment has none), or leave the segment out."
    )
