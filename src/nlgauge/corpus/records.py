"""Records: rows with the field names that other tools use, as dictionaries, data frames, Arrow tables or
datasets; inside, one list per column.

A field called "document" may be the text that was summarised or the label of the document that a segment is
from. It is the source where most are longer than a label (100 characters) and no other field is the source;
it is the label where all are short and either one word each, or mostly repeated, or there is another source.
Anything else is refused: "source" and "doc_id" say which is meant.

A column that is not one of `FIELD_NAMES` is a field of the segment. Objects inside records are fields with a
dot: {"meta": {"lp": "en-de"}} is the field "meta.lp", which "lp" finds too where no other is called so.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from operator import itemgetter
from shlex import quote
from typing import Any

from nlgauge.errors import InputError, did_you_mean

# What other tools call the fields of a record, beside our own names.
FIELD_NAMES = {
    "prediction": ("prediction", "predictions", "mt", "hyp", "hypothesis", "candidate", "output"),
    "references": ("references", "reference", "ref", "refs", "target", "targets"),
    "source": ("source", "src", "sources", "document_text", "input"),
    "id": ("id", "segment", "segment_id"),
    "system": ("system", "system_name"),
    "weight": ("weight",),
    "document": ("doc", "doc_id", "document_id"),
}
_AMBIGUOUS = "document"
# So many records of a dataset that is read as it goes are taken at a time.
_BLOCK = 20_000
_LONGEST_LABEL = 100
KNOWN_NAMES = {_AMBIGUOUS, *(name for names in FIELD_NAMES.values() for name in names)}


# Names that columns have in files of other programs, by what they usually hold.
_USUAL = {
    "prediction": (
        "answer response actual_output generated generated_text generation completion "
        "model_output model_answer summary"
    ).split(),
    "references": (
        "expected expected_output ground_truth ground_truths gold reference_answer correct_answer "
        "highlights label"
    ).split(),
    "source": (
        "question query prompt instruction article context contexts retrieved_contexts passage passages"
    ).split(),
}


class _Absent:
    """Stands where a record lacks a field that others have; false, as None is."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()


@dataclass(frozen=True)
class Records:
    """Rows by column, and where each row stands; `file` is where they were read from, for which messages
    give the advice of the command line.
    """

    columns: Mapping[str, list[Any]]
    count: int
    place: Callable[[int], str] = "record {}".format
    file: str | None = None

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[Any, Any]]) -> Records:
        """The records of dictionaries."""
        return cls({str(name): values for name, values in columns_of(rows).items()}, len(rows)).flat()

    @classmethod
    def of_columns(cls, columns: Mapping[str, list[Any]]) -> Records:
        """The records of columns of one length."""
        return cls(columns, len(next(iter(columns.values()), ()))).flat()

    @classmethod
    def of_blocks(cls, blocks: Iterable[Records]) -> Records:
        """Join blocks, one after the other; messages name the place that each row had."""
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
        """The records with the objects inside them as fields with a dot."""
        columns: dict[str, list[Any]] = {}
        for name, values in self.columns.items():
            if _holds_objects(name, values):
                rows = [value if isinstance(value, dict) else dict(value or {}) for value in values]
                inner = {f"{name}.{key}": column for key, column in columns_of(rows).items()}
                columns |= replace(self, columns=inner).flat().columns
            else:
                columns[name] = values
        return replace(self, columns=columns)

    def part(self, start: int, stop: int) -> Records:
        """The records from one row up to another."""
        columns = {name: values[start:stop] for name, values in self.columns.items()}
        return replace(self, columns=columns, count=stop - start, place=lambda i: self.place(start + i))

    def take(self, rows: Sequence[int]) -> Records:
        """The records in these rows."""
        columns = {name: [values[i] for i in rows] for name, values in self.columns.items()}
        return replace(self, columns=columns, count=len(rows), place=lambda i: self.place(rows[i]))

    def where(self, conditions: Mapping[str, Any]) -> Records:
        """The records whose fields are what was asked for; see `nlgauge.corpus.fields.matches`."""
        from nlgauge.corpus.fields import asks_for, check_some

        found = self
        for name, condition in conditions.items():
            column = found.columns[find_field(name, list(found.columns), "the records")]
            fits = asks_for(condition)
            rows = [i for i, value in enumerate(column) if fits(None if value is ABSENT else value)]
            check_some(rows, name, condition, column, "record")
            found = found.take(rows)
        return found


