"""Records: rows from dictionaries, data frames, Arrow tables or datasets, as one list per column.

The names of the fields may be the names that other tools use, see `FIELD_NAMES`. If none of them is present, the only
column with a usual name of files of language models, such as "answer" or "question", is used (`_USUAL`).

A field called "document" may contain the text that was summarized, or the label of the document of a segment.
It is the source if most values are longer than a label (100 characters) and no other field is the source. It is
the label if all values are short and another field is the source, every value is one word, or at most half of
the values are distinct. All other cases are an error; the names "source" and "doc_id" are unambiguous.

A column that is not in `FIELD_NAMES` is a further field of the segment. Objects inside records become fields with
a dot: {"meta": {"lp": "en-de"}} is the field "meta.lp". The name "lp" also selects it if no other field matches.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from operator import itemgetter
from typing import Any

from nlgauge.errors import InputError, did_you_mean, no_such

# Names of the fields of a record: the names of nlgauge, and the names that other tools use.
FIELD_NAMES = {
    "prediction": ("prediction", "predictions", "mt", "hyp", "hypothesis", "candidate", "output"),
    "references": ("references", "reference", "ref", "refs", "target", "targets"),
    "source": ("source", "src", "sources", "document_text", "input"),
    "id": ("id", "segment", "segment_id"),
    "system": ("system", "system_name"),
    "weight": ("weight",),
    "document": ("doc", "doc_id", "document_id"),
}
_PLURAL = {"reference": "references"}
_AMBIGUOUS = "document"
# Number of records per block of a streamed dataset.
_BLOCK = 20_000
_LONGEST_LABEL = 100
KNOWN_NAMES = {_AMBIGUOUS, *(name for names in FIELD_NAMES.values() for name in names)}


# Usual names of columns in files of language models, by content. They are used if they are unambiguous.
_USUAL = {
    "prediction": (
        "answer response actual_output generated generated_text generation completion "
        "model_output model_answer summary"
    ).split(),
    "references": (
        "expected expected_output ground_truth ground_truths gold reference_answer correct_answer highlights"
    ).split(),
    "source": ("question query user_input prompt instruction article").split(),
}


# The usual name of the field with the system in files of language models; it is used if ids repeat.
USUAL_SYSTEM = "model"
# Usual names of passages that a system has read; they are fields, not predictions.
CONTEXT_NAMES = "context contexts retrieved_contexts retrieval_context passage passages".split()


def names_by_role() -> dict[str, tuple[str, ...]]:
    """Return the usual names of predictions, references and sources."""
    return {role: (*FIELD_NAMES[role], *usual) for role, usual in _USUAL.items()}


class _Absent:
    """Placeholder for a field that a record lacks but other records have; false like None."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()


