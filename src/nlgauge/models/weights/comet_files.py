"""Files of the COMET family: loading a directory, and the settings and weights of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from nlgauge.errors import ModelError
from nlgauge.models.networks.comet import HEAD, CometNetwork, CometSettings, Form

_ENCODER = "encoder.model."
_HEADS = (
    "layerwise_attention.scalar_parameters.",
    "layerwise_attention.gamma",
    "estimator.ff.",
    "hidden2tag.",
)
_FORMS: dict[str, Form] = {
    "regression_metric": "regression",
    "referenceless_regression_metric": "referenceless",
    "unified_metric": "unified",
    "xcomet_metric": "xcomet",
    "regression_metric_multi_ref": "lens",
}
# Defaults of the authors' program for settings that a checkpoint lacks.
_DEFAULTS: dict[str, dict[str, Any]] = {
    "unified": {"layer_transformation": "sparsemax", "word_layer": 24, "error_labels": ["minor", "major"]},
    "xcomet": {
        "layer_transformation": "sparsemax",
        "layer_norm": False,
        "word_layer": 36,
        "error_labels": ["minor", "major", "critical"],
    },
}
# Encoders that join texts by two end tokens; other encoders need token types, which are not implemented.
_JOINING = ("XLM-RoBERTa", "XLM-RoBERTa-XL", "MiniLM")


def read(directory: Path, device: str) -> tuple[CometNetwork, Any]:
    """Load the network and the tokenizer of a directory."""
    import torch
    import transformers
    from safetensors.torch import load_file

    try:
        settings = msgspec.convert(
            msgspec.json.decode((directory / "config.json").read_bytes()).get("comet"), CometSettings
        )
    except (OSError, msgspec.MsgspecError):
        raise ModelError(
            f"{directory} does not contain a model of the COMET family; convert a checkpoint with: nlgauge models"
            " convert FILE --as comet -o DIR"
        ) from None
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(directory, local_files_only=True)
        options = {
            "local_files_only": True,
            "use_safetensors": True,
            "dtype": torch.float32,
            "add_pooling_layer": False,
        }
        encoder, info = transformers.AutoModel.from_pretrained(directory, output_loading_info=True, **options)
        head = {name: tensor.float().to(device) for name, tensor in load_file(directory / HEAD).items()}
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"the model in {directory} cannot be loaded: {error}") from error
    if info["missing_keys"]:
        # Transformers has initialized these weights at random.
        raise ModelError(
            f"the encoder in {directory} is incomplete (missing:"
            f" {', '.join(sorted(info['missing_keys'])[:3])})."
        )
    return CometNetwork(encoder.eval().to(device), head, settings), tokenizer


def settings_of(hyper: Mapping[str, Any], declared: Mapping[str, Any]) -> CometSettings:
    """Return the settings of a network from its checkpoint's hyper-parameters and from hparams.yaml."""
    identifier = declared.get("class_identifier") or hyper.get("class_identifier")
    form = _FORMS.get(str(identifier))
    if form is None:
        raise ModelError(
            f"the class of this model is {identifier!r}, but must be one of {', '.join(_FORMS)}; it is the"
            " class_identifier in hparams.yaml, next to the file or in the directory above."
        )
    hyper = {**_DEFAULTS.get(form, {}), **hyper}
    if form == "lens":
        # LENS's program passes arguments in the wrong order: layers are normalized if `train_data` is set,
        # and the weights of the layers are a softmax.
        hyper = {**hyper, **declared, "layer_transformation": "softmax"}
        hyper["layer_norm"] = bool(hyper.get("train_data"))
    if declared.get("layer_transformation") == "sparsemax_patch":
        hyper = {**hyper, "layer_transformation": "softmax"}
    joint = form in ("unified", "xcomet")
    if joint and hyper.get("encoder_model", "XLM-RoBERTa") not in _JOINING:
        raise ModelError(
            f"a {form} model with the encoder {hyper['encoder_model']!r} is not supported; the encoder must be"
            f" one of {', '.join(_JOINING)}."
        )
    layer = hyper.get("sent_layer" if joint else "layer", "mix")
    labels = (hyper.get("error_labels") or ()) if form == "xcomet" or hyper.get("word_level_training") else ()
    settings = {
        "form": form,
        "layer": None if layer == "mix" else layer,
        "sparse": hyper.get("layer_transformation") == "sparsemax",
        "normalize": bool(hyper.get("layer_norm", True)),
        "pool": "cls" if joint else hyper.get("pool", "avg"),
        "activation": hyper.get("activations") or "Tanh",
        "final_activation": hyper.get("final_activation"),
        "labels": labels,
        "word_layer": hyper.get("word_layer", 0) if labels else 0,
    }
    try:
        return msgspec.convert(settings, CometSettings)
    except msgspec.ValidationError as error:
        raise ModelError(f"the hyper-parameters of this COMET model cannot be read: {error}") from None


def parts_of(state: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """Return the encoder's weights under its own names, the head's weights, and the names of the rest."""
    encoder = {
        name.removeprefix(_ENCODER): tensor for name, tensor in state.items() if name.startswith(_ENCODER)
    }
    encoder = {
        name: tensor
        for name, tensor in encoder.items()
        if not name.endswith(("position_ids", "token_type_ids")) and "pooler." not in name
    }
    head = {name: tensor for name, tensor in state.items() if name.startswith(_HEADS)}
    used = {_ENCODER + name for name in encoder} | set(head)
    return encoder, head, [name for name in state if name not in used]
