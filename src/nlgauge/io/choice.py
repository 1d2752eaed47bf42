"""Selection of the segments to read from files or records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, eq=False)
class Choice:
    """Selection of the segments to read, and their language.

    Parameters
    ----------
    lang : str, optional
        ISO language code of the texts.
    columns : sequence of str
        Columns of records that contain the predictions of one system each, or systems to read.
    mapping : mapping of str to str, optional
        Columns of records by name of the field, such as {"prediction": "answer"}.
    where : str or sequence of str
        Expressions, such as "domain = news"; only records or rows that meet all of them are read.
    skip_missing, common, pooled : bool
        See `Corpus.read`.
    """

    lang: str | None = None
    columns: Sequence[str] = ()
    mapping: Mapping[str, str] | None = None
    where: str | Sequence[str] = ()
    skip_missing: bool = False
    common: bool = False
    pooled: bool = False
