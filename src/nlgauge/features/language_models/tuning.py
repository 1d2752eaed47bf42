"""Guesses of a masked language model for a document after a short training on a summary; the loaded model
itself does not change.
"""

from __future__ import annotations

import copy
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nlgauge._core.locks import ForkedLock
from nlgauge._core.progress import report
from nlgauge._core.ragged import Array
from nlgauge.errors import ModelError
from nlgauge.features import Feature, Work
from nlgauge.features.language_models.cloze import (
    ClozeAnswers,
    ClozeReader,
    Hiding,
    Masked,
    answer_column,
    answers_to,
    likeliest_tokens,
    normal,
    seed_of,
    start_and_end,
    word_pieces,
)
from nlgauge.features.language_models.masked_lm import mask_token
from nlgauge.features.language_models.model_halves import halves, is_transformer
from nlgauge.models import ModelSpec
from nlgauge.models.loader import Loaded, load, tidy_environment, torch_modules
from nlgauge.models.torch_threads import pass_threads

# Drop-out draws from torch's one generator, so that two trainings at a time would disturb each other.
_TRAINING = ForkedLock()
_WEIGHT_DECAY = 0.01
# Token numbers that stand for another at random in a vocabulary as large as BERT's: below are unused ones and
# single characters.
_REPLACEMENTS = range(1000, 30_000)


@dataclass(frozen=True)
class Tuning:
    """Settings for the training of a model on a summary.

    The summary is cut into training pieces of `chunk` tokens, `stride` tokens apart, which are read `epochs`
    times with a rate that starts at `learning_rate`; a hidden token is replaced by another, or left
    unchanged, with the last two probabilities.
    """

    chunk: int
    stride: int
    epochs: int
    learning_rate: float
    p_token_replace: float
    p_token_original: float

    def training_examples(
        self, loaded: Loaded, summary: str, hiding: Hiding, rng: random.Random
    ) -> Iterator[tuple[Masked, tuple[int, ...]]]:
        """Return input texts, and the tokens to guess at their places."""
        pieces = word_pieces(loaded, normal(summary))
        chunk = min(self.chunk, loaded.max_length - 2)
        others = loaded.made("replacements", lambda: _replacements(loaded))
        first, last = start_and_end(loaded)
        for start in range(0, len(pieces.ids), self.stride):
            parts = [pieces.part(start, start + chunk)]
            if 0 < start < chunk:
                # The first tokens are in fewer training pieces than the rest.
                parts.append(pieces.part(0, start))
            for part in parts:
                for group in hiding.groups(part, rng):
                    ids = list(part.ids)
                    for place in group:
                        drawn = rng.random()
                        if drawn < self.p_token_replace:
                            ids[place] = others[rng.randrange(len(others))]
                        elif drawn >= self.p_token_replace + self.p_token_original:
                            ids[place] = mask_token(loaded)
                    yield (
                        Masked((first, *ids, last), tuple(1 + place for place in group)),
                        tuple(part.ids[place] for place in group),
                    )


@dataclass(frozen=True)
class TunedGuesses(Feature):
    """The guesses of a model for a document, untrained and trained on a summary; a key is (summary,
    document).
    """

    model: ModelSpec
    reader: ClozeReader
    tuning: Tuning

    def compute(self, keys: list[tuple[str, str]], work: Work) -> ClozeAnswers:
        loaded = load(self.model, "masked", work.options.device)
        if not is_transformer(loaded) or any(
            "quantized" in type(module).__module__ for module in loaded.model.modules()
        ):
            raise ModelError(
                f"{loaded.name} cannot be trained; use a masked language model of Transformers in full"
                " precision."
            )
        documents = self.reader.sentences(loaded, list(dict.fromkeys(document for _, document in keys)), work)
        clozes = {
            text: self.reader.cloze(loaded, sentences, None, work.options.seed)
            for text, sentences in documents.items()
        }
        inputs = {
            text: [question.without_summary for asked in cloze.questions for question in asked]
            for text, cloze in clozes.items()
        }
        untrained = likeliest_tokens(
            loaded, [masked for part in inputs.values() for masked in part], work.options
        )
        rows: dict[str, list[int]] = defaultdict(list)
        for row, (summary, _) in enumerate(keys):
            rows[summary].append(row)
        found: dict[int, tuple[Array, ...]] = {}
        # A separate copy for this call, so that no other thread trains it.
        tuned = replace(loaded, model=copy.deepcopy(loaded.model))
        for done, (summary, places) in enumerate(rows.items()):
            report(f"tuning ({loaded.name})", done, len(rows))
            self._tune(tuned, loaded, summary, seed_of(work.options.seed, summary))
            trained = likeliest_tokens(
                tuned, [masked for row in places for masked in inputs[keys[row][1]]], work.options
            )
            found |= {row: answers_to(clozes[keys[row][1]], untrained, trained) for row in places}
        return answer_column(found)

    def _tune(self, tuned: Loaded, loaded: Loaded, summary: str, seed: int) -> None:
        """Train the copy `tuned` on the summary, from the original's weights: AdamW with a rate that falls to
        0, one input per step, drop-out on.
        """
        torch = torch_modules("tuning a masked language model")[1]
        model, (body, head) = tuned.model, halves(tuned)
        model.load_state_dict(loaded.model.state_dict())
        rng = random.Random(seed)  # noqa: S311
        examples = list(self.tuning.training_examples(loaded, summary, self.reader.hiding, rng))
        with tidy_environment():
            optimizer = torch.optim.AdamW(_parameters(model), lr=self.tuning.learning_rate, eps=1e-8)
        steps = len(examples) * self.tuning.epochs
        forked = range(torch.cuda.device_count()) if torch.device(loaded.device).type == "cuda" else []
        with (
            _TRAINING.taken(),
            pass_threads(torch),
            torch.random.fork_rng(devices=forked),
            torch.enable_grad(),
        ):
            torch.manual_seed(seed)
            model.train()
            for step in range(steps):
                masked, expected = examples[step % len(examples)]
                for group in optimizer.param_groups:
                    group["lr"] = self.tuning.learning_rate * (steps - step) / steps
                optimizer.zero_grad()
                ids = torch.tensor([masked.ids], device=loaded.device)
                states = body(input_ids=ids, attention_mask=torch.ones_like(ids))[0, list(masked.places)]
                torch.nn.functional.cross_entropy(
                    head(states), torch.tensor(expected, device=loaded.device)
                ).backward()
                optimizer.step()
            optimizer.zero_grad()
            model.eval()


def _parameters(model: Any) -> list[dict[str, Any]]:
    """Return the weights that decay, then the weights that do not: biases and normalization."""
    named = list(model.named_parameters())
    plain = [parameter for name, parameter in named if not ("bias" in name or "norm" in name.lower())]
    kept = [parameter for name, parameter in named if "bias" in name or "norm" in name.lower()]
    return [{"params": plain, "weight_decay": _WEIGHT_DECAY}, {"params": kept, "weight_decay": 0.0}]


def _replacements(loaded: Loaded) -> Sequence[int]:
    size = int(loaded.model.config.vocab_size)
    if size >= _REPLACEMENTS.stop:
        return _REPLACEMENTS
    return [token for token in range(size) if token not in loaded.tokenizer.all_special_ids]
