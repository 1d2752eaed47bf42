"""What is scored on what: the metrics with the outputs that are kept, and the benchmarks with the sizes
of their samples.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache

from nlgauge.meta.benchmarks import load
from nlgauge.meta.benchmarks.benchmark import Benchmark
from nlgauge.metric.registry import parse

# What a metric costs decides on how many segments it is scored: all, the sample for small models, the one for
# language models, or the one for judges.
STRINGS, MODELS, SLOW, JUDGES = COSTS = "all", "models", "slow", "judges"
# Outputs that are kept and have no row, because they are about a judge: how much of its probability is on the
# levels that it may choose from, how often it prefers the same text in both orders, and what the first place
# is worth to it.
ABOUT_JUDGE = (COVERED, CONSISTENT, FIRST) = ("covered", "consistent", "first_preferred")


@dataclass(frozen=True)
class Scored:
    """A metric that is scored.

    Its cost, which outputs are kept (none: the main one), on which benchmarks (none: all where it can be),
    and whether it scores whole systems alone, and so has a place only where systems are compared.
    """

    cost: str = STRINGS
    outputs: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    whole: bool = False

    def serves(self, name: str) -> bool:
        """Whether it is scored on a benchmark."""
        return (
            (not self.benchmarks or name in self.benchmarks)
            and drawn(name, self.cost) != 0
            and (not self.whole or "system" in BENCHMARKS[name].coefficients)
        )


@dataclass(frozen=True)
class Board:
    """A benchmark in the leaderboard.

    `human` is the dimension that the main table shows, `coefficients` one per level, `samples` how many
    segments (of each language pair) are drawn for costly metrics, where not all are scored; 0 where they are not
    scored at all. `over` is what intervals draw, and `most_draws` bounds how often where there are many texts. `year`
    is the year of the systems, `languages` those of the predictions. `also` has further coefficients by level, which
    have values alone; `parts` names the parts of pairs that have a share of their own (`studies/leaderboard/parts.py`).
    `advises` is False for benchmarks that answer no question of `nlgauge choose`, `overall` for those that judge one
    quality alone. `numbered`: systems are numbers
    within their segment.
    """

    task: str
    human: str | None
    coefficients: dict[str, str]
    samples: dict[str, int]
    over: str = "both"
    where: str = ""
    benchmark: str = ""
    others: tuple[str, ...] = ()
    most_draws: int = 1000
    year: int = field(kw_only=True)
    languages: tuple[str, ...] = ("en",)
    also: dict[str, str] = field(default_factory=dict)
    parts: str = ""
    advises: bool = True
    overall: bool = True
    numbered: bool = False


TAU = {"system": "kendall", "input": "kendall"}
# The models know English alone.
NO_MODELS = {MODELS: 0, SLOW: 0, JUDGES: 0}
EXPERTS = ("coherence", "consistency", "fluency")

BENCHMARKS: dict[str, Board] = {
    "summeval": Board("summarization", "relevance", TAU, {SLOW: 8, JUDGES: 3}, others=EXPERTS, year=2020),
    "realsumm": Board("summarization", "litepyramid_recall", TAU, {SLOW: 8}, year=2020),
    "rose_cnndm": Board(
        "summarization",
        "normalized_acu",
        TAU,
        {MODELS: 50, SLOW: 16},
        others=("acu", "ref_based", "ref_free", "prior"),
        year=2022,
    ),
    "primer_dailynews300": Board(
        "summarization",
        "overall",
        {"global": "spearman"},
        {SLOW: 40},
        "inputs",
        others=("fluent", "understandable", "informative", "compact"),
        year=2020,
    ),
    "webnlg2020_en": Board(
        "data-to-text",
        "correctness",
        TAU,
        {MODELS: 60, SLOW: 15},
        others=("datacoverage", "relevance", "textstructure", "fluency"),
        year=2020,
    ),
    "bagel": Board(
        "data-to-text",
        "quality",
        {"global": "spearman"},
        {SLOW: 60},
        "inputs",
        others=("informativeness", "naturalness"),
        most_draws=300,
        year=2014,
    ),
    "hanna": Board(
        "stories",
        "coherence",
        TAU,
        {MODELS: 30, SLOW: 8},
        others=("relevance", "empathy", "surprise", "engagement", "complexity"),
        year=2022,
    ),
    "usr_topicalchat": Board(
        "dialogue",
        "overall",
        {"global": "spearman"},
        {SLOW: 30},
        "inputs",
        others=("understandability", "naturalness", "coherence", "engagingness", "groundedness"),
        year=2020,
    ),
    "wmt17_da_seg": Board(
        "translation",
        "da_z",
        {"global": "pearson"},
        {MODELS: 60, SLOW: 20, JUDGES: 6},
        "inputs",
        most_draws=300,
        year=2017,
    ),
    "wmt19_darr": Board(
        "translation", None, {"input": "darr"}, {MODELS: 20, SLOW: 8}, most_draws=200, year=2019
    ),
    "wmt21_mqm_news.en-de": Board(
        "translation",
        "mqm",
        TAU,
        {MODELS: 40, SLOW: 12},
        where="group = en-de",
        benchmark="wmt21_mqm_news",
        year=2021,
        languages=("de",),
    ),
    "wmt21_mqm_news.zh-en": Board(
        "translation",
        "mqm",
        TAU,
        {MODELS: 40, SLOW: 12},
        where="group = zh-en",
        benchmark="wmt21_mqm_news",
        year=2021,
    ),
    **{
        f"wmt24_esa.en-{lang}": Board(
            "translation",
            "esa",
            TAU,
            NO_MODELS,
            where=f"group = en-{lang}",
            benchmark="wmt24_esa",
            year=2024,
            languages=(lang,),
            also={"system": "spa", "input": "acc_eq_calibrated"},
        )
        for lang in ("cs", "hi", "ja", "zh")
    },
    # Not every metric splits Chinese into words, so it has a table of its own. The references are made from the very
    # predictions: no user has such references.
    **{
        name: Board(
            "translation",
            "da_z",
            {"global": "pearson"},
            NO_MODELS,
            "inputs",
            where=where,
            benchmark="mlqe_pe",
            others=("hter",),
            most_draws=300,
            year=2020,
            languages=languages,
            advises=False,
        )
        for name, where, languages in (
            ("mlqe_pe", "group != en-zh", ("de", "en")),
            ("mlqe_pe.en-zh", "group = en-zh", ("zh",)),
        )
    },
    "hats": Board(
        "speech",
        None,
        {"input": "darr"},
        NO_MODELS,
        "inputs",
        year=2023,
        languages=("fr",),
        parts="certitude",
    ),
    "summedits": Board(
        "summarization",
        "consistent",
        {"input": "kendall"},
        NO_MODELS,
        "inputs",
        year=2023,
        numbered=True,
        overall=False,
    ),
    "demetr": Board(
        "damage",
        None,
        {"input": "darr"},
        {MODELS: 6, SLOW: 2, JUDGES: 0},
        "inputs",
        most_draws=200,
        year=2022,
        parts="severity",
        advises=False,
    ),
    "llmbar": Board(
        "instructions",
        None,
        {"input": "darr"},
        {MODELS: 0, SLOW: 40, JUDGES: 0},
        "inputs",
        year=2023,
        advises=False,
    ),
}

# Word vectors, MiniLM and SmolLM2 know English; the translations of WMT17 into other languages are a part of
# its numbers.
ENGLISH = tuple(name for name in BENCHMARKS if name not in ("wmt19_darr", "wmt21_mqm_news.en-de"))

METRICS: dict[str, Scored] = {
    **dict.fromkeys(
        (
            "bleu",
            "sentence_bleu",
            "chrf",
            "chrf(word_order=2)",
            "gleu",
            "nist",
            "meteor",
            "cider",
            "cider(variant='d')",
        ),
        Scored(),
    ),
    "rouge": Scored(
        outputs=("rougeL", "rouge1", "rouge2", "rougeLsum", "rouge1_recall", "rouge2_recall", "rougeL_recall")
    ),
    "rouge155(stem=True)": Scored(outputs=("rouge1", "rouge2", "rougeL", "rougeSU4")),
    **dict.fromkeys(
        ("ribes", "ter", "wer", "cer", "mer", "wil", "wip", "cder", "eed", "character", "levenshtein"),
        Scored(),
    ),
    **dict.fromkeys(
        ("f1", "precision", "recall", "exact_match", "accuracy", "sari", "js_divergence"), Scored()
    ),
    "squad": Scored(outputs=("f1", "exact_match")),
    **dict.fromkeys(("coverage", "density", "compression"), Scored()),
    "novelty": Scored(outputs=("novelty1", "novelty2", "novelty3")),
    "repetitiveness": Scored(outputs=("repetitiveness1", "repetitiveness2", "repetitiveness3")),
    "distinct": Scored(outputs=("distinct1", "distinct2"), whole=True),
    **dict.fromkeys(("self_bleu", "vendi", "compression_ratio"), Scored(whole=True)),
    **dict.fromkeys(("aun", "mattr"), Scored()),
    **dict.fromkeys(
        ("ari", "coleman_liau", "flesch_kincaid", "flesch_reading_ease", "gunning_fog", "smog"), Scored()
    ),
    "bertscore(model='minilm')": Scored(MODELS, ("f1", "precision", "recall")),
    "embedding_similarity(model='minilm')": Scored(MODELS),
    "perplexity(model='smollm2')": Scored(SLOW),
    "depthscore(model='minilm')": Scored(SLOW),
    "baryscore(model='minilm')": Scored(SLOW),
    "infolm(model='smollm2')": Scored(SLOW),
    **dict.fromkeys(
        ("embedding_average", "vector_extrema", "greedy_matching", "rouge_we(n=1)", "rouge_we(n=2)"),
        Scored(MODELS, benchmarks=ENGLISH),
    ),
    **dict.fromkeys(
        ("wmd", "wmd(stop='english', unit=True)", "sms", "sms(mode='wms')", "sms(mode='s+wms')"),
        Scored(MODELS, benchmarks=ENGLISH),
    ),
    "yisi(model='minilm')": Scored(MODELS, benchmarks=ENGLISH),
    "moverscore(model='minilm')": Scored(SLOW, benchmarks=ENGLISH),
    "moverscore(model='minilm', version='v1')": Scored(SLOW, benchmarks=ENGLISH),
    "gptscore(model='smollm2')": Scored(SLOW, benchmarks=ENGLISH),
    "g_eval(criterion='relevance')": Scored(JUDGES, ("g_eval", COVERED), ("summeval",)),
    "yes_no(question='Does this summary say what matters most, and nothing else?', with_source=True)": Scored(
        JUDGES, ("yes_no", COVERED), ("summeval",)
    ),
    "g_eval(criterion='adequacy', definition='the text says what the reference says', with_source=False, with_reference=True)": Scored(
        JUDGES, ("g_eval", COVERED), ("wmt17_da_seg",)
    ),
    "yes_no(question='Does this text say the same as the reference?', with_reference=True)": Scored(
        JUDGES, ("yes_no", COVERED), ("wmt17_da_seg",)
    ),
    "pairwise": Scored(JUDGES, ("pairwise", *ABOUT_JUDGE), ("wmt17_da_seg",)),
    "gemba(with_reference=True)": Scored(JUDGES, benchmarks=("wmt17_da_seg",)),
    "rubric(criteria='Does the response say what the reference says?', with_source=False, with_reference=True, max_tokens=120)": Scored(
        JUDGES, benchmarks=("wmt17_da_seg",)
    ),
    # It is fitted on the texts of a system, and a sample would be too few of them.
    "cosmic(model='minilm')": Scored(
        benchmarks=("summeval", "realsumm", "rose_cnndm", "webnlg2020_en", "primer_dailynews300")
    ),
    **dict.fromkeys(
        ("frechet(model='minilm')", "mauve(model='minilm', features='embedding')"),
        Scored(benchmarks=("webnlg2020_en",), whole=True),
    ),
    "shannon(model='smollm2')": Scored(
        SLOW,
        ("shannon", "blanc_shannon", "information_difference"),
        (
            "summeval",
            "realsumm",
            "rose_cnndm",
            "webnlg2020_en",
            "hanna",
            "usr_topicalchat",
            "primer_dailynews300",
        ),
    ),
}


def has_weights(spec: str) -> bool:
    """Whether a metric reads a model or word vectors.

    >>> [has_weights(spec) for spec in ("wmd", "frechet(model='minilm')", "chrf")]
    [True, True, False]
    """
    return METRICS[spec].cost != STRINGS or "model=" in spec


@cache
def _printed(spec: str) -> str:
    return str(parse(spec))


def cost_of(label: str) -> str:
    """What a metric costs, by the label of a row; what reads a model is not among strings.

    >>> cost_of("rouge.rouge1"), cost_of("bertscore(model='minilm').f1"), cost_of("mauve(model='minilm')")
    ('all', 'models', 'models')
    """
    for spec, one in METRICS.items():
        printed = _printed(spec)
        if label == printed or label.startswith(f"{printed}."):
            return MODELS if one.cost == STRINGS and has_weights(spec) else one.cost
    return MODELS if "model=" in label else STRINGS


def texts(name: str, cost: str = STRINGS) -> Benchmark:
    """What machines wrote in a benchmark, all of it or the sample for metrics of this cost."""
    board = BENCHMARKS[name]
    found = load(board.benchmark or name)
    found = found.where(board.where).machines()
    if board.numbered:
        found = _numbered(found)
    size = drawn(name, cost)
    return found if size is None else found.sample(size)


def _numbered(benchmark: Benchmark) -> Benchmark:
    """Name each row's system by its number within the segment: edits of different documents are no systems."""
    counts: dict[str, int] = {}
    rows = []
    for row in benchmark.rows:
        counts[row.segment] = counts.get(row.segment, 0) + 1
        rows.append(replace(row, system=str(counts[row.segment])))
    return replace(benchmark, rows=tuple(rows))


def drawn(name: str, cost: str) -> int | None:
    """How many segments are drawn for metrics of this cost; None for all."""
    return BENCHMARKS[name].samples.get(cost)


def folder_name(name: str, cost: str) -> str:
    """Where the scores of these texts are kept.

    >>> folder_name("summeval", "slow"), folder_name("summeval", "all")
    ('summeval-8', 'summeval')
    """
    size = drawn(name, cost)
    return name if size is None else f"{name}-{size}"