@dataclass(frozen=True, eq=False)
class Records:
    """Rows as one list per column.

    `place` describes the place of a row in messages. `file` is the file of the records, if any; messages use it
    in suggested commands.
    """

    columns: Mapping[str, list[Any]]
    count: int
    place: Callable[[int], str] = "record {}".format
    file: str | None = None

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[Any, Any]]) -> Records:
        """Read records from dictionaries."""
        return cls({str(name): values for name, values in columns_of(rows).items()}, len(rows)).flat()

    @classmethod
    def of_columns(cls, columns: Mapping[str, list[Any]]) -> Records:
        """Read records from columns of equal length."""
        return cls(columns, len(next(iter(columns.values()), ()))).flat()

    @classmethod
    def of_blocks(cls, blocks: Iterable[Records]) -> Records:
        """Concatenate blocks; messages name the original place of each row."""
        further = iter(blocks)
        start = list(islice(further, 2))
        if len(start) < 2:
            return start[0] if start else cls({}, 0)
        columns: dict[str, list[Any]] = {}
        starts: list[int] = []
        places: list[Callable[[int], str]] = []
        count, file = 0, None
        for block in chain(start, further):
            for name in block.columns:
                columns.setdefault(name, [ABSENT] * count)
            for name, column in columns.items():
                column.extend(block.columns.get(name) or [ABSENT] * block.count)
            starts.append(count)
            places.append(block.place)
            count, file = count + block.count, file or block.file

        def place(i: int) -> str:
            number = bisect_right(starts, i) - 1
            return places[number](i - starts[number])

        return cls(columns, count, place, file)

    def flat(self) -> Records:
        """Return the records with nested objects as fields whose names have a dot."""
        columns: dict[str, list[Any]] = {}
        for name, values in self.columns.items():
            if _holds_objects(name, values):
                rows = [value if isinstance(value, dict) else dict(value or {}) for value in values]
                inner = {f"{name}.{key}": column for key, column in columns_of(rows).items()}
                columns |= replace(self, columns=inner).flat().columns
            else:
                columns[name] = values
        return replace(self, columns=columns)

    def renamed(self, mapping: Mapping[str, str] | None) -> Records:
        """Return the records with other names of fields: {name of nlgauge: column}."""
        if not mapping:
            return self
        unknown = [name for name in mapping if name not in (*FIELD_NAMES, "reference")]
        if unknown:
            raise InputError(no_such("field", unknown[0], FIELD_NAMES))
        # A document is called "doc": a field "document" may also be a source.
        ours = {FIELD_NAMES[_PLURAL.get(name, name)][0]: column for name, column in mapping.items()}
        for name, column in ours.items():
            find_field(column, list(self.columns), "the records")
            if name in self.columns and column != name:
                raise InputError(
                    f"{column!r} cannot be the {name}, because the records have a field {name!r}; rename that field."
                )
        names = {column: name for name, column in ours.items()}
        return replace(self, columns={names.get(name, name): values for name, values in self.columns.items()})

    def part(self, start: int, stop: int) -> Records:
        """Return the records from row `start` up to, but not including, row `stop`."""
        columns = {name: values[start:stop] for name, values in self.columns.items()}
        return replace(self, columns=columns, count=stop - start, place=lambda i: self.place(start + i))

    def take(self, rows: Sequence[int]) -> Records:
        """Return the records with these row numbers."""
        columns = {name: [values[i] for i in rows] for name, values in self.columns.items()}
        return replace(self, columns=columns, count=len(rows), place=lambda i: self.place(rows[i]))

    def where(self, expressions: str | Sequence[str]) -> Records:
        """Return the records that meet an expression, or each of several; raise NothingMatches if none does."""
        if not expressions:
            return self
        from nlgauge.corpus.conditions import meeting, of_records

        return self.take(meeting(expressions, of_records(self), "record"))


def columns_of(rows: Sequence[Mapping[Any, Any]]) -> dict[Any, list[Any]]:
    """Return the values of every key, one per row; ABSENT for a row without the key."""
    columns = {}
    for name in dict.fromkeys(chain.from_iterable(rows)):
        try:
            columns[name] = list(map(itemgetter(name), rows))
        except KeyError:
            columns[name] = [row.get(name, ABSENT) for row in rows]
    return columns


def find_field(name: str, names: Sequence[str], whose: str) -> str:
    """Return the field that a name refers to.

    This is the field of that name, else the only field that has one of its `FIELD_NAMES`, or that ends with a dot
    and the name.
    """
    if name in names:
        return name
    matches = [field for field in names if field in FIELD_NAMES.get(name, ()) or field.endswith(f".{name}")]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise InputError(
            f"the field {name!r} may be {' or '.join(map(repr, matches))}; use one of these names."
        )
    raise InputError(
        f"{whose} have no field {name!r}{did_you_mean(name, names)}; they have {', '.join(names) or 'none'}."
    )


def _holds_objects(name: str, values: list[Any]) -> bool:
    """Return True if a column contains only objects, and its name is not a known field name."""
    kinds = set(map(type, values)) - {type(None), _Absent}
    if name in KNOWN_NAMES or not all(issubclass(kind, Mapping) for kind in kinds):
        return False
    return any(values)


