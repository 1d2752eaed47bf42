"""
References: how many
====================

A good text can be worded in many ways, and a reference is one of them. How do scores change with the number of
references, and which rule combines several of them? This tutorial scores four systems with one and with more
references, compares the rules, and checks whether the order of the systems depends on them.
"""

# %%
# Data
# ----
# The benchmark ``sample`` ships with nlgauge: four systems summarize 24 short texts that have one to three references.
# The texts were written for this package, so the numbers are no evidence about real systems.
from collections import Counter

import matplotlib.pyplot as plt

import nlgauge
from nlgauge.meta import benchmarks

records = [
    {
        "id": row.segment,
        "system": row.system,
        "prediction": row.prediction,
        "references": list(row.references),
    }
    for row in benchmarks.load("sample").rows
]
first = [record for record in records if record["system"] == "baseline"]
print(Counter(len(record["references"]) for record in first))

# %%
# One reference or all
# --------------------
# Score the same predictions with the first reference of each segment, then with all references.
METRICS = ["bleu", "chrf", "ter", "rouge"]
single = [{**record, "references": record["references"][:1]} for record in records]
one = nlgauge.score(single, metrics=METRICS)
several = nlgauge.score(records, metrics=METRICS)
for system in several.systems:
    changes = [
        f"{name} {one[system][name]['score']:.3g} to {several[system][name]['score']:.3g}" for name in METRICS
    ]
    print(f"{system:9}", ", ".join(changes))

# %%
# Every score is better with more references: BLEU, chrF and ROUGE-L rise, and TER falls. The predictions are the same,
# so scores with different numbers of references must not be compared. The signature contains the number (``nrefs``):
print(one.signatures["chrf"])
print(several.signatures["chrf"])

# %%
# Choose the rule
# ---------------
# Most metrics score a prediction against each reference and then combine the scores. The default is the best reference
# (``"max"``). ``reduce_fn`` names another rule: a NumPy function such as ``"mean"``, or your own function.
RULES = ["max", "mean", "min"]
rules = {rule: nlgauge.score(records, metrics=["bleu", "rouge"], reduce_fn=rule) for rule in RULES}
for system in several.systems:
    values = [f"{rule} {result[system]['rouge']['score']:.3f}" for rule, result in rules.items()]
    print(f"ROUGE-L of {system:9}", ", ".join(values))
print("BLEU of improved", [round(result["improved"]["bleu"]["score"], 2) for result in rules.values()])

# %%
# The rule changes ROUGE-L more than the number of references did. BLEU does not change: it counts n-grams in all
# references of a segment together, so it has no scores to combine.
#
# Look at the order of systems
# ----------------------------
# The picture shows ROUGE-L of the four systems in all four settings. The system ``improved`` is first and ``cut`` is
# last in all of them. The two systems in the middle change places.
settings = {"one reference": one, **{f"all, {rule}": result for rule, result in rules.items()}}
figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
for system in several.systems:
    axes.plot(
        settings.keys(),
        [result[system]["rouge"]["score"] for result in settings.values()],
        "o-",
        label=system,
    )
axes.set(ylabel="ROUGE-L", ylim=(0, 1))
axes.legend()

# %%
# Test the difference that changes its sign
# -----------------------------------------
for name, result in settings.items():
    row = result.compare("lead", "baseline")["rouge.rougeL"]
    print(
        f"{name:14} baseline - lead = {row.gain:+.3f} [{row.gain_low:+.3f}, {row.gain_high:+.3f}], p = {row.p:.2f}"
    )

# %%
# No setting finds a significant difference between the two, so chance explains the change of places. Choose the rule
# before you see the scores, and use the same rule for all systems.

# %%
# What this does not show
# -----------------------
# Two segments have three references and none has more, so the tutorial cannot show how scores continue to rise. More
# references make a score higher; whether they make it agree better with people is a question for
# :doc:`/statistics/meta-evaluation`.
#
# See also: :doc:`/howto/files`, :doc:`/metrics/rouge`, :doc:`/metrics/bleu`, :doc:`/reference/signatures`.
