"""The two sides of the benchmarks of metrics that need a model."""

from __future__ import annotations

import atexit
import importlib
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.sides import Numbers, Prepare
from benchmarks.workloads import Workload


def ours_shannon(workload: Workload) -> Callable[[], Numbers]:
    """Our Shannon Score of each summary."""
    import nlgauge

    scorer = nlgauge.Scorer(["shannon"])

    def call(texts: Workload) -> Numbers:
        rows = scorer(texts.predictions, sources=texts.sources).segments("records")
        return {f"summary {i}": row["shannon"] for i, row in enumerate(rows, 1)}

    call(Workload("warm-up", {"peer": ["A cat."]}, [["A cat."]], ["It is a cat."]))
    return lambda: call(workload)


def bert_score(workload: Workload) -> Callable[[], Numbers]:
    """bert-score on the same local weights."""
    from bert_score import BERTScorer

    from nlgauge.models.store import location

    scorer = BERTScorer(model_type=str(location("minilm")), num_layers=6, device="cpu")

    def call(texts: Workload) -> Numbers:
        found = scorer.score(texts.predictions, texts.references)
        return {name: float(values.double().mean()) for name, values in zip(("precision", "recall", "f1"), found, strict=True)}

    call(workload.first(2))
    return lambda: call(workload)


def blanc_shannon(workload: Workload) -> Callable[[], Numbers]:
    """blanc's Shannon class on the same weights and the same sentences."""
    from benchmarks.blanc_shim import shannon
    from nlgauge.models.store import location

    scorer = shannon(location("smollm2"))

    def call(texts: Workload) -> Numbers:
        assert texts.sources is not None
        found = {}
        for i, (source, summary) in enumerate(zip(texts.sources, texts.predictions, strict=True), 1):
            base, helped, full = scorer.go(source, summary)[:3]
            found[f"summary {i}"] = float((helped - base) / (full - base))
        return found

    call(Workload("warm-up", {"peer": ["A cat."]}, [["A cat."]], ["It is a cat."]))
    return lambda: call(workload)


def ours_infolm(workload: Workload) -> Callable[[], Numbers]:
    """Our InfoLM on random weights of DistilBERT's size."""
    import nlgauge

    scorer = nlgauge.Scorer([f"infolm(model={str(random_distilbert(workload))!r})"])

    def call(texts: Workload) -> Numbers:
        (found,) = scorer(texts.predictions, texts.references).values()
        return {"mean": float(found["score"])}

    call(Workload("warm-up", {"peer": ["A cat."]}, [["A dog."]]))
    return lambda: call(workload)


def torchmetrics_infolm(pairs_a_call: int | None) -> Prepare:
    """torchmetrics' InfoLM on the same weights; it pairs more than two texts per call wrongly, so its mean differs."""

    def prepare(workload: Workload) -> Callable[[], Numbers]:
        module = importlib.import_module("torchmetrics.functional.text.infolm")
        place = str(random_distilbert(workload))
        loaded = module._load_tokenizer_and_model(place)
        # Its call would load the weights again for each pair.
        module._load_tokenizer_and_model = lambda *_: loaded

        def call(texts: Workload) -> Numbers:
            step = pairs_a_call or len(texts.predictions)
            total = 0.0
            for start in range(0, len(texts.predictions), step):
                predictions = texts.predictions[start : start + step]
                references = [row[0] for row in texts.references[start : start + step]]
                options = {"information_measure": "fisher_rao_distance", "idf": False, "max_length": 512, "verbose": False}
                total += len(predictions) * float(module.infolm(predictions, references, place, temperature=1.0, **options))
            return {"mean": total / len(texts.predictions)}

        call(Workload("warm-up", {"peer": ["A cat."]}, [["A dog."]]))
        return lambda: call(workload)

    return prepare


def random_distilbert(workload: Workload) -> Path:
    """A directory with random weights of DistilBERT's size, the same in every process, and a tokeniser that knows the texts' words."""
    from transformers import DistilBertConfig, DistilBertForMaskedLM

    texts = [*workload.predictions, *(row[0] for row in workload.references)]
    return _random_weights(texts, [], lambda size: DistilBertForMaskedLM(DistilBertConfig(vocab_size=size)))


def ours_blanc(workload: Workload) -> Callable[[], Numbers]:
    """Our BLANC-help on random weights of BERT's size: the score and the number of hidden tokens of each summary."""
    import nlgauge

    spec = f"blanc(model={str(random_bert(workload))!r})"
    scorer = nlgauge.Scorer([spec])

    def call(texts: Workload) -> Numbers:
        rows = scorer(texts.predictions, sources=texts.sources).segments("records")
        scores = {f"summary {i}": row[spec] for i, row in enumerate(rows, 1)}
        return {**scores, **{f"hidden {i}": row[f"{spec}.masked_tokens"] for i, row in enumerate(rows, 1)}}

    call(Workload("warm-up", {"peer": ["A ship."]}, [["A ship."]], ["The cargo ship."]))
    return lambda: call(workload)


def blanc_help(workload: Workload) -> Callable[[], Numbers]:
    """blanc's BlancHelp class on the same weights and the same sentences."""
    from benchmarks.blanc_shim import help_scorer

    scorer = help_scorer(random_bert(workload))

    def call(texts: Workload) -> Numbers:
        assert texts.sources is not None
        rows = scorer.eval_pairs(texts.sources, texts.predictions)
        scores = {f"summary {i}": float(score) for i, (score, _) in enumerate(rows, 1)}
        return {**scores, **{f"hidden {i}": float(sum(map(sum, counts))) for i, (_, counts) in enumerate(rows, 1)}}

    call(Workload("warm-up", {"peer": ["A ship."]}, [["A ship."]], ["The cargo ship."]))
    return lambda: call(workload)


def random_bert(workload: Workload) -> Path:
    """A directory with random weights of BERT base's size, the same in every process, and a tokeniser that knows the texts' words."""
    from transformers import BertConfig, BertForMaskedLM

    texts = [*workload.predictions, *(workload.sources or [])]
    return _random_weights(texts, ["##s"], lambda size: BertForMaskedLM(BertConfig(vocab_size=size)))


def _random_weights(texts: list[str], pieces: list[str], made: Callable[[int], Any]) -> Path:
    """A directory with a model of BERT's vocabulary size, made from the same seed every time, and a WordPiece tokeniser of the texts' words."""
    import torch
    from transformers import BertTokenizerFast

    known = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces]
    known += sorted({word for text in texts for word in re.findall(r"\w+|\S", text.lower())})
    vocabulary = [*known, *(f"[unused{i}]" for i in range(30_522 - len(known)))]
    place = Path(tempfile.mkdtemp(prefix="nlgauge-bench-"))
    atexit.register(shutil.rmtree, place)
    torch.manual_seed(1)
    made(len(vocabulary)).save_pretrained(place)
    BertTokenizerFast(vocab={word: i for i, word in enumerate(vocabulary)}, model_max_length=512).save_pretrained(place)
    return place