def as_records(predictions: Any) -> Records | None:
    """Return the records of a data frame, an Arrow table, a dataset or a list of dictionaries, else None."""
    if isinstance(predictions, Records):
        return predictions
    if isinstance(predictions, type):
        return None
    if isinstance(predictions, Mapping):
        splits = [name for name, value in predictions.items() if hasattr(value, "column_names")]
        if splits:
            raise InputError(
                f"predictions is a {type(predictions).__name__}, which contains splits; pass one split, such as"
                f" predictions[{splits[0]!r}]."
            )
        return None
    if hasattr(predictions, "to_pydict"):  # Arrow
        return Records.of_columns(predictions.to_pydict())
    if hasattr(predictions, "to_dicts"):  # polars
        return Records.of_columns(predictions.to_dict(as_series=False))
    if (
        hasattr(predictions, "to_dict") and hasattr(predictions, "iloc") and hasattr(predictions, "columns")
    ):  # pandas
        return Records.of_columns(
            {str(name): predictions.iloc[:, i].tolist() for i, name in enumerate(predictions.columns)}
        )
    blocks = blocks_of_records(predictions)
    if blocks is not None:
        return Records.of_blocks(blocks)
    if hasattr(predictions, "column_names"):  # datasets
        return Records.of_columns(predictions.to_dict())
    if (
        isinstance(predictions, Sequence)
        and not isinstance(predictions, str)
        and predictions
        and all(isinstance(r, Mapping) for r in predictions)
    ):
        return Records.of_rows(predictions)
    return None


def check_alone(**others: Any) -> None:
    """Raise InputError if one of these arguments was passed together with records."""
    passed = [name for name, value in others.items() if value is not None]
    if passed:
        raise InputError(
            f"predictions are records, so {passed[0]} cannot be passed separately; leave it out, and put its values"
            " in a field of the records."
        )


def blocks_of_records(predictions: Any) -> Iterator[Records] | None:
    """Return the records of a streamed dataset in blocks of some thousands, else None.

    Streamed datasets are datasets of Ray Data and iterable datasets of `datasets`.
    """
    if isinstance(predictions, type):
        return None
    if hasattr(predictions, "iter_batches") and hasattr(predictions, "map_batches"):  # Ray Data
        tables = predictions.iter_batches(batch_size=_BLOCK, batch_format="pyarrow")
        return _placed(Records.of_columns(table.to_pydict()) for table in tables)
    if (
        hasattr(predictions, "column_names")
        and hasattr(predictions, "__iter__")
        and not hasattr(predictions, "__len__")
    ):  # iterable datasets
        rows = iter(predictions)
        return _placed(map(Records.of_rows, iter(lambda: list(islice(rows, _BLOCK)), [])))
    return None


def _placed(blocks: Iterable[Records]) -> Iterator[Records]:
    done = 0
    for block in blocks:
        if block.count:
            yield replace(block, place=lambda i, at=done: f"record {at + i}")  # type: ignore[misc]
        done += block.count


def is_text_list(value: Any) -> bool:
    """Return True if a value is an iterable that can contain several texts, and not one text."""
    return (
        isinstance(value, Iterable)
        and not isinstance(value, str | bytes | Mapping | set | frozenset)
        and getattr(value, "ndim", 1) > 0
    )


def names_of(records: Records, wide: Sequence[str]) -> dict[str, str]:
    """Return the column names of the known fields in these records, by name of nlgauge.

    `wide` are columns that contain the predictions of one system each; they are not fields.
    """
    if not records.count:
        raise InputError("the records are empty; pass at least one segment.")
    columns = [name for name in records.columns if name not in wide]
    names = {}
    for our, theirs in FIELD_NAMES.items():
        present = [name for name in theirs if name in columns]
        if len(present) > 1:
            raise InputError(
                f"the records have both {present[0]!r} and {present[1]!r} for the {our}",
                python="keep one of them",
                cli=_keep_one(records, columns, our, present[0]),
            )
        if present:
            names[our] = present[0]
    if not wide:
        names |= usual_names(columns, names)
    if "prediction" not in names and not wide:
        raise _no_prediction(records, names)
    for our in ("id", "system", "weight", "document"):
        if our in names:
            _check_present(records, names[our])
    if _AMBIGUOUS in columns:
        _check_present(records, _AMBIGUOUS)
        our = _meaning_of_document(records, names)
        if our in names:
            raise InputError(
                f"the records have both {names[our]!r} and {_AMBIGUOUS!r} for the {our}; keep one of them."
            )
        names[our] = _AMBIGUOUS
    return names


