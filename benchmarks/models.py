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

    from nlgauge.models.weights.store import location

    scorer = BERTScorer(model_type=str(location("minilm")), num_layers=6, device="cpu")

    def call(texts: Workload) -> Numbers:
        found = scorer.score(texts.predictions, texts.references)
        return {
            name: float(values.double().mean())
            for name, values in zip(("precision", "recall", "f1"), found, strict=True)
        }

    call(workload.first(2))
    return lambda: call(workload)


def plain_moverscore(workload: Workload) -> Callable[[], Numbers]:
    """MoverScore's second version as its program goes about it: both sides in padded batches of 256, then
    pair by pair an exact transport by pyemd.

    The package itself asks for versions of its libraries that are gone; every point of a pair has a row in
    its matrix there, and so here.
    """
    import string

    import numpy as np
    import torch
    from pyemd import emd

    from nlgauge.models.loader import load
    from nlgauge.models.weights.store import location

    loaded = load(str(location("minilm")), "encoder", "cpu")

    def points(texts: list[str]) -> list[np.ndarray]:
        encoded = loaded.tokenizer(texts, return_tensors="pt", padding=True, truncation=True)
        with torch.inference_mode():
            states = loaded.model(**encoded).last_hidden_state
        states = (states / states.norm(dim=-1, keepdim=True)).double().numpy()
        found = []
        for ids, mask, row in zip(
            encoded.input_ids.tolist(), encoded.attention_mask.tolist(), states, strict=True
        ):
            tokens = loaded.tokenizer.convert_ids_to_tokens(ids)
            kept = [
                i
                for i, token in enumerate(tokens)
                if mask[i] and token not in string.punctuation and "##" not in token
            ]
            found.append(row[kept])
        return found

    def distance(one: np.ndarray, other: np.ndarray) -> float:
        every = np.concatenate([one, other])
        squares = (every**2).sum(axis=1)
        distances = np.sqrt(np.maximum(squares[:, None] + squares[None] - 2 * every @ every.T, 0))
        first, second = np.zeros(len(every)), np.zeros(len(every))
        first[: len(one)], second[len(one) :] = 1 / len(one), 1 / len(other)
        return float(emd(first, second, distances))

    def call(texts: Workload) -> Numbers:
        total = 0.0
        references = [others[0] for others in texts.references]
        for start in range(0, len(references), 256):
            sides = points(texts.predictions[start : start + 256]), points(references[start : start + 256])
            total += sum(1 / (1 + distance(one, other)) for one, other in zip(*sides, strict=True))
        return {"score": total / len(references)}

    call(workload.first(2))
    return lambda: call(workload)


def gensim_wmd(workload: Workload) -> Callable[[], Numbers]:
    """gensim's distance on the same vectors, of which it gets the words that it will meet; where a text
    has no known word there is no number.
    """
    import math

    from gensim.models import KeyedVectors

    from nlgauge.models.weights.vectors import load_vectors

    table = load_vectors("glove")
    texts = [text for group in (workload.predictions, *workload.references) for text in group]
    words = sorted({word for text in texts for word in text.split()} & set(table.rows))
    vectors = KeyedVectors(table.vectors.shape[1])
    vectors.add_vectors(words, table.vectors[[table.rows[word] for word in words]])

    def call(texts: Workload) -> Numbers:
        pairs = zip(texts.predictions, texts.references, strict=True)
        found = [
            min(vectors.wmdistance(text.split(), other.split(), norm=False) for other in others)
            for text, others in pairs
        ]
        known = [value for value in found if math.isfinite(value)]
        return {"score": sum(known) / len(known)}

    call(workload.first(2))
    return lambda: call(workload)


def blanc_shannon(workload: Workload) -> Callable[[], Numbers]:
    """blanc's Shannon class on the same weights and the same sentences."""
    from benchmarks.blanc_shim import shannon
    from nlgauge.models.weights.store import location

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
    """torchmetrics' InfoLM on the same weights; it pairs more than two texts per call wrongly, so its
    mean differs.
    """

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
                options = {
                    "information_measure": "fisher_rao_distance",
                    "idf": False,
                    "max_length": 512,
                    "verbose": False,
                }
                total += len(predictions) * float(
                    module.infolm(predictions, references, place, temperature=1.0, **options)
                )
            return {"mean": total / len(texts.predictions)}

        call(Workload("warm-up", {"peer": ["A cat."]}, [["A dog."]]))
        return lambda: call(workload)

    return prepare


