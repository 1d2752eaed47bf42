"""Who is timed on what: for each metric our call and the peer's."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks import comet, models, peers, plain
from benchmarks.sides import Prepare, ours, ours_bootstrap, ours_everything


class Bench(NamedTuple):
    """A metric, the workloads it is timed on, and the two sides; `peer` names the distribution package."""

    workloads: tuple[str, ...]
    peer: str
    prepare_ours: Prepare
    prepare_peer: Prepare


_ROUGE = ("rouge1", "rouge2", "rougeL")
_ROUGE_SPEC = "rouge(rouge_types=('rouge1', 'rouge2', 'rougeL'), tokenizer='google')"
_STEMMED_SPEC = "rouge(rouge_types=('rouge1', 'rouge2', 'rougeL'), stem=True, tokenizer='google')"
_CIDER_SPEC = "cider(variant='d', tokenizer='whitespace')"
_METEOR_SPEC = "meteor(version='2005', compat='nltk', tokenizer='whitespace')"
_ALL = ("L1", "L2", "L3")

BENCHES = {
    "bleu": Bench(_ALL, "sacrebleu", ours("bleu", "score"), peers.sacrebleu_metric("BLEU")),
    "bleu, Rust": Bench(("L1",), "bleuscore", ours("bleu", "score"), peers.bleuscore),
    "chrf": Bench(_ALL, "sacrebleu", ours("chrf", "score"), peers.sacrebleu_metric("CHRF")),
    "chrf++": Bench(
        ("L1", "L2"),
        "sacrebleu",
        ours("chrf(word_order=2)", "score"),
        peers.sacrebleu_metric("CHRF", word_order=2),
    ),
    "rouge": Bench(
        _ALL, "rouge-score", ours(_ROUGE_SPEC, *_ROUGE), peers.rouge_score(_ROUGE, use_stemmer=False)
    ),
    "rouge stemmed": Bench(
        _ALL, "rouge-score", ours(_STEMMED_SPEC, *_ROUGE), peers.rouge_score(_ROUGE, use_stemmer=True)
    ),
    "rougeL, Rust": Bench(
        ("L1",),
        "rouge-rs",
        ours("rouge(rouge_types=('rougeL',), tokenizer='google')", "rougeL"),
        peers.rouge_rs,
    ),
    "wer": Bench(("L1", "L3"), "jiwer", ours("wer", "score"), peers.jiwer_rate("wer")),
    "cer": Bench(("L1", "L3"), "jiwer", ours("cer", "score"), peers.jiwer_rate("cer")),
    "character distance": Bench(
        ("L1",),
        "jiwer",
        ours("levenshtein(tokenizer='stripped-characters')", "distance"),
        peers.jiwer_distance,
    ),
    "ter": Bench(("1,000 pairs",), "sacrebleu", ours("ter", "score"), peers.sacrebleu_metric("TER")),
    "meteor": Bench(("2,000 pairs",), "nltk", ours(_METEOR_SPEC, "score"), peers.nltk_meteor),
    "cider": Bench(("L1", "L2"), "pycocoevalcap", ours(_CIDER_SPEC, "score"), peers.pycocoevalcap_cider),
    "character": Bench(
        ("2,000 pairs",), "cer", ours("character(compat='released')", "score"), peers.cer_character
    ),
    "eed": Bench(
        ("1,000 pairs",), "torchmetrics", ours("eed(compat='python')", "score"), peers.torchmetrics_eed
    ),
    "eed, exact": Bench(("1,000 pairs",), "torchmetrics", ours("eed", "score"), peers.torchmetrics_eed),
    "readability": Bench(
        ("summaries without sources",),
        "a plain loop",
        ours("flesch_reading_ease", "score"),
        plain.readability,
    ),
    "coverage": Bench(("summaries",), "a plain loop", ours("coverage", "score"), plain.coverage),
    "every string metric": Bench(("L1",), "sacrebleu", ours_everything, peers.sacrebleu_both),
    "paired bootstrap": Bench(("four systems",), "sacrebleu", ours_bootstrap, peers.sacrebleu_bootstrap),
    "bertscore": Bench(
        ("300 pairs",),
        "bert-score",
        ours("bertscore(model='minilm', layer=6)", "precision", "recall", "f1"),
        models.bert_score,
    ),
    "moverscore": Bench(
        ("300 pairs",), "pyemd", ours("moverscore(model='minilm')", "score"), models.plain_moverscore
    ),
    "wmd": Bench(("1,000 pairs",), "gensim", ours("wmd(tokenizer='whitespace')", "score"), models.gensim_wmd),
    "infolm": Bench(("16 pairs",), "torchmetrics", models.ours_infolm, models.torchmetrics_infolm(None)),
    "infolm pair by pair": Bench(
        ("16 pairs",), "torchmetrics", models.ours_infolm, models.torchmetrics_infolm(1)
    ),
    "comet": Bench(("translations",), "unbabel-comet", comet.ours_comet, comet.unbabel_comet),
    "blanc": Bench(("1 document",), "blanc", models.ours_blanc, models.blanc_help),
    "bartscore": Bench(
        ("3 documents, 4 systems",), "a plain loop", models.ours_bartscore, models.plain_bartscore
    ),
    "summac": Bench(("6 summaries",), "summac", models.ours_summac, models.summac_zs),
    "shannon": Bench(("1 document",), "blanc", models.ours_shannon, models.blanc_shannon),
}