def usual_names(columns: Sequence[str], names: Mapping[str, str]) -> dict[str, str]:
    """Return the columns with a usual name for a text that `names` lacks, if there is exactly one for it."""
    usual = {}
    for our, theirs in _USUAL.items():
        present = [name for name in columns if name.lower() in theirs and name not in names.values()]
        if our not in names and len(present) == 1:
            usual[our] = present[0]
    return usual


def _keep_one(records: Records, columns: Sequence[str], our: str, name: str) -> str:
    """Return the advice for the command line, which can name a column of most kinds."""
    option = {
        "prediction": "",
        "references": "-r ",
        "source": "-s ",
        "id": "--ids ",
        "weight": "--weights ",
        "document": "--documents ",
    }.get(our)
    if option is None:
        return "keep one of them"
    from shlex import quote

    prediction = next((column for column in FIELD_NAMES["prediction"] if column in columns), "COLUMN")
    words = f"{quote(f'{records.file}:{prediction}')} {option}" if option else ""
    return f"keep one of them, or name the columns to use, such as {words}{quote(f'{records.file}:{name}')}"


def _no_prediction(records: Records, names: Mapping[str, str]) -> InputError:
    """Return the error for records without a column of predictions, which may have a column per system."""
    from shlex import quote

    texts = [
        name
        for name, values in records.columns.items()
        if name not in (*KNOWN_NAMES, *CONTEXT_NAMES) and isinstance(values[0], str | list)
    ]
    roles = {
        name: next((role for role, usual in _USUAL.items() if name.lower() in usual), "") for name in texts
    }
    # Columns with a usual name for predictions, else columns without a usual name. Columns in which some text has
    # more than one word take precedence.
    systems = [name for name, role in roles.items() if role == "prediction"] or [
        name for name, role in roles.items() if not role
    ]
    systems = [
        name for name in systems if any(" " in str(value) for value in records.columns[name][:100])
    ] or systems
    words = [quote(f"{records.file}:{name}") for name in systems or ["COLUMN"]]
    for option, role in (("-r", "references"), ("-s", "source")):
        column = names.get(role) or next((name for name in roles if roles[name] == role), None)
        words += [option, quote(f"{records.file}:{column}")] if column else []
    wide = f", or name the column of each system: systems={systems}" if systems else ""
    return InputError(
        f"the records have no prediction, only {', '.join(map(repr, records.columns))}",
        python=f"pass mapping={{'prediction': COLUMN}}{wide}",
        cli="use --map prediction=COLUMN,reference=COLUMN,source=COLUMN, or name the column of each system: nlgauge"
        f" score {' '.join(words)}",
    )


def _check_present(records: Records, name: str) -> None:
    """Raise InputError if a record lacks this field."""
    if ABSENT in records.columns[name]:
        raise InputError(absence(records, name, records.columns[name].index(ABSENT)))


def absence(records: Records, name: str, row: int) -> str:
    """Return the message for a record that lacks a field; it names a record that has the field."""
    having = next(
        (records.place(i) for i, value in enumerate(records.columns[name]) if value is not ABSENT),
        "an earlier record",
    )
    return f"{records.place(row)} has no {name!r}, but {having} has it; every record needs the same fields."


def _meaning_of_document(records: Records, names: Mapping[str, str]) -> str:
    """Return "source" or "document", by the content of the field."""
    values = list(map(str, records.columns[_AMBIGUOUS]))
    if "id" in names:  # each segment counts once, however many systems have it
        values = list(dict(zip(map(str, records.columns[names["id"]]), values, strict=True)).values())
    long = sum(len(value) > _LONGEST_LABEL for value in values)
    if 2 * long > len(values) and "source" not in names:
        return "source"
    if not long and (
        "source" in names or all(map(_is_one_word, values)) or 2 * len(set(values)) <= len(values)
    ):
        return "document"
    possible = [our for our in ("source", "document") if our not in names]
    raise InputError(
        f"the records have a field {_AMBIGUOUS!r} ({values[0]!r:.40}) that may be the source text or the"
        " label of a document",
        python="pass " + " or ".join(f"mapping={{{our!r}: {_AMBIGUOUS!r}}}" for our in possible),
        cli="use " + " or ".join(f"--map {our}={_AMBIGUOUS}" for our in possible),
    )


def _is_one_word(value: str) -> bool:
    return value.isascii() and len(value.split()) == 1
