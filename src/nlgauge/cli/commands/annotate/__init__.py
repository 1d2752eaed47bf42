"""nlgauge annotate: human ratings in the browser."""

from __future__ import annotations

from nlgauge.cli.command import Group
from nlgauge.cli.commands.annotate.creating import add, new
from nlgauge.cli.commands.annotate.files import export, import_ratings, merge, page
from nlgauge.cli.commands.annotate.serving import serve, tokens
from nlgauge.cli.commands.annotate.status import status

app = Group(
    "Collect human ratings in the browser, and estimate scores from them.",
    {
        "new": new,
        "serve": serve,
        "status": status,
        "tokens": tokens,
        "add": add,
        "export": export,
        "import": import_ratings,
        "page": page,
        "merge": merge,
    },
)
