"""PRISM against the authors' scorer on fairseq, its layout, its tokens, and other models with tags of
languages.
"""

from __future__ import annotations

import math
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from segment_rows import rows_by_label
from tiny import prism as tiny_prism
from tiny.closed_form import fill
from tiny.seq2seq import SPECIALS

import nlgauge
from nlgauge.errors import ModelError, ParameterError
from nlgauge.metrics.prism import Prism
from nlgauge.metrics.unieval import UniEval
from nlgauge.models.loader import load
from nlgauge.models.networks.prism_layout import converted
from nlgauge.models.weights import fetch, store
from nlgauge.models.weights.convert import convert

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

MODEL_KIND = "prism"
CHANGED_PARAMETERS = {"given": "source", "lang": "de", "source_lang": "de"}
JUDGED = True
PREDICTIONS = [
    "The cat is sitting on the mat.",
    "The minister met the president on Tuesday.",
    "Shares fell 3.5% in early trading , traders said .",
]
REFERENCES = ["The cat sat on the mat.", "On Tuesday, the minister met with the president.", "Well!"]
SOURCES = ["It costs $1,234.56 (about 20% more).", "Nothing was said here.", "He said it won't happen again."]
# Made by SequenceScorer of github.com/thompsonb/prism at 42e45a4 and TransformerModel and Dictionary of
# fairseq 0.12.2 on the weights of tests/tiny/prism.py with seed 1, the first score of each text (that of its
# tag) left out; by (normalization first, language).
OFFICIAL = {
    (True, "en"): {
        "precision": [-5.54758882522583, -5.493810176849365, -5.698425769805908],
        "recall": [-5.613582611083984, -5.145102500915527, -5.3124847412109375],
        "source": [-5.394991874694824, -5.895953178405762, -5.238674640655518],
    },
    (True, "de"): {
        "precision": [-5.514834880828857, -5.477243900299072, -5.6282501220703125],
        "recall": [-5.523599624633789, -5.106780052185059, -5.176014423370361],
        "source": [-5.400225639343262, -5.897572040557861, -5.212543964385986],
    },
    (False, "en"): {
        "precision": [-5.49572229385376, -4.726067066192627, -5.678593635559082],
        "recall": [-5.5584025382995605, -5.603246212005615, -5.229598045349121],
        "source": [-5.305196285247803, -4.680880546569824, -5.90000581741333],
    },
    (False, "de"): {
        "precision": [-5.49579381942749, -4.723947048187256, -5.656109809875488],
        "recall": [-5.584909439086914, -5.614690780639648, -5.195740699768066],
        "source": [-5.325002193450928, -4.70314884185791, -5.886947154998779],
    },
}