def random_distilbert(workload: Workload) -> Path:
    """A directory with random weights of DistilBERT's size, the same in every process, and a tokenizer
    that knows the texts' words.
    """
    from transformers import DistilBertConfig, DistilBertForMaskedLM

    texts = [*workload.predictions, *(row[0] for row in workload.references)]
    return _random_weights(texts, [], lambda size: DistilBertForMaskedLM(DistilBertConfig(vocab_size=size)))


def ours_blanc(workload: Workload) -> Callable[[], Numbers]:
    """Our BLANC-help on random weights of BERT's size: the score and the number of hidden tokens of each
    summary.
    """
    import nlgauge

    spec = f"blanc(model={str(random_bert(workload))!r})"
    scorer = nlgauge.Scorer([spec])

    def call(texts: Workload) -> Numbers:
        rows = scorer(texts.predictions, sources=texts.sources).segments("records")
        scores = {f"summary {i}": row[spec.partition("(")[0]] for i, row in enumerate(rows, 1)}
        return {**scores, **{f"hidden {i}": row["blanc.masked_tokens"] for i, row in enumerate(rows, 1)}}

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
        return {
            **scores,
            **{f"hidden {i}": float(sum(map(sum, counts))) for i, (_, counts) in enumerate(rows, 1)},
        }

    call(Workload("warm-up", {"peer": ["A ship."]}, [["A ship."]], ["The cargo ship."]))
    return lambda: call(workload)


def random_bert(workload: Workload) -> Path:
    """A directory with random weights of BERT base's size, the same in every process, and a tokenizer
    that knows the texts' words.
    """
    from transformers import BertConfig, BertForMaskedLM

    texts = [*workload.predictions, *(workload.sources or [])]
    return _random_weights(texts, ["##s"], lambda size: BertForMaskedLM(BertConfig(vocab_size=size)))


def ours_bartscore(workload: Workload) -> Callable[[], Numbers]:
    """Our BARTScore from source to summary, all systems at once, on random weights of BART base's size."""
    import nlgauge

    scorer = nlgauge.Scorer([f"bartscore(model={str(random_bart(workload))!r}, direction='faithfulness')"])

    def call(texts: Workload) -> Numbers:
        result = scorer(texts.systems, sources=texts.sources)
        return {
            name: float(result._tables[name, result.labels[0]].scores()["faithfulness"])
            for name in texts.systems
        }

    call(workload.first(1))
    return lambda: call(workload)


def plain_bartscore(workload: Workload) -> Callable[[], Numbers]:
    """The same by Transformers' own forward pass, four pairs at a time in the order of the texts, as the
    authors' program does it.
    """
    import torch
    from transformers import AutoTokenizer, BartForConditionalGeneration

    place = random_bart(workload)
    model, tokenizer = (
        BartForConditionalGeneration.from_pretrained(place).eval(),
        AutoTokenizer.from_pretrained(place),
    )

    def scores(sources: list[str], targets: list[str]) -> list[float]:
        options = {"max_length": 1024, "truncation": True, "padding": True, "return_tensors": "pt"}
        given, asked = (tokenizer(texts, **options) for texts in (sources, targets))
        with torch.no_grad():
            logits = model(
                input_ids=given.input_ids, attention_mask=given.attention_mask, labels=asked.input_ids
            ).logits
            found = (
                logits.log_softmax(dim=2).gather(2, asked.input_ids[:, :, None])[:, :, 0]
                * asked.attention_mask
            )
        return (found.sum(dim=1) / asked.attention_mask.sum(dim=1)).tolist()

    def call(texts: Workload) -> Numbers:
        assert texts.sources is not None
        found = {}
        for name, summaries in texts.systems.items():
            values = [
                value
                for i in range(0, len(summaries), 4)
                for value in scores(texts.sources[i : i + 4], summaries[i : i + 4])
            ]
            found[name] = sum(values) / len(values)
        return found

    call(workload.first(1))
    return lambda: call(workload)


