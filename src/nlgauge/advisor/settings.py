"""The words and thresholds of the rules of `choose`, in one place.

The page of the documentation runs the same rules in JavaScript: it reads these values from `as_record`.
"""

from __future__ import annotations

from typing import Any

CONTROLS = LENGTH, RANDOM = "length in words", "random numbers"
# The metric that others are compared with on the same texts.
ANCHOR = "chrf"

TASKS = (
    "translation",
    "summarization",
    "data-to-text",
    "dialogue",
    "stories",
    "captioning",
    "speech",
    "question-answering",
    "simplification",
    "other",
)
INPUTS = ("references", "source")
LEVELS = ("texts", "systems")
# The human dimensions of each quality; "overall" takes the main dimension of every benchmark instead.
OVERALL = "overall"
QUALITIES: dict[str, tuple[str, ...]] = {
    OVERALL: (),
    "content": (
        "relevance",
        "litepyramid_recall",
        "normalized_acu",
        "acu",
        "ref_based",
        "informative",
        "informativeness",
        "correctness",
        "datacoverage",
        "da_z",
        "mqm",
        "pairs",
    ),
    "consistency": ("consistency", "consistent", "groundedness"),
    "fluency": ("fluency", "fluent", "naturalness", "understandable", "understandability"),
    "coherence": ("coherence", "textstructure"),
    "engagement": ("engagement", "engagingness", "empathy", "surprise", "complexity"),
}
# Further names of tasks and qualities, among them those of the thesis; case, blanks and hyphens do not matter.
ALIASES = {
    **dict.fromkeys(("mt", "machinetranslation"), "translation"),
    **dict.fromkeys(("sum", "documentsummarization", "summary", "summaries", "summarize"), "summarization"),
    **dict.fromkeys(("d2t", "rdftotext", "tabletotext"), "data-to-text"),
    **dict.fromkeys(("rg", "responsegeneration", "dialog", "chat", "conversation", "response"), "dialogue"),
    **dict.fromkeys(("dg", "documentgeneration", "story", "storygeneration"), "stories"),
    **dict.fromkeys(("ic", "imagecaptioning", "caption", "captions"), "captioning"),
    **dict.fromkeys(("sr", "speechrecognition", "asr", "transcription"), "speech"),
    **dict.fromkeys(("qa", "answering"), "question-answering"),
    **dict.fromkeys(("simplify", "textsimplification"), "simplification"),
    **dict.fromkeys(("qg", "questiongeneration", "tc", "textcompletion"), "other"),
    **dict.fromkeys(("informativeness", "relevance", "semanticcoverage", "adequacy"), "content"),
    **dict.fromkeys(("factuality", "faithfulness", "groundedness"), "consistency"),
    **dict.fromkeys(("reference", "refs"), "references"),
    **dict.fromkeys(("sources", "src"), "source"),
    **dict.fromkeys(("text", "segment", "segments"), "texts"),
    "system": "systems",
}

FAMILIES: dict[str, tuple[str, ...]] = {
    "characters": ("chrf", "eed", "character", "cer", "levenshtein"),
    "word n-grams": (
        *("bleu", "sentence_bleu", "gleu", "nist", "rouge", "rouge155", "cider", "meteor", "f1", "squad"),
        *("precision", "recall", "accuracy", "exact_match", "sari"),
    ),
    "word edits": ("ter", "wer", "mer", "wil", "wip", "cder", "ribes"),
    "word vectors": ("wmd", "sms", "embedding_average", "vector_extrema", "greedy_matching", "rouge_we"),
    "encoder": (
        "bertscore",
        "yisi",
        "moverscore",
        "embedding_similarity",
        "baryscore",
        "depthscore",
        "supert",
    ),
    "language model": (
        *("infolm", "shannon", "perplexity", "gptscore", "cosmic"),
        *("g_eval", "yes_no", "pairwise", "gemba", "rubric"),
    ),
    "source overlap": ("coverage", "density", "compression", "novelty", "js_divergence"),
    "surface statistics": (
        *("aun", "mattr", "repetitiveness", "distinct", "self_bleu", "vendi", "compression_ratio"),
        *("ari", "coleman_liau", "flesch_kincaid", "flesch_reading_ease", "gunning_fog", "smog"),
    ),
}
# Families that describe texts without judging them: like the controls, they are not recommended.
DESCRIPTIVE = ("surface statistics",)
# A coefficient whose negative values mean ties, not disagreement.
COUNTS_TIES = "DARR"
# Metrics without a direction that are shown as indicators, with the property that they measure.
INDICATORS = {"coverage": "copying", "density": "copying", "novelty": "copying", "compression": "length"}
# Of metrics that the evidence does not separate, the metric that readers know.
FAMILIAR = ("chrf", "rouge.rouge1", "meteor", "bertscore(model='minilm').f1")
# Metrics in wide use, which the advice warns of if the evidence is against them.
USUAL = (
    *("bleu", "sentence_bleu", "rouge", "meteor", "ter", "wer", "cer", "chrf", "bertscore", "exact_match"),
    *("f1", "cider", "ribes", "compression", "density", "flesch_reading_ease"),
)

# A smaller table does not decide.
FEWEST_INPUTS = 15
# With fewer systems, hardly any pair of metrics differs significantly at the level of systems.
FEWEST_SYSTEMS = 20
# So many benchmarks must have that many systems before tables of systems decide.
FEWEST_LARGE_BENCHMARKS = 2
# The share of inputs on which a value must be defined, and of a task's benchmarks on which a metric was scored.
LEAST_DEFINED, LEAST_COVERED = 0.8, 0.75
# The number of benchmarks in the language of the question from which only they count.
FEWEST_IN_LANGUAGE = 2
# With a smaller share of benchmarks in the language of the question, the advice names the share.
LEAST_IN_LANGUAGE = 0.5
# The share of rows with a value above the controls, and the share of beaten rows from which a metric is named.
LEAST_ABOVE, MOST_BEATEN = 0.5, 0.5
# A metric of the same family with a score this near may replace the best metric of the family ...
NEAR = 0.015
# ... unless it costs more than DEARER times the cheapest of them plus DEARER_BY seconds.
DEARER, DEARER_BY = 10.0, 0.05
# A metric whose score is this far behind that of the first is not recommended in addition to it.
FAR_BEHIND = 0.1
MOST_RECOMMENDED, MOST_INDICATORS, MOST_UNTESTED = 3, 2, 12
# The median of the best values from which agreement is good, and fair.
GOOD, FAIR = 0.30, 0.15
# If no metric reaches this value on the newest systems, the verdict is at most fair.
STRONG_SYSTEMS = 0.2
# Human labels that a comparison of metrics on the user's texts needs.
ENOUGH_LABELS = 100


def as_record() -> dict[str, Any]:
    """Return all settings by name."""
    return {name: value for name, value in globals().items() if name.isupper()}


def metric_name(label: str) -> str:
    """Return the registered name of a label.

    >>> metric_name("rouge155(stem=True).rouge1")
    'rouge155'
    """
    return label.partition("(")[0].partition(".")[0]


def family(label: str) -> str:
    """Return the family of a metric by its label.

    >>> family("bertscore(model='minilm').f1")
    'encoder'
    """
    name = metric_name(label)
    return next((family for family, names in FAMILIES.items() if name in names), "other")
