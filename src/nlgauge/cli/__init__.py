"""The command line: data on standard output, everything else on standard error. A command's module is
imported when the command runs.

Exit codes: 0 done, 1 failed, 2 incorrect usage, 3 check failed, 4 check inconclusive, 130 interrupted.
"""

from __future__ import annotations

import gc


def main() -> None:
    """Run the command line; the console entry."""
    # Imports create objects that are all in use; `collect_garbage` starts the collector.
    gc.disable()
    from nlgauge.cli.commands import app

    app()
