"""Generation: predictions that a causal language model on this machine writes, one per source.

generate(sources, model)            the texts
generate_file(table, path, model)   JSON Lines for `nlgauge score`; an interrupted run is continued
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from nlgauge._core.numbers import counted
from nlgauge._core.paths import write_whole
from nlgauge._core.progress import report
from nlgauge.errors import InputError, ParameterError
from nlgauge.features import RunOptions
from nlgauge.judges.limits import Ledger
from nlgauge.judges.local import LocalJudge, local_identity, prompt_tokens
from nlgauge.judges.requests import Request, text_of
from nlgauge.models.loader import load
from nlgauge.models.weights import store

PLACE = "{source}"
UNFINISHED = ".unfinished"


@dataclass(frozen=True)
class Writing:
    """Settings of the generation of texts.

    Parameters
    ----------
    model : str
        Name of a causal language model on this machine.
    prompt : str, default "{source}"
        Message to the model; {source} stands for the source.
    max_tokens : int, default 128
        Maximum number of tokens of a text.
    temperature : float, default 0.0
        Temperature of sampling; at 0, the likeliest token is always chosen.
    top_p : float, default 1.0
        Share of the probability that the sampled tokens have together.
    seed : int, default 12345
        Seed of sampling.
    """

    model: str
    prompt: str = PLACE
    max_tokens: int = 128
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 12345

    def __post_init__(self) -> None:
        if PLACE not in self.prompt:
            raise ParameterError(f"prompt must contain {PLACE}, got {self.prompt!r:.80}.")
        if self.max_tokens < 1:
            raise ParameterError(f"max_tokens must be at least 1, got {self.max_tokens}.")
        if not self.temperature >= 0:
            raise ParameterError(f"temperature must be at least 0, got {self.temperature}.")
        if not 0 < self.top_p <= 1:
            raise ParameterError(f"top_p must be above 0 and at most 1, got {self.top_p}.")

    def request(self, source: str) -> Request:
        """Return the request for the text of a source."""
        message = ("user", self.prompt.replace(PLACE, source))
        return Request((message,), self.max_tokens, self.temperature, self.top_p, self.seed)


def generate(sources: Sequence[str], writing: Writing, device: str | None = None) -> Iterator[str]:
    """Generate one text per source, in order.

    Parameters
    ----------
    sources : sequence of str
        Texts.
    writing : Writing
        Model, prompt and sampling. A text depends only on its source and on these settings.
    device : str, optional
        Torch device, such as "cpu" or "cuda".

    Yields
    ------
    str
        Generated text, without blanks at both ends.

    Raises
    ------
    ModelError
        If the model is not installed.
    InputError
        If a source is longer than the model reads; nothing is generated then.
    """
    store.require(writing.model)
    loaded = load(writing.model, "causal", device)
    requests = [writing.request(source) for source in sources]
    room = loaded.max_length - writing.max_tokens
    sizes = [len(prompt_tokens(loaded, request.messages)) for request in requests]
    long = [place for place, size in enumerate(sizes) if size > room]
    if long:
        raise InputError(
            f"source {long[0] + 1} with its prompt has {counted(sizes[long[0]], 'token')}, and {writing.model} reads"
            f" {loaded.max_length} with the {counted(writing.max_tokens, 'token')} of the new text"
            f" ({counted(len(long), 'source')} too long); shorten the sources, or generate fewer tokens."
        )
    writer = LocalJudge(writing.model, RunOptions(device=device), ())
    missing = [(place, request, [0]) for place, request in enumerate(requests)]
    for _, replies in writer.answers(missing, Ledger(), lambda *_: None):
        yield text_of(replies[0]).strip()


def generate_file(
    rows: Sequence[dict[str, Any]],
    path: str | Path,
    writing: Writing,
    system: str = "",
    device: str | None = None,
) -> int:
    """Write records with predictions as JSON Lines, and return the number of texts that were generated now.

    Each text is saved in PATH.unfinished as soon as it is generated. If that file was written with the same sources,
    model and settings, its texts are not generated again.

    Parameters
    ----------
    rows : sequence of dict
        Records with the field "source". Other fields, such as "id" and "references", do not change.
    path : str or Path
        File to write.
    writing : Writing
        Model, prompt and sampling.
    system : str, optional
        Name of the system. Default: the model.
    device : str, optional
        Torch device.

    Raises
    ------
    InputError
        If PATH.unfinished was written with other settings.
    """
    target = Path(path)
    unfinished = target.with_name(f"{target.name}{UNFINISHED}")
    head = msgspec.json.encode({"settings": _settings(rows, writing)}) + b"\n"
    lines = _known(unfinished, head)
    if not lines:
        write_whole(unfinished, head)
    left = rows[len(lines) :]
    with unfinished.open("rb+") as stream:
        # A line that was cut off is written again.
        stream.truncate(len(head) + sum(map(len, lines)))
        stream.seek(0, 2)
        report("texts", len(lines), len(rows))
        for row, text in zip(
            left, generate([row["source"] for row in left], writing, device) if left else (), strict=True
        ):
            lines.append(
                msgspec.json.encode({**row, "system": system or writing.model, "prediction": text}) + b"\n"
            )
            stream.write(lines[-1])
            stream.flush()
            report("texts", len(lines), len(rows))
    write_whole(target, b"".join(lines))
    unfinished.unlink()
    return len(left)


def _settings(rows: Sequence[dict[str, Any]], writing: Writing) -> dict[str, Any]:
    """Return what determines the records."""
    texts = hashlib.sha256(msgspec.json.encode(list(rows))).hexdigest()
    weights = hashlib.sha256(local_identity(writing.model).encode()).hexdigest()
    return {**asdict(writing), "records": texts, "weights": weights}


def _known(unfinished: Path, head: bytes) -> list[bytes]:
    """Return the complete lines of an interrupted run."""
    if not unfinished.is_file():
        return []
    first, *lines = unfinished.read_bytes().splitlines(keepends=True) or [b""]
    if first != head:
        raise InputError(
            f"{unfinished} was written with other sources or settings; remove it, or write to another file."
        )
    return [line for line in lines if line.endswith(b"\n")]
