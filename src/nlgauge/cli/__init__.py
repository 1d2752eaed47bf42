"""The command line: data on standard output, everything else on standard error. A command's module is
imported when the command runs.

Exit codes: 0 done, 1 failed, 2 incorrect usage, 3 check failed, 4 check inconclusive, 130 interrupted.
"""

from __future__ import annotations

from nlgauge.cli.program import Program

# The commands of `nlgauge --help`, by group and in this order: name -> module of nlgauge.cli.commands and
# the command in it.
app = Program(
    {
        "Score": {"score": "score:score", "add": "add:add", "demo": "demo:demo", "eval": "eval:eval_command"},
        "Look": {
            "show": "show:show_command",
            "segments": "segments:segments",
            "explain": "explain:explain",
            "report": "report:report",
            "serve": "serve:serve",
            "plot": "plot:plot",
        },
        "Decide": {"compare": "compare:compare", "check": "check:check"},
        "Trust": {
            "choose": "choose:choose",
            "list": "list:list_command",
            "card": "card:card",
            "meta": "meta:app",
            "benchmarks": "benchmarks:app",
            "judge": "judge:app",
        },
        "Set up": {
            "models": "models:app",
            "cache": "cache:app",
            "completion": "about:completion",
            "help": "about:help_command",
            "version": "about:version",
        },
    }
)


def main() -> None:
    """Run the command line; the console entry."""
    app()
