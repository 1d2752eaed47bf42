"""Who is timed on what: for each metric our call and the peer's.

A contender is prepared with its texts (imports, objects, weights, one small call to warm up) and gives the call that is timed,
which returns numbers by name; numbers of the same name must agree between the two.
"""

from __future__ import annotations

import atexit
import importlib
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.workloads import Workload

Numbers = dict[str, float]
Prepare = Callable[[Workload], Callable[[], Numbers]]


class Bench(NamedTuple):
    """A metric, the workloads it is timed on, and the two sides; `peer` names the distribution package."""

    workloads: tuple[str, ...]
    peer: str
    prepare_ours: Prepare
    prepare_peer: Prepare


def ours(spec: str, *outputs: str) -> Prepare:
    """Our side: one metric, and the outputs that are compared with the peer's."""

    def prepare(workload: Workload) -> Callable[[], Numbers]:
        import nlgauge

        scorer = nlgauge.Scorer([spec])

        def call(texts: Workload) -> Numbers:
            found = scorer(texts.predictions, texts.references, texts.sources)
            return {output: float(found[spec][output]) for output in outputs}

        call(workload.first(2))
        return lambda: call(workload)

    return prepare


def ours_shannon(workload: Workload) -> Callable[[], Numbers]:
    """Our Shannon Score of each summary."""
    import nlgauge

    scorer = nlgauge.Scorer(["shannon"])

    def call(texts: Workload) -> Numbers:
        rows = scorer(texts.predictions, sources=texts.sources).segments("records")
        return {f"summary {i}": row["shannon"] for i, row in enumerate(rows, 1)}

    call(Workload("warm-up", {"peer": ["A cat."]}, [["A cat."]], ["It is a cat."]))
    return lambda: call(workload)


def ours_bootstrap(workload: Workload) -> Callable[[], Numbers]:
    """Our paired bootstrap of two systems, scoring included."""
    import nlgauge

    scorer = nlgauge.Scorer(["bleu", "chrf"])

    def call(texts: Workload) -> Numbers:
        rows = scorer(texts.systems, texts.references).compare(test="bootstrap", resamples=1000)
        return {f"{row.label} difference": row.difference for row in rows}

    call(workload.first(5))
    return lambda: call(workload)


def sacrebleu_metric(name: str, **parameters: Any) -> Prepare:
    """sacreBLEU's BLEU or CHRF over the corpus."""

    def prepare(workload: Workload) -> Callable[[], Numbers]:
        import sacrebleu.metrics

        make = getattr(sacrebleu.metrics, name)

        def call(texts: Workload) -> Numbers:
            return {"score": make(**parameters).corpus_score(texts.predictions, _transposed(texts)).score}

        call(workload.first(2))
        return lambda: call(workload)

    return prepare


def sacrebleu_bootstrap(workload: Workload) -> Callable[[], Numbers]:
    """sacreBLEU's paired bootstrap of two systems; it takes the baseline first, and also reports its own bootstrap means."""
    from sacrebleu.metrics import BLEU, CHRF
    from sacrebleu.significance import PairedTest

    def call(texts: Workload) -> Numbers:
        references = _transposed(texts)
        test = PairedTest(list(texts.systems.items()), {"BLEU": BLEU(), "chrF2": CHRF()}, references, "bs", n_samples=1000)
        _, columns = test()
        return {f"{label} difference": columns[name][0].score - columns[name][1].score for label, name in (("bleu", "BLEU"), ("chrf", "chrF2"))}

    call(workload.first(5))
    return lambda: call(workload)


def rouge_score(types: tuple[str, ...], use_stemmer: bool) -> Prepare:
    """rouge-score, the best reference type by type, and the mean over segments."""

    def prepare(workload: Workload) -> Callable[[], Numbers]:
        from rouge_score.rouge_scorer import RougeScorer

        scorer = RougeScorer(list(types), use_stemmer=use_stemmer)

        def call(texts: Workload) -> Numbers:
            totals = dict.fromkeys(types, 0.0)
            for prediction, references in zip(texts.predictions, texts.references, strict=True):
                for kind, score in scorer.score_multi(references, prediction).items():
                    totals[kind] += score.fmeasure
            return {kind: total / len(texts.predictions) for kind, total in totals.items()}

        call(workload.first(2))
        return lambda: call(workload)

    return prepare


def jiwer_rate(name: str) -> Prepare:
    """jiwer's word or character error rate."""

    def prepare(workload: Workload) -> Callable[[], Numbers]:
        import jiwer

        def call(texts: Workload) -> Numbers:
            return {"score": getattr(jiwer, name)([references[0] for references in texts.references], texts.predictions)}

        call(workload.first(2))
        return lambda: call(workload)

    return prepare


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


def _transposed(workload: Workload) -> list[list[str]]:
    return [list(column) for column in zip(*workload.references, strict=True)]


_ROUGE = ("rouge1", "rouge2", "rougeL")
_ROUGE_SPEC = "rouge(rouge_types=('rouge1', 'rouge2', 'rougeL'), tokenizer='google')"
_STEMMED_SPEC = "rouge(rouge_types=('rouge1', 'rouge2', 'rougeL'), stem=True, tokenizer='google')"

BENCHES = {
    "bleu": Bench(("L1", "L2", "L3"), "sacrebleu", ours("bleu", "score"), sacrebleu_metric("BLEU")),
    "chrf": Bench(("L1", "L2", "L3"), "sacrebleu", ours("chrf", "score"), sacrebleu_metric("CHRF")),
    "chrf++": Bench(("L1", "L2", "L3"), "sacrebleu", ours("chrf(word_order=2)", "score"), sacrebleu_metric("CHRF", word_order=2)),
    "rouge": Bench(("L1", "L2", "L3"), "rouge-score", ours(_ROUGE_SPEC, *_ROUGE), rouge_score(_ROUGE, use_stemmer=False)),
    "rouge stemmed": Bench(("L1", "L2", "L3"), "rouge-score", ours(_STEMMED_SPEC, *_ROUGE), rouge_score(_ROUGE, use_stemmer=True)),
    "wer": Bench(("L1", "L3"), "jiwer", ours("wer", "score"), jiwer_rate("wer")),
    "cer": Bench(("L1", "L3"), "jiwer", ours("cer", "score"), jiwer_rate("cer")),
    "paired bootstrap": Bench(("two systems",), "sacrebleu", ours_bootstrap, sacrebleu_bootstrap),
    "bertscore": Bench(("300 pairs",), "bert-score", ours("bertscore(model='minilm', layer=6)", "precision", "recall", "f1"), bert_score),
    "infolm": Bench(("64 pairs",), "torchmetrics", ours_infolm, torchmetrics_infolm(None)),
    "infolm pair by pair": Bench(("64 pairs",), "torchmetrics", ours_infolm, torchmetrics_infolm(1)),
    "blanc": Bench(("1 document",), "blanc", ours_blanc, blanc_help),
    "shannon": Bench(("1 document",), "blanc", ours_shannon, blanc_shannon),
}
