"""One module per command, imported when the command runs."""

from __future__ import annotations

from nlgauge.cli.program import Entry, Program

# The commands of `nlgauge --help`, by group and in this order.
app = Program(
    {
        "Score": {
            "score": Entry(
                "score:score",
                "Score predictions and print a table with confidence intervals and p-values.",
            ),
            "add": Entry(
                "add:add", "Add metrics or systems to a saved result without scoring the rest again."
            ),
            "import": Entry(
                "import_scores:import_command",
                "Import scores of other tools: evaluation logs, or columns of files.",
            ),
            "run": Entry("run:run", "Score, save and check as a run file describes."),
            "demo": Entry("demo:demo", "Score the sample that ships with nlgauge; needs no files."),
            "generate": Entry(
                "decide.generate:generate_command",
                "Generate predictions with a causal language model on this machine.",
            ),
            "eval": Entry(
                "eval:eval_command",
                "Score two files and print JSON, as `nlgmetricverse eval` and `jury eval` do.",
            ),
        },
        "Look": {
            "show": Entry(
                "show:show_command",
                "Show the scores of a saved result as a table, LaTeX, Markdown, CSV or JSON.",
            ),
            "segments": Entry(
                "segments:segments", "Print the score of every segment, or list the worst segments."
            ),
            "explain": Entry(
                "explain:explain", "Explain the score of a segment: matched words, edits, alignments."
            ),
            "report": Entry("report:report", "Write a saved result as one HTML file that needs no network."),
            "serve": Entry("serve:serve", "Explore saved results in the browser."),
            "plot": Entry("plot:plot", "Draw a figure of a saved result as PDF, PNG or SVG."),
        },
        "Decide": {
            "compare": Entry("decide.compare:compare", "Test whether systems differ significantly."),
            "check": Entry(
                "decide.check:check", "Exit with code 3 if a system is worse than a baseline or a threshold."
            ),
            "plan": Entry(
                "decide.plan:plan", "Plan how many segments, answers and judge runs show a difference."
            ),
            "rank": Entry(
                "decide.rank:rank_command",
                "Rank systems from verdicts on pairs of predictions, with intervals.",
            ),
            "mbr": Entry(
                "decide.mbr:mbr_command",
                "Choose the best of several candidates for each input (minimum Bayes risk).",
            ),
        },
        "Trust": {
            "choose": Entry(
                "choose:choose", "Recommend metrics for a task, with evidence from human judgments."
            ),
            "list": Entry(
                "list:list_command",
                "List metrics, with what each needs and whether higher or lower is better.",
            ),
            "card": Entry("card:card", "Show how a metric works, how to read it and when it misleads."),
            "meta": Entry("meta:app", "Measure how well metrics agree with human judgments."),
            "spans": Entry(
                "spans:app", "Convert files with error spans, and score texts by the weights of errors."
            ),
            "benchmarks": Entry(
                "benchmarks:app", "List, describe, download and import benchmarks of human judgments."
            ),
            "annotate": Entry(
                "annotate:app", "Collect human ratings in the browser, and estimate scores from them."
            ),
            "judge": Entry("judge:app", "Test language models that are used as judges."),
            "reproduce": Entry(
                "reproduce:reproduce",
                "Reproduce the tables and figures of a paper next to the printed numbers.",
            ),
            "verify": Entry(
                "verify:verify", "Compare numbers that other programs printed on real weights with nlgauge."
            ),
        },
        "Set up": {
            "models": Entry("models:app", "Download, convert and describe models."),
            "cache": Entry("cache:app", "Manage the caches of segment statistics and judge replies."),
            "completion": Entry("about:completion", "Print the completion script of a shell."),
            "help": Entry("about:help_command", "Print a page on a topic, or the help of a command."),
            "version": Entry("about:version", "Print the version and the kernels in use."),
        },
    }
)
