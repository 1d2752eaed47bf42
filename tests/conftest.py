"""What all tests share: Hypothesis' settings, tiny random models."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from strategies import SENTENCES

from nlgauge.kernels import backend
from nlgauge.metric import REGISTERED
from nlgauge.metric.registry import metric_classes

os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Tiny models and several test processes on few cores: more threads would only wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

PHASES = [Phase.explicit, Phase.generate, Phase.shrink]
settings.register_profile(
    "nlgauge", deadline=None, max_examples=60, derandomize=True, suppress_health_check=[HealthCheck.too_slow], database=None, phases=PHASES
)
settings.register_profile("thorough", settings.get_profile("nlgauge"), max_examples=2000, derandomize=False)
settings.load_profile("nlgauge")


@pytest.fixture(scope="module", params=["python", "native"])
def both_kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs the tests of a module with plain and with compiled kernels."""
    if request.param == "native" and backend.NATIVE is None:
        pytest.skip("nothing was compiled")
    with backend.using(request.param):
        yield


@pytest.fixture
def registered() -> Iterator[None]:
    """Forgets, after the test, the metrics that it registered."""
    metric_classes()  # now: what is loaded within the test alone would be forgotten with it
    classes, aliases = dict(REGISTERED.classes), dict(REGISTERED.aliases)
    yield
    REGISTERED.classes, REGISTERED.aliases = classes, aliases


VOCABULARY = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    *"abcdefghijklmnopqrstuvwxyz0123456789.,!?'-",
    "the",
    "cat",
    "sat",
    "on",
    "mat",
    "##s",
    "##ing",
]
VOCABULARY += [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789"]


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Directories of random models by catalogue kind ("encoder", "masked", "causal"), and another of each ("other encoder", ...)."""
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    place = tmp_path_factory.mktemp("models")
    found = {}
    with torch.random.fork_rng(devices=[]):
        for seed, prefix in ((1, ""), (2, "other ")):
            torch.manual_seed(seed)
            for kind, make in (("encoder", _bert), ("masked", _bert), ("causal", _gpt2)):
                found[prefix + kind] = place / f"{kind}-{seed}"
                model, tokenizer = make(transformers, kind)
                model.eval().save_pretrained(found[prefix + kind])
                tokenizer.save_pretrained(found[prefix + kind])
    return found


def _bert(transformers: ModuleType, kind: str) -> tuple[Any, Any]:
    tokenizer = transformers.BertTokenizerFast(vocab={token: i for i, token in enumerate(VOCABULARY)}, model_max_length=128)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": 128}
    config = transformers.BertConfig(vocab_size=len(VOCABULARY), initializer_range=0.5, **sizes)
    return (transformers.BertForMaskedLM if kind == "masked" else transformers.BertModel)(config), tokenizer


def _gpt2(transformers: ModuleType, kind: str) -> tuple[Any, Any]:
    from tokenizers import ByteLevelBPETokenizer

    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        [text for prediction, references in SENTENCES for text in (prediction, *references)], vocab_size=400, special_tokens=["<|endoftext|>"]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=trained._tokenizer, bos_token="<|endoftext|>", eos_token="<|endoftext|>")
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer), n_embd=32, n_layer=2, n_head=2, n_positions=128, initializer_range=0.3, bos_token_id=0, eos_token_id=0
    )
    return transformers.GPT2LMHeadModel(config), tokenizer
