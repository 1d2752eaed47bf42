"""Collected texts, which are added in batches and scored together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nlgauge._core.numbers import counted
from nlgauge.errors import InputError


class Collected:
    """Predictions, references and sources by name, each with one item per segment."""

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {}

    def add(self, batch: Mapping[str, Any]) -> None:
        """Add the segments of a batch; columns that are None are ignored.

        Raise InputError, and add nothing, unless the batch has the same columns as the batches before.
        """
        columns = {name: list(items) for name, items in batch.items() if items is not None}
        if "predictions" not in columns:
            raise InputError("the batch has no predictions; pass predictions with every batch.")
        if self._columns and columns.keys() != self._columns.keys():
            raise InputError(
                f"this batch has {', '.join(columns)}, but earlier batches have {', '.join(self._columns)}; pass the"
                " same arguments for every batch."
            )
        count = len(columns["predictions"])
        for name, items in columns.items():
            if len(items) != count:
                raise InputError(
                    f"{name} has {counted(len(items), 'item')} but predictions has {count}; pass one per prediction."
                )
        if "references" in columns:  # some batches may have one reference per segment, others several
            columns["references"] = [
                [reference] if isinstance(reference, str) else reference
                for reference in columns["references"]
            ]
        for name, items in columns.items():
            self._columns.setdefault(name, []).extend(items)

    def columns(self) -> tuple[list[Any], list[Any] | None, list[Any] | None]:
        """Return predictions, references and sources of all batches."""
        if not self._columns:
            raise InputError("no predictions were added; add or pass them before the scores are computed.")
        return self._columns["predictions"], self._columns.get("references"), self._columns.get("sources")
