"""What a causal language model says of a text after a prompt: the log-probability of each of its tokens.

A key is (prompt part, ..., text); every part is encoded by itself and nothing stands between them. Keys with the same prompt share one
pass over it, by its key-value cache; the vocabulary head is applied at scored positions only.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from nlgauge.columns import Ragged
from nlgauge.features import Feature, RunOptions
from nlgauge.features.batches import by_length
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, load_causal, torch_modules

_BATCH_TOKENS = 2048
_HEAD_POSITIONS = 512
# A prompt this short is cheaper to read again than to keep a cache of.
_SHORTEST_SHARED = 8


class TokenInformation(NamedTuple):
    """The text's tokens, their natural log-probabilities, and whether prompt or text had to be cut."""

    ids: Ragged
    log_probabilities: Ragged
    truncated: Ragged


@dataclass(frozen=True)
class LogProbs(Feature):
    """The log-probability of every token of a text, given the prompt before it and a start token before all."""

    model: ModelSpec

    def compute(self, keys: list[tuple[str, ...]], memory: dict[str, int], options: RunOptions) -> TokenInformation:
        loaded = load_causal(self.model, options.device)
        encoded = _encoded(loaded, list(dict.fromkeys(part for key in keys for part in key)))
        prompts, targets, cut = [], [], []
        for key in keys:
            prompt, target, was_cut = _fit([encoded[part] for part in key[:-1]], encoded[key[-1]], loaded.max_length)
            prompts.append((loaded.start_token, *prompt))
            targets.append(target)
            cut.append([int(was_cut)])
        found = _log_probabilities(loaded, prompts, targets, options)
        return TokenInformation(Ragged.of(targets), Ragged.of(found, dtype=np.float64), Ragged.of(cut))


def token_strings(spec: ModelSpec, ids: list[int], device: str | None = None) -> list[str]:
    """The tokens as people read them."""
    tokenizer = load_causal(spec, device).tokenizer
    return [tokenizer.decode([token]) for token in ids]


def _encoded(loaded: Loaded, texts: list[str]) -> dict[str, list[int]]:
    return {text: list(loaded.tokenizer(text, add_special_tokens=False, verbose=False).input_ids) if text else [] for text in texts}


def _fit(parts: list[list[int]], target: list[int], window: int) -> tuple[list[int], list[int], bool]:
    """Prompt and text cut to the window: first the end of the first prompt part (the summary), then the others, last the text."""
    kept = target[: window - 1]
    room = window - 1 - len(kept)
    later = [token for part in parts[1:] for token in part]
    first = parts[0] if parts else []
    prompt = (first[: max(0, room - len(later))] + later)[:room] if len(first) + len(later) > room else first + later
    return prompt, kept, len(kept) < len(target) or len(prompt) < len(first) + len(later)


def _log_probabilities(loaded: Loaded, prompts: list[tuple[int, ...]], targets: list[list[int]], options: RunOptions) -> list[Any]:
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for i, prompt in enumerate(prompts):
        groups[prompt].append(i)
    shares = _caches(loaded)
    shared = {prompt: members for prompt, members in groups.items() if shares and len(members) > 1 and len(prompt) > _SHORTEST_SHARED}
    found: list[Any] = [np.empty(0)] * len(prompts)
    alone = [i for prompt, members in groups.items() if prompt not in shared for i in members]
    run = _Run(loaded, options, found)
    run.batches([(i, list(prompts[i]), targets[i]) for i in alone], None)
    for prompt, members in shared.items():
        run.batches([(i, [prompt[-1]], targets[i]) for i in members], prompt[:-1])
    return found


@dataclass
class _Run:
    loaded: Loaded
    options: RunOptions
    found: list[Any]

    def batches(self, rows: list[tuple[int, list[int], list[int]]], prefix: tuple[int, ...] | None) -> None:
        """Scores rows of (number, tokens before, text), all of them after the same prefix where there is one."""
        torch = torch_modules("a language model")[1]
        rows = [row for row in rows if row[2]]
        if not rows:
            return
        with torch.inference_mode():
            cache = None
            if prefix:
                ids = torch.tensor([prefix], device=self.loaded.device)
                cache = self.loaded.model.base_model(input_ids=ids, use_cache=True).past_key_values
            lengths = [len(before) + len(text) for _, before, text in rows]
            for batch in by_length(lengths, self.options.batch_size, _BATCH_TOKENS, f"reading ({self.loaded.name})"):
                self._batch(torch, [rows[i] for i in batch], cache)

    def _batch(self, torch: Any, rows: list[tuple[int, list[int], list[int]]], cache: Any) -> None:
        # Padding stands on the right, where no real token can see it.
        longest = max(len(before) + len(text) for _, before, text in rows) - 1
        ids = torch.zeros((len(rows), longest), dtype=torch.long)
        batch: list[int] = []
        places: list[int] = []
        targets: list[int] = []
        for row, (_, before, text) in enumerate(rows):
            line = (before + text)[:-1]
            ids[row, : len(line)] = torch.tensor(line)
            batch += [row] * len(text)
            places += range(len(before) - 1, len(line))
            targets += text
        device = self.loaded.device
        if cache is not None:
            cache = copy.deepcopy(cache)
            cache.batch_repeat_interleave(len(rows))
        logits = _logits(self.loaded)(ids.to(device), cache)
        picked = torch.tensor(batch, device=device), torch.tensor(places, device=device)
        wanted = torch.tensor(targets, device=device)
        values = []
        for start in range(0, len(targets), _HEAD_POSITIONS):
            part = slice(start, start + _HEAD_POSITIONS)
            scores = logits(picked[0][part], picked[1][part]).float()
            values.append(scores.gather(1, wanted[part, None])[:, 0] - scores.logsumexp(dim=1))
        flat = torch.cat(values).double().cpu().numpy()
        start = 0
        for number, _, text in rows:
            self.found[number] = flat[start : start + len(text)]
            start += len(text)


def _caches(loaded: Loaded) -> bool:
    """Whether the model is one whose key-value cache can be shared between texts."""
    transformers = torch_modules("a language model")[0]
    return isinstance(loaded.model, transformers.PreTrainedModel) and not getattr(loaded.model, "_is_stateful", False)


@lru_cache(maxsize=4)
def _logits(loaded: Loaded) -> Callable[[Any, Any], Callable[[Any, Any], Any]]:
    """Reads a batch and returns the logits at chosen (row, place): through the head alone where that gives the model's own logits."""
    torch = torch_modules("a language model")[1]

    def everywhere(ids: Any, cache: Any) -> Callable[[Any, Any], Any]:
        logits = (loaded.model(input_ids=ids) if cache is None else loaded.model(input_ids=ids, past_key_values=cache)).logits
        return lambda rows, places: logits[rows, places]

    if not _caches(loaded):
        return everywhere
    head = loaded.model.get_output_embeddings()

    def chosen(ids: Any, cache: Any) -> Callable[[Any, Any], Any]:
        hidden = loaded.model.base_model(input_ids=ids, past_key_values=cache, use_cache=cache is not None)[0]
        return lambda rows, places: head(hidden[rows, places])

    # Some models scale or cap what their head gives; those must be read whole.
    probe = torch.tensor([[loaded.start_token, loaded.start_token]], device=loaded.device)
    where = torch.tensor([0, 0]), torch.tensor([0, 1])
    with torch.inference_mode():
        same = head is not None and torch.allclose(chosen(probe, None)(*where), everywhere(probe, None)(*where), atol=1e-4)
    return chosen if same else everywhere
