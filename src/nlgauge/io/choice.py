"""Choice: which segments of files or records are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Which segments are read, and of which language they are.

    columns: of records, the columns that hold one system's predictions each, or the systems to read. where:
    {field: value}, which records or rows are read. skip_missing, common, pooled: see `Corpus.read`.
    """

    lang: str | None = None
    columns: Sequence[str] = ()
    where: Mapping[str, Any] | None = None
    skip_missing: bool = False
    common: bool = False
    pooled: bool = False