def random_bart(workload: Workload) -> Path:
    """A directory with random weights of BART base's size, the same in every process, and a tokenizer
    that knows the texts' words.
    """
    from transformers import BartConfig, BartForConditionalGeneration

    sizes = {
        f"{side}_{what}": size
        for side in ("encoder", "decoder")
        for what, size in (("layers", 6), ("attention_heads", 12), ("ffn_dim", 3072))
    }
    marks = {
        "pad_token_id": 0,
        "bos_token_id": 2,
        "eos_token_id": 3,
        "decoder_start_token_id": 3,
        "forced_eos_token_id": None,
    }
    texts = [*(text for texts in workload.systems.values() for text in texts), *(workload.sources or [])]
    return _random_weights(
        texts,
        [],
        lambda size: BartForConditionalGeneration(BartConfig(vocab_size=size, d_model=768, **sizes, **marks)),
    )


def ours_summac(workload: Workload) -> Callable[[], Numbers]:
    """Our SummaC ZS, sentence by sentence, on random weights of MiniLM's size."""
    import nlgauge

    spec = f"summac(model={str(random_classifier(workload))!r}, compat='summac')"
    scorer = nlgauge.Scorer([spec])

    def call(texts: Workload) -> Numbers:
        rows = scorer(texts.predictions, sources=texts.sources).segments("records")
        return {f"summary {i}": row[spec.partition("(")[0]] for i, row in enumerate(rows, 1)}

    call(Workload("warm-up", {"peer": ["It was a cat."]}, [["A cat."]], ["It is a cat that sat."]))
    return lambda: call(workload)


def summac_zs(workload: Workload) -> Callable[[], Numbers]:
    """summac's SummaCZS class on the same weights and the same sentences."""
    from transformers import PreTrainedTokenizerBase

    from nlgauge.features.tokens.sentences import Sentences

    module = importlib.import_module("summac.model_summac")

    def batch_encode_plus(
        self: Any, pairs: list[tuple[str, str]], truncation_strategy: str | None = None, **options: Any
    ) -> Any:
        return self([first for first, _ in pairs], [second for _, second in pairs], **options)

    # Transformers 5 has taken the one away, and the other needs data that would have to be fetched.
    PreTrainedTokenizerBase.batch_encode_plus = batch_encode_plus
    module.nltk.tokenize.sent_tokenize = lambda text: Sentences().of(text)
    module.model_map["vitc"] = {
        "model_card": str(random_classifier(workload)),
        "entailment_idx": 0,
        "contradiction_idx": 1,
    }
    scorer = module.SummaCZS(granularity="sentence", model_name="vitc", imager_load_cache=False, device="cpu")

    def call(texts: Workload) -> Numbers:
        found = scorer.score(texts.sources, texts.predictions)["scores"]
        return {f"summary {i}": float(score) for i, score in enumerate(found, 1)}

    call(Workload("warm-up", {"peer": ["It was a cat."]}, [["A cat."]], ["It is a cat that sat."]))
    return lambda: call(workload)


def random_classifier(workload: Workload) -> Path:
    """A directory with a random classifier of MiniLM's size, the same in every process, and a tokenizer
    that knows the texts' words.
    """
    from transformers import BertConfig, BertForSequenceClassification

    labels = {0: "entailment", 1: "contradiction", 2: "neutral"}
    sizes = {
        "hidden_size": 384,
        "num_hidden_layers": 6,
        "num_attention_heads": 12,
        "intermediate_size": 1536,
        "initializer_range": 0.1,
    }
    texts = [*workload.predictions, *(workload.sources or [])]
    return _random_weights(
        texts,
        [],
        lambda size: BertForSequenceClassification(BertConfig(vocab_size=size, id2label=labels, **sizes)),
    )


def _random_weights(texts: list[str], pieces: list[str], made: Callable[[int], Any]) -> Path:
    """A directory with a model of BERT's vocabulary size, made from the same seed every time, and a
    WordPiece tokenizer of the texts' words.
    """
    import torch
    from transformers import BertTokenizerFast

    known = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces]
    known += sorted({word for text in texts for word in re.findall(r"\w+|\S", text.lower())})
    vocabulary = [*known, *(f"[unused{i}]" for i in range(30_522 - len(known)))]
    place = Path(tempfile.mkdtemp(prefix="nlgauge-bench-"))
    atexit.register(shutil.rmtree, place)
    torch.manual_seed(1)
    made(len(vocabulary)).save_pretrained(place)
    BertTokenizerFast(
        vocab={word: i for i, word in enumerate(vocabulary)}, model_max_length=512
    ).save_pretrained(place)
    return place
