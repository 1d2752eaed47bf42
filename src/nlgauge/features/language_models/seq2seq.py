"""Probabilities of the tokens of a text given another text, by a sequence-to-sequence model.

A key is (source, target). Keys with the same source share one pass of the encoder; the vocabulary head is
applied at scored positions only. The model's cache is never used: with a cache some decoders see later
tokens.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged, offsets_of
from nlgauge.errors import ModelError, ParameterError
from nlgauge.features import Feature, RunOptions, Work
from nlgauge.features.batches import by_length
from nlgauge.features.language_models.causal_lm import TokenInformation, head_log_probabilities
from nlgauge.features.vocabulary import TokenIds
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, inference, load

_BATCH_TOKENS = 2048


class TextMarks(NamedTuple):
    """The tokens that a tokenizer puts before and after a text."""

    before: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True)
class Seq2SeqLogProbs(Feature):
    """The log-probability of every token of a target, given a source; the special tokens around the target
    are scored too.

    max_length: number of tokens of source and target that are read, special tokens included (None: as many as
    the model can). forced: tokens before the target, instead of the tokenizer's special token, that are not
    scored, such as the language. tag: token before the source, instead of the tokenizer's special token if it
    has one.
    """

    model: ModelSpec
    max_length: int | None = None
    forced: tuple[str, ...] = ()
    tag: str = ""

    def compute(self, keys: list[tuple[str, str]], work: Work) -> TokenInformation:
        loaded = load(self.model, "seq2seq", work.options.device)
        window, marks = reading_window(loaded, self.max_length), marks_of(loaded)
        forced = [token_id(loaded, token) for token in self.forced]
        texts = list(dict.fromkeys(text for key in keys for text in key))
        pieces = dict(zip(texts, work.get(TokenIds(self.model, "seq2seq"), texts).lists(), strict=True))
        before_source = [token_id(loaded, self.tag)] if self.tag and marks.before else list(marks.before)
        sources = list(dict.fromkeys(source for source, _ in keys))
        source_rows = {source: i for i, source in enumerate(sources)}
        encoder_ids = [_fit(before_source, pieces[source], marks.after, window) for source in sources]
        first = [] if forced else list(marks.before)
        targets = [_fit(first, pieces[target], marks.after, window - len(forced)) for _, target in keys]
        cut = [
            [int(max(encoder_ids[source_rows[source]][1], target_cut))]
            for (source, _), (_, target_cut) in zip(keys, targets, strict=True)
        ]
        offsets = offsets_of([len(target) for target, _ in targets])
        information, likeliest = np.empty(offsets[-1]), np.empty(offsets[-1], dtype=np.int64)
        rows = [
            _Row(source_rows[source], int(offsets[i]), [start_token(loaded), *forced], target)
            for i, ((source, _), (target, _)) in enumerate(zip(keys, targets, strict=True))
        ]
        for places, values, best in _read(loaded, [ids for ids, _ in encoder_ids], rows, work.options):
            information[places], likeliest[places] = values, best
        return TokenInformation(
            Ragged.of([target for target, _ in targets]),
            Ragged(information, offsets),
            Ragged(likeliest, offsets),
            Ragged.of(cut),
        )


class _Row(NamedTuple):
    """A target to be scored: the number of its source, the place of its first token in the column, the
    tokens before it, and its own.
    """

    source: int
    place: int
    before: list[int]
    target: list[int]


def marks_of(loaded: Loaded) -> TextMarks:
    """Return the special tokens around a text."""
    return loaded.made("marks", lambda: _marks(loaded.tokenizer))


def _marks(tokenizer: Any) -> TextMarks:
    whole, plain = list(tokenizer("a").input_ids), list(tokenizer("a", add_special_tokens=False).input_ids)
    start = next(i for i in range(len(whole)) if whole[i : i + len(plain)] == plain)
    return TextMarks(tuple(whole[:start]), tuple(whole[start + len(plain) :]))


def token_id(loaded: Loaded, token: str) -> int:
    """Return the number of a token of the vocabulary."""
    found = loaded.tokenizer.convert_tokens_to_ids(token)
    if found is None or found == getattr(loaded.tokenizer, "unk_token_id", None):
        raise ParameterError(
            f"{token!r} is not a token of {loaded.name}; use another language or another model."
        )
    return int(found)


def start_token(loaded: Loaded) -> int:
    """Return the first token of the decoder."""
    for place in ("config", "generation_config"):
        found = getattr(getattr(loaded.model, place, None), "decoder_start_token_id", None)
        if found is not None:
            return int(found)
    raise ModelError(
        f"the configuration of {loaded.name} has no decoder_start_token_id; choose a model with"
        " a decoder, or set it in config.json."
    )


def reading_window(loaded: Loaded, wanted: int | None) -> int:
    """Return the number of tokens that are read: `wanted`, but not more than there are positions; models of
    relative positions have no limit.
    """
    if wanted is None:
        return loaded.max_length
    return min(wanted, getattr(loaded.model.config, "max_position_embeddings", None) or wanted)


def padded(torch: Any, loaded: Loaded, rows: list[list[int]]) -> tuple[Any, Any]:
    """Return the rows as one array, padded on the right, and True for places that are not padding."""
    filler = getattr(loaded.model.config, "pad_token_id", None) or 0
    ids = torch.full((len(rows), max(map(len, rows))), filler, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = torch.tensor(row, dtype=torch.long)
        mask[i, : len(row)] = 1
    return ids.to(loaded.device), mask.to(loaded.device)


def _fit(before: list[int], pieces: list[int], after: tuple[int, ...], window: int) -> tuple[list[int], bool]:
    """Return a text between its special tokens, cut at its end to the window, and True if it was cut."""
    room = max(0, window - len(before) - len(after))
    return [*before, *pieces[:room], *after], len(pieces) > room


def _read(
    loaded: Loaded, sources: list[list[int]], rows: list[_Row], options: RunOptions
) -> Iterator[tuple[Array, Array, Array]]:
    """Return places of tokens in the column, their log-probabilities, and whether they are the likeliest, one
    batch at a time.
    """
    targets: dict[int, list[_Row]] = defaultdict(list)
    for row in rows:
        targets[row.source].append(row)
    with inference() as torch:
        decoder = loaded.made("decoder", lambda: _decoder(torch, loaded))
        for batch in by_length(
            [len(source) for source in sources], options.batch_size, _BATCH_TOKENS, f"reading ({loaded.name})"
        ):
            ids, mask = padded(torch, loaded, [sources[i] for i in batch])
            states = loaded.model.get_encoder()(input_ids=ids, attention_mask=mask)[0]
            # Of each row the number of its source in this batch.
            members = [
                row._replace(source=i) for i, source in enumerate(batch) for row in targets[int(source)]
            ]
            lengths = [len(row.before) + len(row.target) for row in members]
            for part in by_length(lengths, options.batch_size, _BATCH_TOKENS, f"scoring ({loaded.name})"):
                yield _read_batch(torch, loaded, decoder, (ids, states, mask), [members[i] for i in part])


def _read_batch(
    torch: Any, loaded: Loaded, decoder: _Decoder, encoded: tuple[Any, Any, Any], rows: list[_Row]
) -> tuple[Array, Array, Array]:
    """Return the same for one batch of rows whose sources are already encoded."""
    inputs, _ = padded(torch, loaded, [(row.before + row.target)[:-1] for row in rows])
    which = torch.tensor([row.source for row in rows], device=loaded.device)
    ids, states, mask = (part[which] for part in encoded)
    # Sources of other rows may be longer than all of these.
    longest = int(mask.sum(dim=1).max())
    found = decoder.body(ids[:, :longest], states[:, :longest], mask[:, :longest], inputs)
    batch = [i for i, row in enumerate(rows) for _ in row.target]
    steps = [len(row.before) - 1 + step for row in rows for step in range(len(row.target))]
    places = np.array([row.place + step for row in rows for step in range(len(row.target))], dtype=np.int64)
    tokens = torch.tensor([token for row in rows for token in row.target], device=loaded.device)
    values, best = head_log_probabilities(
        decoder.head, found[torch.tensor(batch), torch.tensor(steps)], tokens
    )
    return places, values, best


class _Decoder(NamedTuple):
    """`body` maps (source ids, encoder states, mask, decoder ids) to states; `head` maps (places, width)
    states to logits.
    """

    body: Callable[[Any, Any, Any, Any], Any]
    head: Callable[[Any], Any]


def _decoder(torch: Any, loaded: Loaded) -> _Decoder:
    """Return the decoder without and with its head, if together they compute the logits of the model; else
    the whole model and a head that does nothing.
    """
    model = loaded.model

    def whole(ids: Any, states: Any, mask: Any, inputs: Any) -> Any:
        # The source's ids are not read again, but FSMT hides later tokens only if they are passed.
        return model(
            input_ids=ids,
            encoder_outputs=(states,),
            attention_mask=mask,
            decoder_input_ids=inputs,
            use_cache=False,
        ).logits

    def body(ids: Any, states: Any, mask: Any, inputs: Any) -> Any:
        return model.get_decoder()(
            input_ids=inputs, encoder_hidden_states=states, encoder_attention_mask=mask, use_cache=False
        )[0]

    if "encoder_attention_mask" in inspect.signature(model.get_decoder().forward).parameters:
        ids, mask = padded(torch, loaded, [list(loaded.tokenizer("a").input_ids)] * 2)
        states = model.get_encoder()(input_ids=ids, attention_mask=mask)[0]
        wanted, found = (run(ids, states, mask, ids) for run in (whole, body))
        for head in _heads(model):
            logits = head(found)
            if logits.shape == wanted.shape and torch.allclose(logits, wanted, rtol=1e-4, atol=1e-4):
                return _Decoder(body, head)
    return _Decoder(whole, lambda states: states)


def _heads(model: Any) -> Iterator[Callable[[Any], Any]]:
    """Yield possible heads: the output layer with BART's bias if the model has it, the unchanged output layer, and
    the output layer after the scaling of a T5 whose output layer is its input embeddings.
    """
    layer = model.get_output_embeddings()
    if hasattr(model, "final_logits_bias"):
        yield lambda states: layer(states) + model.final_logits_bias
    yield layer
    yield lambda states: layer(states * model.config.hidden_size**-0.5)
