"""Leaderboard: all values of the evidence in one table that can be sorted and filtered in the browser."""

from __future__ import annotations

import json

from nlgauge._core import language
from nlgauge.advisor.evidence import Table
from nlgauge.advisor.settings import CONTROLS
from tools.site.evidence import metric_of
from tools.site.files import Target
from tools.site.metrics import packaged

PAGE = """# Leaderboard

Agreement of each metric with human judgments, with 95% intervals, on every benchmark. The address of the page follows the
filters, so a view can be linked.

```{raw} html
<div class="lb">
<form class="lb-filters" aria-label="Filter the leaderboard"></form>
<p class="lb-count" role="status"></p>
<div class="lb-scroll" tabindex="0" role="region" aria-label="Leaderboard"><table class="table lb-table">
<thead></thead><tbody></tbody></table></div>
<noscript><p>This table needs JavaScript; the full tables below do not.</p></noscript>
</div>
<script src="../_static/leaderboard-data.js"></script>
<script src="../_static/leaderboard.js"></script>
```

- *language* is the language of the texts that were scored; a benchmark of several languages is shown for each of them.
- *texts*: do the metric and people order texts alike? *systems*: do they order systems alike?
- 0 means no agreement, 1 full agreement; a negative value contradicts people. Distances count with a minus sign.
- *cluster* 1 is the best: a new cluster starts with the first metric that is significantly worse than one of the
  current cluster. *•* marks a metric that no other metric exceeds significantly.
- *s per 1,000* are CPU seconds per 1,000 texts on one core without an accelerator.
- `length in words` and `random numbers` are controls, not metrics.

[How the values were computed, and the full tables](results/leaderboard.md). [What follows for practice](results/choosing.md).
"""


def write(target: Target, evidence: list[Table]) -> None:
    """Write the page and its data."""
    rows = [
        [
            table.task,
            table.benchmark,
            table.dimension,
            table.sample or "all",
            level,
            label,
            rounded(entry[level]["value"]),
            rounded(entry[level].get("low")),
            rounded(entry[level].get("high")),
            entry[level].get("cluster"),
            int(bool(entry[level].get("unbeaten"))),
            rounded(entry.get("seconds")),
            list(table.languages),
        ]
        for table in evidence
        for label, entry in table.metrics.items()
        for level in ("texts", "systems")
        if level in entry
    ]
    metrics = packaged()
    pages = sorted({metric_of(row[5]) for row in rows if row[5] not in CONTROLS} & metrics.keys())
    languages = {code: language.name(code) for table in evidence for code in table.languages}
    data = json.dumps({"rows": rows, "pages": pages, "languages": languages}, separators=(",", ":"))
    target.write("_static/leaderboard-data.js", f"window.nlgaugeLeaderboard={data};\n")
    target.write("leaderboard.md", PAGE)


def rounded(value: float | None) -> float | None:
    """Round to three significant digits, enough for the table."""
    return None if value is None else float(f"{value:.3g}")
