"""Loads encoders, language models and classifiers of pairs, once per process, ready to run: evaluation
mode, float32 on a CPU.
"""

from __future__ import annotations

import copy
import importlib
import logging
import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from nlgauge._core.lazy import lazy
from nlgauge._core.threads import pass_threads
from nlgauge.errors import MissingExtraError, ModelError, ParameterError
from nlgauge.models import Model, ModelSpec, model_name
from nlgauge.models.networks.align_layout import align_model
from nlgauge.models.networks.bleurt_layout import pieces_tokenizer
from nlgauge.models.networks.heads import missing_weights
from nlgauge.models.networks.prism_layout import dictionary_tokenizer
from nlgauge.models.registry import Registry
from nlgauge.models.weights import store
from nlgauge.models.weights.catalogue import Kind

Made = TypeVar("Made")
# How many models stay loaded when no run needs them.
_KEPT = 4
# Torch leaves this in the environment when Transformers imports its compiler; nothing of ours reads it.
_LEFT_BEHIND = "TORCHINDUCTOR_CACHE_DIR"
_CLASSES = {
    "encoder": "AutoModel",
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "pair": "AutoModelForSequenceClassification",
    "seq2seq": "AutoModelForSeq2SeqLM",
}
# What a model without weights for its head lacks, and what is needed instead.
_HEADS = {"pair": ("classification head", "a classifier of pairs of texts")}
# Tokenisers that treat the start of a text as the middle of a word unless told otherwise.
_PREFIX_SPACE = ("roberta", "gpt2", "longformer", "bart")


@dataclass(frozen=True, eq=False)
class Loaded:
    """A model with its tokeniser and what must be known to run it."""

    name: str
    model: Any
    tokenizer: Any
    device: str
    pooling_length: int | None = None
    _made: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)

    def made(self, what: Hashable, make: Callable[[], Made]) -> Made:
        """What is made of the model once, whoever asks first, and goes when the model goes: its halves,
        its first layers.
        """
        if what not in self._made:
            with _MODELS.lock.taken():
                if what not in self._made:
                    self._made[what] = make()
        found: Made = self._made[what]
        return found

    @lazy
    def max_length(self) -> int:
        """How many tokens fit, special ones included."""
        config = getattr(self.model, "config", None)
        positions = (
            getattr(config, "max_position_embeddings", None)
            or getattr(config, "n_positions", None)
            or 1_000_000
        )
        if getattr(config, "model_type", "") in ("roberta", "xlm-roberta", "camembert", "longformer"):
            positions -= 2  # positions that RoBERTa reserves
        known = getattr(self.tokenizer, "model_max_length", None) or 1_000_000
        return int(min(positions, known if known < 1_000_000 else positions))

    @lazy
    def start_token(self) -> int:
        """What stands before a plain text: the token that the tokeniser itself puts there, else
        end-of-text, else the start token.
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
        found = next((token for token in candidates if token is not None), None)
        if found is None:
            raise ModelError(
                f"the tokeniser of {self.name} has no start, end-of-text or end token; set"
                " tokenizer.bos_token."
            )
        return int(found)


_MODELS: Registry[Loaded] = Registry(_KEPT)


def held() -> AbstractContextManager[None]:
    """Keeps every model that is used meanwhile, so that a run loads each once; afterwards the last few stay.

    Runs may be nested or parallel.
    """
    return _MODELS.held()


def release() -> None:
    """Drops every loaded model."""
    _MODELS.clear()


def load(spec: ModelSpec, kind: Kind, device: str | None) -> Loaded:
    """Return a model of this kind; it is loaded once, and again only if its files change.

    The model of "align" has AlignScore's encoder `base_model` and its heads `tri_layer`, `bin_layer` and
    `reg_layer`; that of "comet" is a `comet.CometNetwork`.
    """
    # A directory may hold another model tomorrow, and a relative path mean another directory. A missing model
    # is reported before torch is imported.
    content = () if isinstance(spec, Model) else store.fingerprint(store.require(spec))
    where = device or _default_device()
    # Transformers patches torch while it loads: two at a time would see each other's patches.
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
            f"device must be one that torch can use here, got {device!r}: {str(error).splitlines()[0]}"
        ) from None
    if isinstance(spec, Model):
        if kind == "comet" and not hasattr(spec.model, "settings"):
            raise ModelError(
                f"the model {model_name(spec)!r} is not a network of the COMET family,"
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
    """Raise if a file of weights does not begin as safetensors does, or its header does not fit its size."""
    try:
        with importlib.import_module("safetensors").safe_open(file, framework="np"):
            return
    except Exception as error:  # the library has errors of its own
        raise ModelError(
            f"the model in {file.parent} cannot be loaded: {file.name} is damaged ({error}); fetch it again."
        ) from None


def _pooling_length(directory: Path) -> int | None:
    """How many tokens a sentence encoder was made to pool, by its own configuration."""
    path = directory / "sentence_bert_config.json"
    return msgspec.json.decode(path.read_bytes()).get("max_seq_length") if path.is_file() else None


def first_layers(model: Any, layer: int) -> Any:
    """The model without the layers above `layer`, sharing every weight with the original, which is
    untouched.
    """
    found = shortened = _shallow(model)
    for name in ("encoder", "transformer"):
        if hasattr(found, name) and not hasattr(found, "layers"):
            child = _shallow(getattr(found, name))
            found._modules[name] = child
            found = child
            break
    for name in ("layer", "layers", "block", "h"):
        if name in found._modules:
            if not 0 <= layer <= len(found._modules[name]):
                raise ModelError(
                    f"layer must be from 0 to {len(found._modules[name])} for this model, got {layer}."
                )
            found._modules[name] = found._modules[name][:layer]
            return shortened
    if hasattr(found, "albert_layer_groups"):
        found.config = copy.copy(found.config)
        found.config.num_hidden_layers = layer
        return shortened
    raise ModelError(
        f"the layers of a {type(model).__name__} are not known; use a BERT, RoBERTa, DistilBERT, XLM-R,"
        " ALBERT, DeBERTa or similar encoder."
    )


def with_activation(model: Any, name: str) -> Any:
    """The model with another activation function in its layers, sharing every weight with the original,
    which is untouched.
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
    """transformers and torch, or an error that says how to install them."""
    try:
        return importlib.import_module("transformers"), importlib.import_module("torch")
    except ImportError:
        raise MissingExtraError("torch and transformers", "models", purpose) from None


@contextmanager
def inference() -> Iterator[Any]:
    """torch, for a pass of a model: without gradients, and with NLGAUGE_THREADS threads where that is set."""
    torch = torch_modules("a model-based metric")[1]
    with pass_threads(torch), torch.inference_mode():
        yield torch


@contextmanager
def tidy_environment() -> Iterator[None]:
    """Takes away what torch puts into the environment meanwhile."""
    known = _LEFT_BEHIND in os.environ
    try:
        yield
    finally:
        if not known:
            os.environ.pop(_LEFT_BEHIND, None)


def _default_device() -> str:
    torch = torch_modules("a model-based metric")[1]
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


@contextmanager
def quiet() -> Iterator[None]:
    """Silences Transformers' loading bars and notes meanwhile; errors are raised as ever."""
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