def columns_of(rows: Sequence[Mapping[Any, Any]]) -> dict[Any, list[Any]]:
    """The values of every key, one per row."""
    columns = {}
    for name in dict.fromkeys(chain.from_iterable(rows)):
        try:
            columns[name] = list(map(itemgetter(name), rows))
        except KeyError:
            columns[name] = [row.get(name, ABSENT) for row in rows]
    return columns


def find_field(name: str, known: Sequence[str], whose: str) -> str:
    """The field that a name means: the one of that name, else the only one that we call so or that ends
    with it behind a dot.
    """
    if name in known:
        return name
    found = [field for field in known if field in FIELD_NAMES.get(name, ()) or field.endswith(f".{name}")]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(f"{name!r} may be {' or '.join(map(repr, found))}; name one of them.")
    raise InputError(
        f"{whose} have no field {name!r}{did_you_mean(name, known)}; there are {', '.join(known) or 'none'}."
    )


def _holds_objects(name: str, values: list[Any]) -> bool:
    """Whether a column that is not one of ours has objects, and nothing else."""
    first = next((value for value in values if value), None)
    if name in KNOWN_NAMES or not isinstance(first, Mapping):
        return False
    return all(issubclass(kind, Mapping) for kind in set(map(type, values)) - {type(None), _Absent})


def as_records(predictions: Any) -> Records | None:
    """The records behind a data frame, an Arrow table, a dataset or a list of dictionaries; None where it
    is none of these.
    """
    if isinstance(predictions, Records):
        return predictions
    if isinstance(predictions, type):
        return None
    if isinstance(predictions, Mapping):
        splits = [name for name, value in predictions.items() if hasattr(value, "column_names")]
        if splits:
            raise InputError(
                f"predictions is a {type(predictions).__name__} of several splits; pass one split, such as"
                f" [{splits[0]!r}]."
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
    """Raises where something was given beside records."""
    beside = [name for name, value in others.items() if value is not None]
    if beside:
        raise InputError(f"predictions are records, which have their own fields; leave {beside[0]} out.")


def blocks_of_records(predictions: Any) -> Iterator[Records] | None:
    """The records of a dataset that is read as it goes, some thousands at a time; None where it is
    nothing of this kind.
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
    ):  # datasets as they are read
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
    """Whether a value holds several texts rather than being one."""
    return (
        isinstance(value, Iterable)
        and not isinstance(value, str | bytes | Mapping | set | frozenset)
        and getattr(value, "ndim", 1) > 0
    )


def names_of(records: Records, wide: Sequence[str]) -> dict[str, str]:
    """What these records call our fields; columns that hold the predictions of one system each (`wide`)
    are none of them.
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
                cli=_keep_one(records, our, present[0]),
            )
        if present:
            names[our] = present[0]
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
                f"the records have both {names[our]!r} and {_AMBIGUOUS!r} for the {our}; keep one."
            )
        names[our] = _AMBIGUOUS
    return names


def _keep_one(records: Records, our: str, name: str) -> str:
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
    return f"keep one of them, or name the columns to use, such as {option}{quote(f'{records.file}:{name}')}"


def _no_prediction(records: Records, names: Mapping[str, str]) -> InputError:
    """Return the error for records without a column of predictions, which may have a column per system."""
    texts = [
        name
        for name, values in records.columns.items()
        if name not in KNOWN_NAMES and isinstance(values[0], str | list)
    ]
    roles = {
        name: next((role for role, usual in _USUAL.items() if name.lower() in usual), "") for name in texts
    }
    # The usual names of a prediction, else texts that are nothing else and have more than one word, else all
    # that are nothing else.
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
        python=f"rename a column to 'prediction'{wide}",
        cli="rename the columns to prediction, reference and source, or name the column of each system: nlgauge"
        f" score {' '.join(words)}",
    )


def _check_present(records: Records, name: str) -> None:
    """Raises where a record lacks this field."""
    if ABSENT in records.columns[name]:
        raise InputError(absence(records, name, records.columns[name].index(ABSENT)))


def absence(records: Records, name: str, row: int) -> str:
    """Says that a record lacks a field, and which one has it."""
    having = next(
        (records.place(i) for i, value in enumerate(records.columns[name]) if value is not ABSENT),
        "one before",
    )
    return f"{records.place(row)} has no {name!r}, {having} has it; every record needs the same fields."


def _meaning_of_document(records: Records, names: Mapping[str, str]) -> str:
    """ "source" or "document", by what the field holds."""
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
    raise InputError(
        f"the records have a field {_AMBIGUOUS!r} ({values[0]!r:.40}) that may be the text which was"
        " summarised or the label of a document; rename it to 'source' or to 'doc_id'."
    )


def _is_one_word(value: str) -> bool:
    return value.isascii() and len(value.split()) == 1
