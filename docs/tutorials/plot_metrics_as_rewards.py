"""
Metrics as rewards
==================

A metric can be the reward in training: the model then learns to please the metric. This tutorial makes reward
functions, sets their scale, tries what a model could learn to exploit, and combines two rewards.
"""

# %%
# Data
# ----
# One reference, and texts that a model might try: a copy, a good paraphrase, and five degenerate texts.
import matplotlib.pyplot as plt
import numpy as np

import nlgauge

reference = "The ferry stops for two weeks in March while the rusted ramp is replaced."
texts = {
    "copy": reference,
    "paraphrase": "In March there will be no ferry for a fortnight, because a new ramp is built.",
    "shuffled": "ramp rusted the while March in weeks two for stops ferry The replaced is.",
    "negated": "The ferry does not stop for two weeks in March while the rusted ramp is replaced.",
    "repeated": " ".join([reference] * 3),
    "keywords": "the ferry ferry stops two weeks March the rusted ramp replaced",
    "empty": "",
}
predictions, references = list(texts.values()), [reference] * len(texts)

# %%
# Make a reward
# -------------
# ``nlgauge.reward`` turns a metric into a function: lists of texts in, a list of numbers out, and higher is better. It
# has the form that trainers such as TRL expect.
chrf = nlgauge.reward("chrf")
print([round(value, 2) for value in chrf(predictions, references)])

# %%
# Set the scale
# -------------
# Optimizers are sensitive to scale. ``"unit"`` maps the bounds of the metric to 0 and 1. Word error rate has no upper
# bound, so ``(1, 0)`` names the values that become 0 and 1: the reward is 1 - WER, and very long texts have negative
# rewards.
rewards = {
    "chrF": nlgauge.reward("chrf", scale="unit"),
    "ROUGE-1": nlgauge.reward("rouge", output="rouge1", scale="unit"),
    "ROUGE-1 recall": nlgauge.reward("rouge", output="rouge1_recall", scale="unit"),
    "METEOR": nlgauge.reward("meteor", scale="unit"),
    "1 - WER": nlgauge.reward("wer", scale=(1, 0)),
}
values = np.array([function(predictions, references) for function in rewards.values()])
print(" " * 15 + " ".join(f"{name:>10}" for name in texts))
for name, row in zip(rewards, values, strict=True):
    print(f"{name:15}" + " ".join(f"{value:10.2f}" for value in row))

# %%
# Look for exploits
# -----------------
# A reward is exploited if a bad text gets more than a good one. The good paraphrase has the lowest reward of all texts
# with words in ROUGE-1, its recall, METEOR and chrF: training on one reference punishes good wordings. The shuffled
# words have the full ROUGE-1, because it ignores the order. Three copies have the full recall, because nothing is
# subtracted for length. No metric notices that "does not stop" reverses the meaning: the negated text gets at least
# 0.57 from each.
figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
image = axes.imshow(values, vmin=0, vmax=1, cmap="viridis", aspect="auto")
axes.set_xticks(range(len(texts)), list(texts))
axes.set_yticks(range(len(rewards)), list(rewards))
figure.colorbar(image, label="reward")


# %%
# Combine rewards
# ---------------
# Two metrics with different failings are harder to exploit. The lower of METEOR and 1 - WER pays neither for shuffled
# words nor for repetition. The negated text is still second, and the paraphrase still gets nothing.
def combined(predictions, references):
    """Return the lower of two rewards for each text."""
    pairs = (rewards[name](predictions, references) for name in ("METEOR", "1 - WER"))
    return [min(pair) for pair in zip(*pairs, strict=True)]


for name, value in zip(texts, combined(predictions, references), strict=True):
    print(f"{name:10} {value:5.2f}")

# %%
# Use it in a trainer
# -------------------
# TRL calls reward functions with prompts, completions and the columns of the data set. Completions may be chat
# messages. Pass the function to the trainer: ``GRPOTrainer(..., reward_funcs=[reward])``.
answers = [[{"role": "assistant", "content": text}] for text in predictions[:2]]
print(rewards["chrF"](prompts=["Summarize."] * 2, completions=answers, reference=references[:2]))

# %%
# What this does not show
# -----------------------
# Seven texts by hand are not a policy: a model in training searches far more texts, and finds other exploits. Evaluate
# the trained model with a metric that was not its reward, and read its texts.
#
# See also: :doc:`/howto/training`, :doc:`/howto/reranking`, :doc:`/metrics/rouge`, :doc:`plot_stress_a_metric`.