@pytest.fixture(scope="module")
def places(tiny_models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    """The two layouts: normalization before each block, which is an M2M100, and after it, an FSMT."""
    after = tmp_path_factory.mktemp("fsmt")
    tiny_prism.write(after, 1, first=False)
    return {True: tiny_models["prism"], False: after}


def segments(metric: Prism, *texts: Any, output: str = "", **options: Any) -> list[float]:
    result = nlgauge.score(*texts, metrics=metric, **options)
    return [row[result.labels[0] + output] for row in rows_by_label(result)]


@pytest.mark.parametrize(("first", "lang"), OFFICIAL)
def test_equals_the_authors_program(first: bool, lang: str, places: dict[bool, Path]) -> None:
    wanted = OFFICIAL[first, lang]
    metric = Prism(str(places[first]), lang=lang)
    for direction in ("precision", "recall"):
        assert segments(metric, PREDICTIONS, REFERENCES, output=f".{direction}") == pytest.approx(
            wanted[direction], abs=1e-5
        )
    assert segments(metric, PREDICTIONS, REFERENCES) == pytest.approx(
        np.mean([wanted["precision"], wanted["recall"]], axis=0), abs=1e-5
    )
    assert segments(Prism(metric.model, "source", lang), PREDICTIONS, None, SOURCES) == pytest.approx(
        wanted["source"], abs=1e-5
    )


def test_the_language_is_that_of_the_corpus(places: dict[bool, Path]) -> None:
    found = segments(Prism(str(places[True]), "source"), PREDICTIONS, None, SOURCES, lang="de")
    assert found == pytest.approx(OFFICIAL[True, "de"]["source"], abs=1e-5)
    with pytest.raises(ParameterError, match=r"language.*'fr'"):
        segments(Prism(str(places[True]), lang="fr"), PREDICTIONS, REFERENCES)


def test_an_empty_reference_has_no_score_and_long_texts_are_cut(places: dict[bool, Path]) -> None:
    metric = Prism(str(places[True]))
    found = segments(metric, ["", PREDICTIONS[0], PREDICTIONS[0] * 20], [REFERENCES[0], "", REFERENCES[0]])
    assert [math.isnan(value) for value in found] == [False, True, False]
    # The checkpoint was trained with 128 positions; the authors' program reads 2,000 all the same.
    long = [PREDICTIONS[0], PREDICTIONS[0] * 20, PREDICTIONS[0] * 150]
    result = nlgauge.score(long, [REFERENCES[0]] * 3, metrics=metric)
    assert [row[f"{result.labels[0]}.truncated"] for row in rows_by_label(result)] == [0, 0, 1]
    # Of the 2,000 places the tag of the language takes one.
    assert len(result.explain(result.labels[0], segment=2)[0].tokens) == 1999


def test_tokens_are_numbered_by_the_dictionary(places: dict[bool, Path]) -> None:
    tokenizer = load(str(places[True]), "seq2seq", "cpu").tokenizer
    lines = (places[True] / "dict.src.txt").read_text("utf-8").splitlines()
    ids = tokenizer(PREDICTIONS[0]).input_ids
    assert ids[-1] == 2 and tokenizer(PREDICTIONS[0], add_special_tokens=False).input_ids == ids[:-1]
    assert [lines[i - 4].rsplit(" ", 1)[0] for i in ids[:-1] if i != 3] == [
        piece
        for piece in tokenizer._pieces.encode(PREDICTIONS[0], out_type=str)
        if any(line.startswith(piece + " ") for line in lines)
    ]
    assert tokenizer.decode(ids[:-1]).strip() == PREDICTIONS[0]
    assert tokenizer("世界", add_special_tokens=False).input_ids[-1] == 3
    with pytest.raises(ParameterError, match=r"'Yes'.*token"):
        nlgauge.score(["a"], ["a"], ["a"], metrics=UniEval(str(places[True])))


def test_other_checkpoints_are_refused() -> None:
    state = tiny_prism.state_of(60, 1, True)
    both = {"encoder_normalize_before": True, "decoder_normalize_before": True}
    given = {**tiny_prism.ARGS, **both}
    weights, config = converted(state, {"cfg": {"model": given}})
    assert config["model_type"] == "m2m_100" and config["vocab_size"] == 60
    assert not [name for name in weights if "version" in name or "_float_tensor" in name]
    for changed, message in (
        ({"decoder_normalize_before": False}, "one half"),
        ({"encoder_learned_pos": True}, "encoder_learned_pos"),
    ):
        with pytest.raises(ModelError, match=message):
            converted(state, {**given, **changed})
    with pytest.raises(ModelError, match="early version"):
        converted({name: values for name, values in state.items() if name != "decoder.version"}, given)
    with pytest.raises(ModelError, match="head of this checkpoint"):
        converted(
            {**state, "decoder.output_projection.weight": state["encoder.embed_tokens.weight"] + 1}, given
        )


def test_a_checkpoint_of_fairseq_is_converted(tmp_path: Path) -> None:
    """As PRISM's is: the options in an argparse.Namespace, which plain torch refuses, the tokens beside
    the file.
    """
    size = tiny_prism.pieces(tmp_path)
    args = Namespace(**tiny_prism.ARGS, encoder_normalize_before=True, decoder_normalize_before=True)
    torch.save(
        {"args": args, "model": tiny_prism.state_of(size, 1, True), "extra_state": {"epoch": 3}},
        tmp_path / "checkpoint.pt",
    )
    place = convert(tmp_path / "checkpoint.pt", "prism", tmp_path / "made").place
    assert segments(Prism(str(place)), PREDICTIONS, REFERENCES, output=".recall") == pytest.approx(
        OFFICIAL[True, "en"]["recall"], abs=1e-5
    )
    (tmp_path / "spm.model").unlink()
    with pytest.raises(ModelError, match=r"prism.*spm.model"):
        convert(tmp_path / "checkpoint.pt", "prism", tmp_path / "other")


@pytest.mark.usefixtures("tiny_models")
def test_the_default_model_is_fetched_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path))
    for call in (lambda: store.require("prism"), lambda: fetch.get("prism", hub=True)):
        with pytest.raises(
            ModelError,
            match=(r"3 GB.*MIT.*m39v1.tar.*m39v1/checkpoint.pt --as"),
        ):
            call()
    assert "m39v1.tar" in store.info("prism")["location"]


def test_a_model_that_is_told_what_it_reads(tmp_path: Path) -> None:
    """M2M100 with its own tokenizer: a tag before the source too, given by name; the definition by
    Transformers' own pass.
    """
    from tokenizers import ByteLevelBPETokenizer
    from tokenizers.processors import TemplateProcessing

    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        [*PREDICTIONS, *REFERENCES], vocab_size=350, special_tokens=[*SPECIALS, "__en__", "__de__"]
    )
    trained._tokenizer.post_processor = TemplateProcessing(
        single="__en__ $A </s>", special_tokens=[("__en__", 5), ("</s>", 2)]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer, eos_token="</s>", pad_token="<pad>", unk_token="<unk>"
    )
    sizes = {
        f"{side}_{what}": size
        for side in ("encoder", "decoder")
        for what, size in (("layers", 1), ("attention_heads", 2), ("ffn_dim", 64))
    }
    model = fill(
        transformers.M2M100ForConditionalGeneration(
            transformers.M2M100Config(vocab_size=len(tokenizer), d_model=32, **sizes)
        ),
        1,
    )
    given = nlgauge.Model(model, tokenizer, "m2m")

    def definition(source: str, target: str, tags: tuple[int, int]) -> float:
        source_ids, ids = (
            [*tokenizer(text, add_special_tokens=False).input_ids, 2] for text in (source, target)
        )
        inputs = torch.tensor([[tags[0], *source_ids]]), torch.tensor([[2, tags[1], *ids[:-1]]])
        logits = (
            model(input_ids=inputs[0], decoder_input_ids=inputs[1], use_cache=False)
            .logits[0, 1:]
            .detach()
            .log_softmax(1)
        )
        return float(logits[range(len(ids)), ids].mean())

    found = segments(Prism(given, "source", "de", "en"), PREDICTIONS, None, SOURCES)
    assert found == pytest.approx(
        [definition(s, h, (5, 6)) for h, s in zip(PREDICTIONS, SOURCES, strict=True)], abs=1e-5
    )
    precision = segments(Prism(given, lang="de"), PREDICTIONS, REFERENCES, output=".precision")
    assert precision == pytest.approx(
        [definition(r, h, (6, 6)) for h, r in zip(PREDICTIONS, REFERENCES, strict=True)], abs=1e-5
    )
    with pytest.raises(ParameterError, match=r"language.*source_lang"):
        segments(Prism(given, "source"), PREDICTIONS, None, SOURCES)
