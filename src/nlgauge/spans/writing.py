"""Write annotations in the formats of other tools, and name what a format cannot contain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from nlgauge._core.paths import replacing
from nlgauge.errors import InputError, ParameterError, no_such
from nlgauge.spans.columns import Spans
from nlgauge.spans.formats import appraise, factgenie, inline, label_studio, mqm, mtme, own, pearmut
from nlgauge.spans.reading import SpanFile
from nlgauge.spans.span import Annotation


class _Writer(Protocol):
    def write(self, annotations: Sequence[Annotation]) -> str: ...
    def lost(self, annotations: Sequence[Annotation]) -> list[str]: ...


WRITERS: dict[str, _Writer] = {
    "nlgauge": own,
    "appraise": appraise,
    "mqm": mqm,
    "mtme": mtme,
    "inline": inline,
    "label_studio": label_studio,
    "pearmut": pearmut,
    "factgenie": factgenie,
}
# Formats whose texts are in a separate file.
_BATCHES = {"appraise": appraise.batches, "pearmut": pearmut.batches}


def write(
    spans: SpanFile | Iterable[Annotation] | Iterable[Spans],
    path: str | Path,
    format: str = "nlgauge",  # noqa: A002
) -> list[str]:
    """Write annotations to a file.

    Parameters
    ----------
    spans : SpanFile, iterable of Annotation, or iterable of Spans
        Annotations of people or metrics.
    path : str or Path
        File to write; it is written completely or not at all. Formats with a separate file of texts (appraise, pearmut)
        write it next to this file, as NAME.texts.json.
    format : str, default "nlgauge"
        Format, a key of `WRITERS`.

    Returns
    -------
    list of str
        What the format cannot contain and the annotations have.

    Raises
    ------
    InputError
        If there are no annotations.
    ParameterError
        If the format is unknown.
    """
    if format not in WRITERS:
        raise ParameterError(no_such("format", format, WRITERS))
    annotations = annotations_of(spans)
    if not annotations:
        raise InputError("spans has no annotations to write.")
    if not any(each.target for each in annotations) and format in ("inline", "mqm", "factgenie"):
        raise InputError(
            f"the format {format} contains texts, and these annotations have none",
            python="read them with texts=",
            cli="name a file of texts with --texts",
        )
    writer = WRITERS[format]
    with replacing(path, text=True) as stream:
        stream.write(writer.write(annotations))
    if format in _BATCHES:
        with replacing(texts_path(path), text=True) as stream:
            stream.write(_BATCHES[format](annotations))
    return writer.lost(annotations)


def texts_path(path: str | Path) -> Path:
    """Return the path of the texts of a file."""
    return Path(path).with_suffix(".texts.json")


def annotations_of(spans: SpanFile | Iterable[Annotation] | Iterable[Spans]) -> list[Annotation]:
    """Return annotations of a file, or of columns."""
    if isinstance(spans, SpanFile):
        return spans.annotations
    annotations: list[Annotation] = []
    for each in spans:
        if isinstance(each, Spans):
            annotations.extend(each.annotations())
        else:
            annotations.append(each)
    return annotations
