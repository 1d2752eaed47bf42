"""Probabilities of the tokens of a text after a prompt by a causal language model, and if each is the
likeliest.

A key is (prompt part, ..., text); every part is encoded by itself with nothing between them. Keys with the
same prompt share one pass over it, by its key-value cache; the vocabulary head is applied at scored positions
only.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nlgauge._core.ragged import Array, Ragged, offsets_of
from nlgauge.errors import ParameterError
from nlgauge.features import Feature, RunOptions, Work
from nlgauge.features.batches import by_length
from nlgauge.features.language_models.model_halves import TokenStates, halves, is_transformer
from nlgauge.features.vocabulary import TokenIds
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, inference, load

_BATCH_TOKENS = 2048
_HEAD_POSITIONS = 512
# Reading a prompt this short again is cheaper than caching it.
_SHORTEST_SHARED = 8


class TokenInformation(NamedTuple):
    """The text's tokens, their natural log-probabilities, True for each likeliest token, and True if prompt
    or text was cut.
    """

    ids: Ragged
    log_probabilities: Ragged
    likeliest: Ragged
    truncated: Ragged


@dataclass(frozen=True)
class LogProbs(Feature):
    """The log-probability of every token of a text, given the prompt before it and a start token before
    all: the model's own, or `start`.
    """

    model: ModelSpec
    start: str = ""

    def compute(self, keys: list[tuple[str, ...]], work: Work) -> TokenInformation:
        loaded = load(self.model, "causal", work.options.device)
        parts = list(dict.fromkeys(part for key in keys for part in key))
        encoded = dict(zip(parts, work.get(TokenIds(self.model, "causal"), parts).lists(), strict=True))
        start = start_token(loaded, self.start)
        prompts, targets, cut = [], [], []
        for key in keys:
            prompt, target, was_cut = _fit(
                [encoded[part] for part in key[:-1]], encoded[key[-1]], loaded.max_length
            )
            prompts.append((start, *prompt))
            targets.append(target)
            cut.append([int(was_cut)])
        offsets = offsets_of([len(target) for target in targets])
        information, likeliest = np.empty(offsets[-1]), np.empty(offsets[-1], dtype=np.int64)

        def take(places: Array, states: Any, tokens: Any) -> None:
            information[places], likeliest[places] = token_log_probabilities(loaded, states, tokens)

        _read(loaded, prompts, targets, work.options, take)
        return TokenInformation(
            Ragged.of(targets), Ragged(information, offsets), Ragged(likeliest, offsets), Ragged.of(cut)
        )


@dataclass(frozen=True)
class NextTokenStates(Feature):
    """The state before each token of a text, from which the model's head guesses it; the first is the state
    of the start token.

    A text longer than the model's window is read in windows that start `stride` tokens apart (None: half a
    window), so that every token after the first window has at least a window less the stride before it;
    nothing is cut. The states are stored for a chunk: 4 bytes times the width of the model for each token,
    little compared with the weights of such a model.
    """

    model: ModelSpec
    start: str = ""
    stride: int | None = None

    def compute(self, keys: list[str], work: Work) -> TokenStates:
        loaded = load(self.model, "causal", work.options.device)
        start = start_token(loaded, self.start)
        texts = work.get(TokenIds(self.model, "causal"), keys)
        windows = [
            window
            for tokens in texts.lists()
            for window in _windows(tokens, start, loaded.max_length, self.stride)
        ]
        found: list[Array] = []

        def take(places: Array, states: Any, tokens: Any) -> None:
            if not found:
                found.append(np.empty((len(texts.values), states.shape[1]), dtype=np.float32))
            found[0][places] = states.float().cpu().numpy()

        _read(
            loaded, [prompt for prompt, _ in windows], [target for _, target in windows], work.options, take
        )
        states = found[0] if found else np.empty((0, 1), dtype=np.float32)
        return TokenStates(
            Ragged(states, texts.offsets), texts, Ragged.single(np.zeros(len(keys), dtype=np.int64))
        )


def token_log_probabilities(loaded: Loaded, states: Any, tokens: Any) -> tuple[Array, Array]:
    """Return the log-probability of each token, and True if it is the likeliest, from the state before it."""
    return head_log_probabilities(halves(loaded).head, states, tokens)


def head_log_probabilities(head: Callable[[Any], Any], states: Any, tokens: Any) -> tuple[Array, Array]:
    """Return the log-probability of each token, and True if it is the likeliest, by a head over the
    vocabulary.
    """
    information, likeliest = [], []
    for start in range(0, len(tokens), _HEAD_POSITIONS):
        part = slice(start, start + _HEAD_POSITIONS)
        logits = head(states[part]).float()
        chosen = logits.gather(1, tokens[part, None])[:, 0]
        information.append((chosen - logits.logsumexp(dim=1)).double().cpu().numpy())
        likeliest.append((logits.argmax(dim=1) == tokens[part]).cpu().numpy())
    return np.concatenate(information), np.concatenate(likeliest)


def log_probabilities_after(
    loaded: Loaded, prompts: list[tuple[int, ...]], options: RunOptions, take: Callable[[Array, Array], None]
) -> None:
    """Read prompts, and pass their numbers and the (prompts, vocabulary) log-probabilities of the next token
    to `take`, batch by batch. Neighboring prompts with the same start share one pass over it.
    """
    starts = shared_starts(prompts)
    rests = [[*prompt[len(start) :], 0] for prompt, start in zip(prompts, starts, strict=True)]
    ends = {end - 1: number for number, end in enumerate(offsets_of(list(map(len, rests)))[1:].tolist())}

    def at_the_end(places: Array, states: Any, tokens: Any) -> None:
        rows = [row for row, place in enumerate(places.tolist()) if place in ends]
        logits = halves(loaded).head(states[rows]).float()
        numbers = np.array([ends[place] for place in places[rows].tolist()])
        take(numbers, logits.log_softmax(dim=1).double().cpu().numpy())

    _read(loaded, starts, rests, options, at_the_end)


def shared_starts(prompts: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the start of each prompt that it shares with its neighbors, at least half of each prompt.

    A prompt that shares less is its own start.

    >>> shared_starts([(1, 2, 3, 4), (1, 2, 3, 5, 6), (7, 8)])
    [(1, 2, 3), (1, 2, 3), (7, 8)]
    """
    starts: list[tuple[int, ...]] = []
    group: list[tuple[int, ...]] = []
    common: tuple[int, ...] = ()
    for prompt in [*prompts, ()]:
        joined = _common_start(common, prompt[:-1]) if group else prompt[:-1]
        if group and 2 * len(joined) < max(map(len, [*group, prompt])):
            starts += [common] * len(group) if len(group) > 1 else group
            group, joined = [], prompt[:-1]
        group.append(prompt)
        common = joined
    return starts


