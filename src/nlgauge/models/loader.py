"""Loader of encoders, language models and classifiers of pairs.

Each model is loaded once per process, in evaluation mode and as float32.
"""

from __future__ import annotations

import copy
import importlib
import logging
import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from nlgauge._core.lazy import lazy
from nlgauge.errors import MissingExtraError, ModelError, ParameterError
from nlgauge.models import Model, ModelSpec, model_name
from nlgauge.models.networks.align_layout import align_model
from nlgauge.models.networks.bleurt_layout import pieces_tokenizer
from nlgauge.models.networks.heads import missing_weights
from nlgauge.models.networks.prism_layout import dictionary_tokenizer
from nlgauge.models.registry import MODELS, Registry
from nlgauge.models.torch_threads import pass_threads
from nlgauge.models.weights import store
from nlgauge.models.weights.catalog import Kind

Made = TypeVar("Made")
# Torch sets this variable when Transformers imports its compiler; nlgauge does not read it.
_LEFT_BEHIND = "TORCHINDUCTOR_CACHE_DIR"
_CLASSES = {
    "encoder": "AutoModel",
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "pair": "AutoModelForSequenceClassification",
    "seq2seq": "AutoModelForSeq2SeqLM",
}
# For the error about missing weights of a head: the name of the head, and the model that is needed instead.
_HEADS = {"pair": ("classification head", "a classifier of pairs of texts")}
# Models whose tokenizers treat the start of a text as the middle of a word, unless add_prefix_space is set.
_PREFIX_SPACE = ("roberta", "gpt2", "longformer", "bart")


@dataclass(frozen=True, eq=False)
class Loaded:
    """A loaded model with its tokenizer, its device, and the number of tokens to pool."""

    name: str
    model: Any
    tokenizer: Any
    device: str
    pooling_length: int | None = None
    _made: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def made(self, what: Hashable, make: Callable[[], Made]) -> Made:
        """Return `make()` for the key `what`; it is computed once and freed together with the model.

        This is for objects that are derived from the model, such as its halves or its first layers.
        """
        if what not in self._made:
            with _MODELS.lock.taken():
                if what not in self._made:
                    self._made[what] = make()
        item: Made = self._made[what]
        return item

    @lazy
    def max_length(self) -> int:
        """The maximum number of tokens of an input, including special tokens."""
        config = getattr(self.model, "config", None)
        positions = (
            getattr(config, "max_position_embeddings", None)
            or getattr(config, "n_positions", None)
            or 1_000_000
        )
        if getattr(config, "model_type", "") in ("roberta", "xlm-roberta", "camembert", "longformer"):
            positions -= 2  # positions that RoBERTa reserves
        limit = getattr(self.tokenizer, "model_max_length", None) or 1_000_000
        return int(min(positions, limit if limit < 1_000_000 else positions))

    @lazy
    def start_token(self) -> int:
        """The token that precedes a plain text.

        It is the first token that the tokenizer adds to an empty text, or else the token "<|endoftext|>", or
        else the start token, or else the end token.
        """
        added = list(self.tokenizer("").input_ids)
        if added:
            return int(added[0])
        vocabulary = self.tokenizer.get_vocab() if hasattr(self.tokenizer, "get_vocab") else {}
        candidates = (
            vocabulary.get("<|endoftext|>"),
            getattr(self.tokenizer, "bos_token_id", None),
            getattr(self.tokenizer, "eos_token_id", None),
        )
        start = next((token for token in candidates if token is not None), None)
        if start is None:
            raise ModelError(
                f"the tokenizer of {self.name} has no start, end-of-text or end token; set"
                " tokenizer.bos_token."
            )
        return int(start)


_MODELS: Registry[Loaded] = MODELS


def release() -> None:
    """Drop all loaded models."""
    _MODELS.clear()


def load(spec: ModelSpec, kind: Kind, device: str | None) -> Loaded:
    """Return a model of this kind; it is loaded once, and again only if its files change.

    For "align", the model has AlignScore's encoder `base_model` and its heads `tri_layer`, `bin_layer` and
    `reg_layer`. For "comet", the model is a `comet.CometNetwork`.
    """
    # The fingerprint is part of the key, because the content of a directory may change and a relative path
    # may mean another directory later. A missing model is reported before torch is imported.
    content = () if isinstance(spec, Model) else store.fingerprint(store.require_network(spec))
    where = device or _default_device()
    # The registry loads one model at a time, because Transformers patches torch while it loads.
    loaded = _MODELS.get((spec, content, kind, where), lambda: _tidily_loaded(spec, kind, where))
    is_encoder_decoder = getattr(getattr(loaded.model, "config", None), "is_encoder_decoder", False)
    if kind == "seq2seq" and not is_encoder_decoder:
        raise ModelError(
            f"the model {loaded.name} has no encoder and decoder; a sequence-to-sequence model such as BART or"
            " T5 is needed."
        )
    return loaded


def _tidily_loaded(spec: ModelSpec, kind: Kind, device: str) -> Loaded:
    with tidy_environment():
        return _loaded(spec, kind, device)


