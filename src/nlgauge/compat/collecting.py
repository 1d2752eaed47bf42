"""Collected: texts that are added bit by bit and scored together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nlgauge.errors import InputError


class Collected:
    """Predictions, references and sources by name, each with one item per segment; None stands for what
    was not given.
    """

    def __init__(self) -> None:
        self._columns: dict[str, list[Any]] = {}

    def add(self, batch: Mapping[str, Any]) -> None:
        """Adds the segments of a batch; each batch must have the same columns, and a batch that does not
        fit is not added.
        """
        given = {name: list(items) for name, items in batch.items() if items is not None}
        if "predictions" not in given:
            raise InputError("no predictions were given; add prediction=... or predictions=[...].")
        if self._columns and given.keys() != self._columns.keys():
            raise InputError(
                f"this batch has {', '.join(given)}, but earlier batches have {', '.join(self._columns)}; pass the"
                " same arguments for every batch."
            )
        for name, items in given.items():
            if len(items) != len(given["predictions"]):
                raise InputError(
                    f"{name} has {len(items)} items but predictions has {len(given['predictions'])}; pass one per"
                    " prediction."
                )
        if "references" in given:  # some batches may have one reference per segment, others several
            given["references"] = [
                [reference] if isinstance(reference, str) else reference for reference in given["references"]
            ]
        for name, items in given.items():
            self._columns.setdefault(name, []).extend(items)

    def columns(self) -> tuple[list[Any], list[Any] | None, list[Any] | None]:
        """Predictions, references and sources of all batches."""
        if not self._columns:
            raise InputError("the predictions are missing; pass predictions=[...], or add them first.")
        return self._columns["predictions"], self._columns.get("references"), self._columns.get("sources")
