"""A random RoBERTa with AlignScore's three heads, as `nlgauge models convert --as align` writes one."""

from __future__ import annotations

from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file
from strategies import SENTENCES


def write(directory: Path, seed: int) -> None:
    from tokenizers import ByteLevelBPETokenizer

    trained = ByteLevelBPETokenizer()
    texts = [text for prediction, references in SENTENCES for text in (prediction, *references)]
    trained.train_from_iterator(
        texts, vocab_size=400, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    )
    directory.mkdir()
    trained.save_model(str(directory))
    transformers.RobertaTokenizer.from_pretrained(str(directory), model_max_length=128).save_pretrained(
        directory
    )
    sizes = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 130,
    }
    config = transformers.RobertaConfig(
        vocab_size=400,
        type_vocab_size=1,
        initializer_range=0.3,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
        **sizes,
    )
    config.save_pretrained(directory)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        state = {
            f"base_model.{name}": tensor
            for name, tensor in transformers.RobertaModel(config).state_dict().items()
        }
        for head, size in (("tri", 3), ("bin", 2), ("reg", 1)):
            state |= {f"{head}_layer.weight": torch.randn(size, 32), f"{head}_layer.bias": torch.randn(size)}
    save_file({name: tensor.contiguous() for name, tensor in state.items()}, directory / "model.safetensors")
