"""
The listings of the NLG-Metricverse thesis
==========================================

NLG-Metricverse is the library of a master's thesis on the evaluation of generated text. Chapter 3 of the thesis shows
its calls in figures. This tutorial runs these calls with ``nlgauge.compat.nlgmetricverse``, on small data and with
metrics that need no model; only the last step needs one.
"""

# %%
# Data
# ----
# The predictions of four systems and the mean ratings of their relevance, from the benchmark ``sample`` that ships with
# nlgauge. Texts and ratings were made up for this package.
import os

from nlgauge import NlgaugeError
from nlgauge.compat.nlgmetricverse import (
    ApplTasks,
    Categories,
    CorrelationMeasures,
    MetricForNLG,
    NLGMetricverse,
    QualityDims,
    get_metric_bounds,
    load_metric,
    metric_human_correlation,
    metrics_correlation,
    n_gram_distance_visualization,
    similarity_word_matching,
)
from nlgauge.meta import benchmarks

rows = benchmarks.load("sample").rows
preds = [row.prediction for row in rows]
refs = [list(row.references) for row in rows]
human = [row.human["relevance"] for row in rows]

# %%
# A scorer (Figure 3.3)
# ---------------------
# The thesis uses BERTScore and BARTScore, which need models. ``run_concurrent`` is accepted, and the numbers do not
# depend on it.
scorer = NLGMetricverse(metrics=["rouge", "chrf"], run_concurrent=True)
score = scorer(preds, refs)
print({name: round(score[name]["score"], 3) for name in ("rouge", "chrf")})
print([name for name in score if name not in ("rouge", "chrf")])

# %%
# Several references per prediction are combined by ``reduce_fn``; the default is the best reference.
score = scorer(preds, refs, reduce_fn="mean")
print({name: round(score[name]["score"], 3) for name in ("rouge", "chrf")})

# %%
# Parameters (Figure 3.4)
# -----------------------
# ``load_metric`` makes two versions of one metric with different parameters and names.
metrics = [
    load_metric("bleu", resulting_name="bleu_1", compute_kwargs={"max_order": 1}),
    load_metric("bleu", resulting_name="bleu_2", compute_kwargs={"max_order": 2}),
    load_metric("rouge"),
]
scorer = NLGMetricverse(metrics=metrics)
score = scorer(preds, refs)
print({name: round(score[name]["score"], 3) for name in ("bleu_1", "bleu_2", "rouge")})

# %%
# Exploration (Figure 3.5)
# ------------------------
# Metrics are found by the properties in their cards. The lists are longer than in the thesis, because nlgauge has more
# metrics.
print(len(NLGMetricverse.list_metrics()), "metrics")
print(NLGMetricverse.filter_metrics(category=Categories.Embedding, appl_task=ApplTasks.DataToText))
print(NLGMetricverse.filter_metrics(trained=True, unsupervised=True, quality_dim=QualityDims.Factuality))
print(get_metric_bounds("bleu"))


# %%
# A custom metric (Figure 3.6)
# ----------------------------
# A class with one method for each form of the input. This metric is the share of predictions that end with a period.
class EndsWithPeriod(MetricForNLG):
    def _compute_single_pred_single_ref(self, preds, refs, reduce_fn=None, **kwargs):
        return {"score": sum(text.endswith(".") for text in preds) / len(preds)}

    def _compute_single_pred_multi_ref(self, preds, refs, reduce_fn=None, **kwargs):
        return self._compute_single_pred_single_ref(preds, refs)

    def _compute_multi_pred_multi_ref(self, preds, refs, reduce_fn=None, **kwargs):
        return self._compute_single_pred_single_ref([text for group in preds for text in group], refs)


score = NLGMetricverse(metrics=[EndsWithPeriod()])(preds, refs)
print(round(score["EndsWithPeriod"]["score"], 3))

# %%
# Correlation with people (Figure 3.7)
# ------------------------------------
# The thesis uses ``human_scores=Benchmarks.WMT17``, which must be imported first (``nlgauge benchmarks info
# wmt17_da_seg``). A list of human scores works in the same call. The result is a table with an interval and a p-value,
# and its plot is the scatterplot of the thesis.
correlation = metric_human_correlation(
    preds,
    refs,
    metrics=load_metric("rouge", compute_kwargs={"rouge_types": ["rougeL"]}),
    human_scores=human,
    corrs=[CorrelationMeasures.Pearson],
)
print(correlation)
correlation.plot()

# %%
# Metrics compared with each other
# --------------------------------
# ``metrics_correlation`` returns the coefficients and the p-values, one matrix for each measure.
coefficients, p_values = metrics_correlation(
    preds, refs, metrics=["rouge", "chrf", "bleu"], correlation_measures=[CorrelationMeasures.KendallTau]
)
print(coefficients[0].round(2))

# %%
# Word matching (Figures 3.8 and 3.9)
# -----------------------------------
# The two functions draw the similarities behind BERTScore and the transport behind MoverScore. They need PyTorch and a
# model, here MiniLM (``nlgauge models get minilm``). Without them the tutorial continues.
os.environ["NLGAUGE_OFFLINE"] = "1"  # do not download the model
candidate, reference = "the boat leaves at noon", "our ferry departs at twelve"


def drawn(function, *texts, **options):
    """Return a picture, or None if the model is not installed."""
    try:
        return function(*texts, **options)
    except (NlgaugeError, ImportError):
        print("The model MiniLM is not installed.")


drawn(similarity_word_matching, candidate, reference, model_type="minilm", form="links")

# %%
drawn(n_gram_distance_visualization, reference, candidate, device="cpu", model="minilm")

# %%
# What this does not show
# -----------------------
# The calls are the same, and some numbers differ from the package on purpose; the migration page lists the differences
# with reasons. New code has intervals, tests and explanations with ``nlgauge.score``.
#
# See also: :doc:`/migration/nlg-metricverse`, :doc:`plot_compare_two_systems`, :doc:`/about/prior-art`.
