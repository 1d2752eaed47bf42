"""
Stress a metric
===============

Which errors does a metric notice? This tutorial damages good texts in known ways, counts how often each metric scores
the damaged text lower, and compares the size of the drops.
"""

# %%
# Data
# ----
# The good texts are the predictions of the best system of the sample that ships with nlgauge, with their references.
# The texts were written for this package.
from nlgauge import meta, plots
from nlgauge.meta import benchmarks

rows = [row for row in benchmarks.load("sample").rows if row.system == "improved"]
texts = [row.prediction for row in rows]
references = [list(row.references) for row in rows]

# %%
# The damages
# -----------
# Each perturbation has a severity: a critical error changes the meaning, a minor error only the form.
for perturbation in meta.PERTURBATIONS.values():
    print(f"{perturbation.name:15} {perturbation.severity:9} {perturbation.description}")

# %%
# Applied to one text, each returns the damaged text, or the reason why it cannot change the text.
for name in ("negation", "number", "word_order"):
    print(f"{name:10} {meta.perturbation(name)(texts[:1])[0]}")

# %%
# Count the errors that each metric notices
# -----------------------------------------
# ``stress`` scores the good and the damaged texts. ``detected`` is the share of texts whose damaged version scores
# lower. Texts that could not be changed do not count; the column ``n`` is the number of changed texts.
METRICS = ["chrf", "bleu", "meteor", "f1"]
findings = meta.stress(METRICS, texts, references)
cells = {(row["phenomenon"], row["metric"]): row for row in findings}
names = list(dict.fromkeys(row["phenomenon"] for row in findings))
print(" " * 18 + " n " + " ".join(f"{metric:>6}" for metric in METRICS))
for name in names:
    shares = " ".join(f"{cells[name, metric]['detected']:6.2f}" for metric in METRICS)
    print(f"{name:15} {cells[name, 'chrf']['n']:>4} {shares}")

# %%
# All four metrics notice the critical errors, except one exchange of names in F1. F1 does not notice the
# order of words, because it compares bags of words. METEOR and F1 ignore case and punctuation. The picture
# shows the same shares with intervals.
plots.stress(findings)

# %%
# Compare the size of the drops
# -----------------------------
# A metric that notices an error may give it little weight. ``relative_drop`` is the drop as a share of the drop to an
# unrelated text.
for name in ("negation", "number", "entity", "punctuation", "deletion", "length"):
    drops = " ".join(f"{cells[name, metric]['relative_drop']:6.2f}" for metric in METRICS)
    print(f"{name:12} {cells[name, 'chrf']['severity']:8} {drops}")

# %%
# Added words cost more than a wrong fact: a sentence of another text lowers all four metrics more than a "not" that
# reverses the meaning. For chrF, BLEU and METEOR also every seventh word that is missing costs more than the "not". A
# small drop is lost in the noise of a test set, so a metric that notices an error in a pair of texts may still not find
# the worse system.

# %%
# What this does not show
# -----------------------
# The perturbations are made by rules, and the good texts are close to their references. Errors of real systems are less
# clean. With texts that differ more from the references a metric notices less. ``contrast`` runs the same test on pairs
# of texts that people wrote.
#
# See also: :doc:`/statistics/meta-evaluation`, :doc:`/metrics/chrf`, :doc:`/metrics/f1`,
# :doc:`plot_metrics_as_rewards`.
