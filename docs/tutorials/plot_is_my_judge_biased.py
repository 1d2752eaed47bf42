"""
Is my judge biased
==================

A language model that scores texts may prefer long texts, or the text that it reads first. This tutorial tests a judge
with ``nlgauge judge check``. The judge is a small server on this machine with known biases, so that nothing is
downloaded or sent to another host, and the report can be compared with the truth.
"""

# %%
# A judge with two biases
# -----------------------
# Every server with OpenAI's chat completions can be a judge. This server replies by two rules. It scores a text by its
# number of words, and it prefers the first of two texts unless the second is longer by five words or more. Replace the
# address by the address of a real endpoint to test a real judge.
import json
import os
import re
import subprocess
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import matplotlib.pyplot as plt

import nlgauge
from nlgauge.meta import benchmarks


def reply(prompt):
    """Return the reply to a prompt with one text (a number from 1 to 5) or with two (A or B)."""
    pair = re.search(r"Text A:\n(.*)\n\nText B:\n(.*)\n\nWhich", prompt, re.DOTALL)
    if pair:
        first, second = (len(text.split()) for text in pair.groups())
        return "B" if second - first >= 5 else "A"
    text = re.search(r"Text:\n(.*)\n\nScore:", prompt, re.DOTALL)[1]
    return str(min(5, 1 + len(text.split()) // 5))


class Judge(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": reply(body["messages"][-1]["content"])}
        data = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Judge)
Thread(target=server.serve_forever, daemon=True).start()

# %%
# Data
# ----
# The texts are the 24 predictions of one system of the sample that ships with nlgauge, one per line, with their
# sources.
directory = Path(tempfile.mkdtemp())
rows = [row for row in benchmarks.load("sample").rows if row.system == "improved"]
(directory / "system.txt").write_text("".join(f"{row.prediction}\n" for row in rows), "utf-8")
(directory / "sources.txt").write_text("".join(f"{row.source}\n" for row in rows), "utf-8")
print(len(rows), "texts")

# %%
# Run the check
# -------------
# The metric ``judge`` asks for one number, and ``scoring="single"`` takes one reply at temperature 0. Replies are
# cached, here in a temporary file. The key of the endpoint is read from an environment variable. In a shell the call is
# ``nlgauge judge check system.txt -s sources.txt -m 'judge(...)'``; with ``--json`` it prints the same findings as
# JSON.
os.environ["NLGAUGE_JUDGE_CACHE"] = str(directory / "replies.sqlite")
os.environ["OPENAI_API_KEY"] = "not-needed"
metric = f'judge(model="example", base_url="http://127.0.0.1:{server.server_port}/v1", scoring="single")'
command = [
    "judge",
    "check",
    str(directory / "system.txt"),
    "-s",
    str(directory / "sources.txt"),
    "-m",
    metric,
]
done = subprocess.run(
    [sys.executable, "-m", "nlgauge", *command, "--json"], capture_output=True, check=True, encoding="utf-8"
)
report = json.loads(done.stdout)
print(f"{report['used']['judge requests']:.0f} requests about {report['rows']} texts")

# %%
# Read the findings
# -----------------
# ``fine`` is within the range of a fair judge; ``look`` is not, and the replies should be read. Findings without a
# verdict are for information.
for row in report["findings"]:
    interval = "" if row["low"] is None else f"[{row['low']:.2f}, {row['high']:.2f}]"
    verdict = {True: "fine", False: "look", None: ""}[row["fine"]]
    print(f"{row['probe']:13} {row['value']:5.2f} {interval:12} {verdict:4}  {row['what']}")

# %%
# The report contains both rules. Scores and lengths have a rank correlation of 0.86, and a sentence without content at
# the end of each text adds 1.65 points. The judge always prefers the first of two equal texts (0.5 is the largest
# possible value), and in only a quarter of the pairs the same text wins in both orders. The rules are deterministic, so
# the judge is perfectly repeatable: a repeatable judge can be biased.
#
# Show the bias
# -------------
# Score all texts with the same judge and draw the score against the length. The scores rise in steps of five words.
result = nlgauge.score([row.prediction for row in rows], metrics=metric)
scores = [row["judge"] for row in result.segments("records")]
figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
axes.plot([len(row.prediction.split()) for row in rows], scores, "o")
axes.set(xlabel="words of the text", ylabel="score of the judge", ylim=(0.5, 5.5))
server.shutdown()

# %%
# What this does not show
# -----------------------
# A correlation with length is not a bias if longer texts are better. The sentence without content is the stronger
# probe, because it changes only the length. A judge may also prefer texts of its own model family; ``--own`` tests
# that. A fair judge can still disagree with people: :doc:`/statistics/meta-evaluation` measures agreement.
#
# See also: :doc:`/howto/judges`, :doc:`/metrics/judge`, :doc:`/metrics/pairwise`, :doc:`/reference/cli/judge`.