def _loaded(spec: ModelSpec, kind: Kind, device: str) -> Loaded:
    transformers, torch = torch_modules(f"the model {model_name(spec)!r}")
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ParameterError(
            f"torch cannot use the device {device!r} on this machine ({str(error).splitlines()[0]}); choose another"
            " device, such as cpu."
        ) from None
    if isinstance(spec, Model):
        if kind == "comet" and not hasattr(spec.model, "settings"):
            raise ModelError(
                f"the model {model_name(spec)!r} is not a network of the COMET family; use a"
                " nlgauge.models.networks.comet.CometNetwork."
            )
        if hasattr(spec.model, "eval") and getattr(spec.model, "training", False):
            raise ModelError(
                f"the model {model_name(spec)!r} is in training mode, which makes scores random; call"
                " model.eval() first."
            )
        return Loaded(model_name(spec), spec.model, spec.tokenizer, device)
    directory = store.require(spec)
    for file in store.weight_files(directory):
        check_header(file)
    if kind == "comet":
        from nlgauge.models.weights.comet_files import read

        with quiet():
            network, tokenizer = read(directory, device)
        return Loaded(spec, network, tokenizer, device)
    try:
        config = transformers.AutoConfig.from_pretrained(directory, local_files_only=True)
        prefix = (
            {"add_prefix_space": True} if kind == "encoder" and config.model_type in _PREFIX_SPACE else {}
        )
        with quiet():
            tokenizer = dictionary_tokenizer(directory) or pieces_tokenizer(directory)
            if tokenizer is None:
                tokenizer = transformers.AutoTokenizer.from_pretrained(
                    directory, local_files_only=True, **prefix
                )
            if kind == "align":
                return Loaded(spec, align_model(directory, config).eval().to(device), tokenizer, device)
            model, info = getattr(transformers, _CLASSES[kind]).from_pretrained(
                directory,
                local_files_only=True,
                use_safetensors=True,
                dtype=torch.float32,
                output_loading_info=True,
            )
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"the model in {directory} cannot be loaded: {error}") from error
    missing = (
        ", ".join(missing_weights(model, info["missing_keys"], directory)[:3]) if kind != "encoder" else ""
    )
    if missing:
        head, needed = _HEADS.get(kind, ("head over the vocabulary", "a language model"))
        raise ModelError(f"the model in {directory} has no {head} (missing: {missing}); {needed} is needed.")
    return Loaded(spec, model.eval().to(device), tokenizer, device, _pooling_length(directory))


def check_header(file: Path) -> None:
    """Raise ModelError if a file of weights is not safetensors, or if its header does not fit its size."""
    try:
        with importlib.import_module("safetensors").safe_open(file, framework="np"):
            return
    except Exception as error:  # the library has its own error classes
        raise ModelError(
            f"the model in {file.parent} cannot be loaded: {file.name} is damaged ({error}); download it again."
        ) from None


def _pooling_length(directory: Path) -> int | None:
    """Return the number of tokens that a sentence encoder pools, from its configuration file."""
    path = directory / "sentence_bert_config.json"
    return msgspec.json.decode(path.read_bytes()).get("max_seq_length") if path.is_file() else None


def first_layers(model: Any, layer: int) -> Any:
    """Return the model without the layers above `layer`; it shares all weights with the original.

    The original does not change.
    """
    stack = shortened = _shallow(model)
    for name in ("encoder", "transformer"):
        if hasattr(stack, name) and not hasattr(stack, "layers"):
            child = _shallow(getattr(stack, name))
            stack._modules[name] = child
            stack = child
            break
    for name in ("layer", "layers", "block", "h"):
        if name in stack._modules:
            if not 0 <= layer <= len(stack._modules[name]):
                raise ModelError(
                    f"layer must be from 0 to {len(stack._modules[name])} for this model, got {layer}."
                )
            stack._modules[name] = stack._modules[name][:layer]
            return shortened
    if hasattr(stack, "albert_layer_groups"):
        stack.config = copy.copy(stack.config)
        stack.config.num_hidden_layers = layer
        return shortened
    raise ModelError(
        f"cannot find the layers of a {type(model).__name__}; use a BERT, RoBERTa, DistilBERT, XLM-R,"
        " ALBERT, DeBERTa or similar encoder."
    )


def with_activation(model: Any, name: str) -> Any:
    """Return the model with another activation function; it shares all weights with the original.

    The original does not change.
    """
    from transformers.activations import ACT2FN

    changed = copy.deepcopy(model, {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers())})
    layers = [module for module in changed.modules() if hasattr(module, "intermediate_act_fn")]
    if not layers:
        raise ModelError(
            f"the activation function of a {type(model).__name__} cannot be changed; use a BERT or RemBERT model."
        )
    for layer in layers:
        layer.intermediate_act_fn = ACT2FN[name]
    return changed


def _shallow(module: Any) -> Any:
    clone = copy.copy(module)
    clone._modules = dict(module._modules)
    return clone


def torch_modules(purpose: str) -> tuple[Any, Any]:
    """Return the modules transformers and torch; raise MissingExtraError if they are not installed."""
    try:
        return importlib.import_module("transformers"), importlib.import_module("torch")
    except ImportError:
        raise MissingExtraError("torch and transformers", "models", purpose) from None


@contextmanager
def inference() -> Iterator[Any]:
    """Yield torch for forward passes without gradients, with NLGAUGE_THREADS threads if it is set."""
    torch = torch_modules("a model-based metric")[1]
    with pass_threads(torch), torch.inference_mode():
        yield torch


@contextmanager
def tidy_environment() -> Iterator[None]:
    """Remove the environment variable that torch sets inside the block."""
    was_set = _LEFT_BEHIND in os.environ
    try:
        yield
    finally:
        if not was_set:
            os.environ.pop(_LEFT_BEHIND, None)


def _default_device() -> str:
    torch = torch_modules("a model-based metric")[1]
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the progress bars and messages of Transformers inside the block; errors are still raised."""
    logs = importlib.import_module("transformers.utils.logging")
    shown, level = logs.is_progress_bar_enabled(), logs.get_verbosity()
    logs.disable_progress_bar()
    logs.set_verbosity(logging.ERROR)
    try:
        yield
    finally:
        logs.set_verbosity(level)
        if shown:
            logs.enable_progress_bar()
