"""
A gate in CI
============

How can a pipeline stop a change that makes the texts worse, and let noise pass? This tutorial saves a baseline, checks
two candidates against it with ``nlgauge check``, reads the exit codes, and ends with the workflow file.
"""

# %%
# Data
# ----
# The references are 40 sentences made from a template, so that the effect of a change is known. The baseline drops one
# word in each sentence with an even number. One candidate makes the same error in two other sentences; the other
# candidate drops a word in every sentence.
import subprocess
import sys
import tempfile
from pathlib import Path

import nlgauge
from nlgauge import plots

places = ["harbor", "library", "school", "market", "station", "garden", "museum", "bridge"]
references = [
    f"The {places[number % 8]} opens at {number % 12 + 1} and closes {number % 5 + 2} hours later."
    for number in range(40)
]


def without_word(text):
    """Return the text without its third word."""
    words = text.split()
    return " ".join(words[:2] + words[3:])


baseline = [without_word(text) if number % 2 == 0 else text for number, text in enumerate(references)]
similar = [
    without_word(text) if number in (1, 3) else baseline[number] for number, text in enumerate(references)
]
worse = [without_word(text) for text in references]

# %%
# Save the baseline
# -----------------
# A gate compares with the saved result of an earlier version on the same segments. ``texts=False`` saves scores without
# texts, so the directory is small and can be committed.
directory = Path(tempfile.mkdtemp())
nlgauge.score({"main": baseline}, references, metrics="chrf").save(directory / "baseline", texts=False)
nlgauge.score({"similar": similar}, references, metrics="chrf").save(directory / "similar")
nlgauge.score({"worse": worse}, references, metrics="chrf").save(directory / "worse")


# %%
# Check
# -----
# In a shell the call is ``nlgauge check similar --baseline baseline --fail-if "chrf drops"``.
def check(name, *options):
    """Run `nlgauge check` on a saved result, and print its output and its exit code."""
    command = [sys.executable, "-m", "nlgauge", "check", name, "--baseline", "baseline", *options]
    done = subprocess.run(command, cwd=directory, capture_output=True, check=False, encoding="utf-8")
    print(done.stdout)
    print("exit code", done.returncode)


check("similar", "--fail-if", "chrf drops")

# %%
# Two more wrong sentences lower chrF by 0.94, and chance explains the difference (p = 0.52): the gate passes with exit
# code 0. The last line limits the claim: drops below 1.76 chrF may pass, because 40 segments are too few to see them.
#
# The other candidate makes the error everywhere. The gate fails with exit code 3, and ``--summary`` appends the table
# as Markdown to a file; on GitHub that file is ``$GITHUB_STEP_SUMMARY``.
check("worse", "--fail-if", "chrf drops", "--summary", "summary.md")
print((directory / "summary.md").read_text("utf-8").splitlines()[0])

# %%
# Ask for evidence
# ----------------
# "Not significantly worse" is not "as good". A margin reverses the burden of proof: the interval must show that at most
# 1 chrF is lost.
check("similar", "--fail-if", "chrf drops", "--margin", "1")

# %%
# The interval reaches below -1, so the verdict is inconclusive: exit code 4. The observed loss is close to the margin,
# so it would take about 40,000 more segments to decide. A wider margin or a smaller loss needs far fewer. The option
# ``--inconclusive pass`` or ``fail`` turns such verdicts into code 0 or 3.
#
# Show the change
# ---------------
# A picture of the segments belongs in the report of a failed gate. The waterfall shows one bar per segment: half of the
# segments are equal, and the other half lost.
both = nlgauge.score({"main": baseline, "worse": worse}, references, metrics="chrf")
plots.waterfall(both, "chrf", "main", "worse")

# %%
# Write the workflow
# ------------------
# These steps score and check every pull request. The directory ``data/baseline`` is committed; update it in the commit
# that changes the quality on purpose.
#
# .. code-block:: yaml
#
#    - run: python translate.py < data/sources.txt > new.txt
#    - run: nlgauge score -m chrf -r data/refs.txt new.txt -o new --offline
#    - run: nlgauge check new --baseline data/baseline --fail-if "chrf drops" --summary "$GITHUB_STEP_SUMMARY"

# %%
# What this does not show
# -----------------------
# A gate on chrF protects chrF. A change that keeps chrF and harms the texts passes; add a metric of another kind, and
# read samples. A gate that runs at every commit tests many times, so at a level of 0.05 a false alarm will come; a
# smaller ``--alpha`` makes it rarer.
#
# See also: :doc:`/howto/ci`, :doc:`/reference/cli/check`, :doc:`/statistics/tests`.