def _common_start(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    length = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    return first[: min(len(first), len(second)) if length is None else length]


def start_token(loaded: Loaded, start: str) -> int:
    """Return the token before all others: the start token of the model, or the token that `start` names."""
    if not start:
        return loaded.start_token
    ids = list(loaded.tokenizer(start, add_special_tokens=False).input_ids)
    if len(ids) != 1:
        raise ParameterError(
            f"start must be one token of {loaded.name}, got {start!r} ({len(ids)} tokens); omit it"
            " to use the start token of the model."
        )
    return int(ids[0])


def _fit(parts: list[list[int]], target: list[int], window: int) -> tuple[list[int], list[int], bool]:
    """Return prompt and text cut to the window: first the end of the first prompt part (the summary), then
    the others, last the text.
    """
    kept = target[: window - 1]
    room = window - 1 - len(kept)
    later = [token for part in parts[1:] for token in part]
    first = parts[0] if parts else []
    prompt = (
        (first[: max(0, room - len(later))] + later)[:room]
        if len(first) + len(later) > room
        else first + later
    )
    return prompt, kept, len(kept) < len(target) or len(prompt) < len(first) + len(later)


def _windows(
    tokens: list[int], start: int, window: int, stride: int | None
) -> list[tuple[tuple[int, ...], list[int]]]:
    """Return (tokens before, new tokens) for each window of a text."""
    step = min(max(1, window // 2 if stride is None else stride), window - 1)
    found: list[tuple[tuple[int, ...], list[int]]] = [((start,), tokens[: window - 1])]
    for first in range(window - 1, len(tokens), step):
        found.append((tuple(tokens[first - (window - step) : first]), tokens[first : first + step]))
    return found


# Places in the flat column of all texts' tokens, the states before them, and the tokens.
Take = Callable[[Array, Any, Any], None]


def _read(
    loaded: Loaded, prompts: list[tuple[int, ...]], targets: list[list[int]], options: RunOptions, take: Take
) -> None:
    """Read every text after its prompt, and pass the states before its tokens to `take`, one batch at a
    time.
    """
    starts = offsets_of([len(target) for target in targets])
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for i, prompt in enumerate(prompts):
        if targets[i]:
            groups[prompt].append(i)
    shares = _caches(loaded)
    shared = {
        prompt: members
        for prompt, members in groups.items()
        if shares and len(members) > 1 and len(prompt) > _SHORTEST_SHARED
    }
    with inference() as torch:
        alone = [i for prompt, members in groups.items() if prompt not in shared for i in members]
        _read_after(
            torch,
            loaded,
            None,
            [(int(starts[i]), list(prompts[i]), targets[i]) for i in alone],
            options,
            take,
        )
        for prompt, members in shared.items():
            cache = loaded.model.base_model(
                input_ids=torch.tensor([prompt[:-1]], device=loaded.device), use_cache=True
            ).past_key_values
            _read_after(
                torch,
                loaded,
                cache,
                [(int(starts[i]), [prompt[-1]], targets[i]) for i in members],
                options,
                take,
            )


def _read_after(
    torch: Any,
    loaded: Loaded,
    cache: Any,
    rows: list[tuple[int, list[int], list[int]]],
    options: RunOptions,
    take: Take,
) -> None:
    """Read rows of (place of its first token, tokens before, text), all of them after the content of the
    cache.
    """
    lengths = [len(before) + len(text) for _, before, text in rows]
    for batch in by_length(lengths, options.batch_size, _BATCH_TOKENS, f"reading ({loaded.name})"):
        _read_batch(torch, loaded, cache, [rows[i] for i in batch], take)


def _read_batch(
    torch: Any, loaded: Loaded, cache: Any, rows: list[tuple[int, list[int], list[int]]], take: Take
) -> None:
    # Padding is on the right, invisible to all real tokens.
    longest = max(len(before) + len(text) for _, before, text in rows) - 1
    ids = torch.zeros((len(rows), longest), dtype=torch.long)
    batch: list[int] = []
    before_tokens: list[int] = []
    places: list[int] = []
    tokens: list[int] = []
    for row, (start, before, text) in enumerate(rows):
        line = (before + text)[:-1]
        ids[row, : len(line)] = torch.tensor(line)
        batch += [row] * len(text)
        before_tokens += range(len(before) - 1, len(line))
        places += range(start, start + len(text))
        tokens += text
    inputs: dict[str, Any] = {"input_ids": ids.to(loaded.device)}
    if is_transformer(loaded):
        inputs["use_cache"] = cache is not None
    if cache is not None:
        inputs["past_key_values"] = copy.deepcopy(cache)
        inputs["past_key_values"].batch_repeat_interleave(len(rows))
    states = halves(loaded).body(**inputs)[torch.tensor(batch), torch.tensor(before_tokens)]
    take(np.array(places, dtype=np.int64), states, torch.tensor(tokens, device=loaded.device))


def _caches(loaded: Loaded) -> bool:
    """Return True if texts can share the key-value cache of the model."""
    return is_transformer(loaded) and not getattr(loaded.model, "_is_stateful", False)
