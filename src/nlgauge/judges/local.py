"""Judge on this machine: any causal language model, used through its tokenizer's chat template.

A model without a chat template gets plain text. The probabilities of the next token come from one pass over
the prompt. Each sample has its own random generator, which depends on the seed, the number of the sample and
the prompt, so that the same question always has the same replies.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge._core.numbers import counted
from nlgauge._core.ragged import Array
from nlgauge._core.versions import installed_version
from nlgauge.errors import ModelError
from nlgauge.features import RunOptions
from nlgauge.features.language_models.causal_lm import log_probabilities_after
from nlgauge.features.language_models.model_halves import is_transformer, token_strings
from nlgauge.judges.limits import Ledger
from nlgauge.judges.requests import FIRST_TOKENS, TOP_TOKENS, Message, Request, failed, text_of
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, inference, load
from nlgauge.models.weights import store

_Reply = dict[str, Any]
_Keep = Callable[[int, Mapping[int, _Reply]], None]
# Number of prompts that are processed before their replies are returned and cached.
_ROWS = 16


def local_identity(name: str) -> str:
    """Return a text that identifies the replies of an installed model.

    It consists of the weights and the tokenizer files (as a hash), and the versions of the libraries that run
    the model.
    """
    place = _required(name)
    digest = hashlib.sha256(store.weights_hash(place).encode())
    for file in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja"):
        if (place / file).is_file():
            digest.update((place / file).read_bytes())
    return "|".join(
        [digest.hexdigest(), *(installed_version(package) for package in ("torch", "transformers"))]
    )


def _required(name: str) -> Path:
    """Return the directory of a model; if it is missing, raise ModelError with the way to use an endpoint."""
    try:
        return store.require(name)
    except ModelError as error:
        elsewhere = "base_url='http://localhost:8000/v1', or the environment variable NLGAUGE_JUDGE_URL"
        raise ModelError(
            f"{str(error).rstrip('.')}. A judge without base_url is a model on this machine; a judge at an"
            f" endpoint needs its address: {elsewhere}."
        ) from None


@dataclass(frozen=True)
class LocalJudge:
    """Causal language model that answers requests in this process."""

    model: ModelSpec
    options: RunOptions
    levels: tuple[str, ...]

    def answers(
        self, missing: list[tuple[int, Request, list[int]]], ledger: Ledger, keep: _Keep
    ) -> Iterator[tuple[int, dict[int, _Reply]]]:
        """Yield the missing samples of each row; some rows are processed at a time."""
        if isinstance(self.model, str):
            _required(self.model)
        loaded = load(self.model, "causal", self.options.device)
        for start in range(0, len(missing), _ROWS):
            part = missing[start : start + _ROWS]
            prompts = [prompt_tokens(loaded, request.messages) for _, request, _ in part]
            fits = [
                len(prompt) + request.max_tokens <= loaded.max_length
                for prompt, (_, request, _) in zip(prompts, part, strict=True)
            ]
            short = [
                i
                for i, (_, request, _) in enumerate(part)
                if fits[i] and request.top_tokens and request.max_tokens <= FIRST_TOKENS
            ]
            # If a blank is the likeliest first token, the level follows it, and more tokens must be generated.
            first = {
                i: reply
                for i, reply in zip(
                    short, self._next_tokens(loaded, [prompts[i] for i in short]), strict=True
                )
                if text_of(reply).strip()
            }
            for i, (row, request, indices) in enumerate(part):
                if not fits[i]:
                    why = (
                        f"{counted(len(prompts[i]), 'token')} of the prompt and {request.max_tokens} of the reply are more"
                        f" than the {loaded.max_length} tokens that {loaded.name} reads."
                    )
                    yield row, dict.fromkeys(indices, failed("too_long", why))
                    continue
                replies = (
                    dict.fromkeys(indices, first[i])
                    if i in first
                    else self._drawn(loaded, prompts[i], request, indices)
                )
                ledger.add("prompt_tokens", len(prompts[i]))
                ledger.add(
                    "reply_tokens", sum(reply["usage"]["completion_tokens"] for reply in replies.values())
                )
                ledger.add("requests")
                keep(row, replies)
                yield row, replies

    def _next_tokens(self, loaded: Loaded, prompts: list[tuple[int, ...]]) -> list[_Reply]:
        """Return replies of the likeliest token, with the probabilities of all tokens that can be a level."""
        replies: list[_Reply] = [{}] * len(prompts)
        candidates = level_tokens(loaded, self.levels)

        def take(numbers: Array, log_probabilities: Array) -> None:
            for number, row in zip(numbers.tolist(), log_probabilities, strict=True):
                token = int(row.argmax())
                replies[number] = _reply(
                    loaded, [token], [_alternatives(loaded, row, token, candidates)], "length"
                )

        log_probabilities_after(loaded, prompts, self.options, take)
        return replies

    def _drawn(
        self, loaded: Loaded, prompt: tuple[int, ...], request: Request, indices: list[int]
    ) -> dict[int, _Reply]:
        """Draw samples token by token, all samples of a prompt together."""
        seeded = int.from_bytes(hashlib.sha256(repr(prompt).encode()).digest()[:8], "big")
        generators = [np.random.default_rng([request.seed + index, seeded]) for index in indices]
        ends, candidates = _end_tokens(loaded), level_tokens(loaded, self.levels)
        texts: list[list[int]] = [[] for _ in indices]
        seen: list[list[Any]] = [[] for _ in indices]
        ended = [False] * len(indices)
        with inference() as torch:
            steps = _Steps(torch, loaded, prompt, len(indices))
            for _ in range(request.max_tokens):
                rows = steps.log_probabilities()
                tokens = [
                    _draw(row, request.temperature, request.top_p, rng)
                    for row, rng in zip(rows, generators, strict=True)
                ]
                for i, token in enumerate(tokens):
                    ended[i] |= token in ends
                    if not ended[i]:
                        texts[i].append(token)
                        seen[i].append(
                            _alternatives(loaded, rows[i], token, candidates) if request.top_tokens else None
                        )
                if all(ended):
                    break
                steps.append(tokens)
        return {
            index: _reply(
                loaded, texts[i], seen[i] if request.top_tokens else None, "stop" if ended[i] else "length"
            )
            for i, index in enumerate(indices)
        }


class _Steps:
    """Model that writes several texts after one prompt, one token at a time."""

    def __init__(self, torch: Any, loaded: Loaded, prompt: tuple[int, ...], count: int) -> None:
        self._torch, self._loaded, self._count = torch, loaded, count
        self._caches = is_transformer(loaded) and not getattr(loaded.model, "_is_stateful", False)
        self._ids = torch.tensor([prompt], device=loaded.device)
        self._past: Any = None
        self._read(self._ids)

    def log_probabilities(self) -> Array:
        """Return the log-probabilities of the next tokens, of shape (texts, vocabulary)."""
        rows: Array = self._next
        return rows

    def append(self, tokens: list[int]) -> None:
        """Add a token to every text."""
        new = self._torch.tensor(tokens, device=self._loaded.device)[:, None]
        self._ids = self._torch.cat([self._ids, new], dim=1)
        self._read(new if self._caches else self._ids)

    def _read(self, ids: Any) -> None:
        if self._caches:
            out = self._loaded.model(input_ids=ids, past_key_values=self._past, use_cache=True)
            first, self._past = self._past is None, out.past_key_values
        else:
            out, first = self._loaded.model(input_ids=ids), len(self._ids) == 1
        logits = out.logits[:, -1].float()
        if first and self._count > 1:
            logits = logits.expand(self._count, -1)
            self._ids = self._ids.expand(self._count, -1)
            if self._caches:
                self._past.batch_repeat_interleave(self._count)
        self._next = self._torch.log_softmax(logits, dim=1).double().cpu().numpy()


def prompt_tokens(loaded: Loaded, messages: tuple[Message, ...]) -> tuple[int, ...]:
    """Tokenize a conversation with the model's chat template.

    Without a template, the texts are joined with an empty line between them. The name of a control token
    within a text (such as <|im_end|>) is tokenized as ordinary text, so that it cannot end the text.
    """
    tokenizer = loaded.tokenizer
    start = () if getattr(tokenizer, "chat_template", None) else (loaded.start_token,)
    if not any(name in text for name in _control_tokens(tokenizer) for _, text in messages):
        return (*start, *tokenizer(_rendered(tokenizer, messages), add_special_tokens=False).input_ids)
    marked = tuple((role, f"\ue000{place}\ue000") for place, (role, _) in enumerate(messages))
    ids = list(start)
    for place, part in enumerate(re.split("\ue000(\\d+)\ue000", _rendered(tokenizer, marked))):
        text = messages[int(part)][1] if place % 2 else part
        ids += tokenizer(text, add_special_tokens=False, split_special_tokens=bool(place % 2)).input_ids
    return tuple(ids)


def _rendered(tokenizer: Any, messages: tuple[Message, ...]) -> str:
    if getattr(tokenizer, "chat_template", None):
        turns = [{"role": role, "content": text} for role, text in messages]
        return str(tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))
    return "\n\n".join(text for _, text in messages)


def _control_tokens(tokenizer: Any) -> list[str]:
    """List the control tokens, which texts must not contain as tokens."""
    return [
        str(token)
        for token in getattr(tokenizer, "added_tokens_decoder", {}).values()
        if getattr(token, "special", False)
    ]


def level_tokens(loaded: Loaded, levels: tuple[str, ...]) -> list[int]:
    """Return every token of the vocabulary that is a level when the blanks around it are removed."""
    words = {level.casefold() for level in levels}
    strings = loaded.made("token strings", lambda: token_strings(loaded, list(range(len(loaded.tokenizer)))))
    return loaded.made(
        ("levels", levels),
        lambda: [token for token, text in enumerate(strings) if text.strip().casefold() in words],
    )


def _alternatives(loaded: Loaded, row: Array, token: int, candidates: list[int]) -> dict[str, Any]:
    """Return a token with the likeliest alternatives and with all tokens that can be a level."""
    likeliest = np.argsort(-row, kind="stable")[:TOP_TOKENS].tolist()
    listed = [int(number) for number in dict.fromkeys([*likeliest, *candidates])]
    # Two tokens may have the same text. It gets the probability of both, because levels are looked up by text.
    together: dict[str, float] = {}
    for number, text in zip(listed, token_strings(loaded, listed), strict=True):
        together[text] = (
            float(np.logaddexp(together[text], row[number])) if text in together else float(row[number])
        )
    token_text = token_strings(loaded, [token])[0]
    return {
        "token": token_text,
        "logprob": together.get(token_text, float(row[token])),
        "top_logprobs": [{"token": t, "logprob": p} for t, p in together.items()],
    }


def _reply(loaded: Loaded, tokens: list[int], seen: list[Any] | None, finish: str) -> _Reply:
    text = loaded.tokenizer.decode(tokens, skip_special_tokens=True)
    choice: dict[str, Any] = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
    if seen is not None:
        choice["logprobs"] = {"content": seen}
    return {"choice": choice, "usage": {"completion_tokens": len(tokens)}}


def _draw(row: Array, temperature: float, top_p: float, rng: np.random.Generator) -> int:
    """Draw one token; the likeliest at temperature 0."""
    if temperature <= 0:
        return int(row.argmax())
    weights = np.exp((row - row.max()) / temperature)
    if top_p < 1:
        order = np.argsort(-weights, kind="stable")
        in_nucleus = np.cumsum(weights[order]) - weights[order] < top_p * weights.sum()
        weights[order[~in_nucleus]] = 0.0
    sums = np.cumsum(weights)
    return int(np.searchsorted(sums, rng.random() * sums[-1], side="right"))


def _end_tokens(loaded: Loaded) -> set[int]:
    """Return the tokens that end a reply."""
    settings = getattr(loaded.model, "generation_config", None)
    named = [getattr(settings, "eos_token_id", None), getattr(loaded.tokenizer, "eos_token_id", None)]
    return {
        int(token)
        for ids in named
        if ids is not None
        for token in (ids if isinstance(ids, list | tuple) else [ids])
    }
