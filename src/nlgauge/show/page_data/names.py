"""Short names of labels and outputs that are distinct on one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from nlgauge.metric.registry import SUFFIX, without_parameters
from nlgauge.results.labels import output_name

# Characters of a name in tables and figures of a page.
BRIEF = 28


def short_labels(labels: Sequence[str]) -> dict[str, str]:
    """Return a name for each label: the metric, followed by the parameters in which labels of the same metric
    differ.

    >>> short_labels(["bleu(lowercase=True)", "chrf", "chrf(beta=1, word_order=2)", "chrf(beta=1)"])
    {'bleu(lowercase=True)': 'bleu', 'chrf': 'chrf', 'chrf(beta=1, word_order=2)': 'chrf beta=1 word_order=2',
    'chrf(beta=1)': 'chrf beta=1'}
    """
    families: dict[str, list[str]] = {}
    for label in labels:
        families.setdefault(without_parameters(label), []).append(label)
    names: dict[str, str] = {}
    for metric, family in families.items():
        parameters = {label: _parameters(label) for label in family}
        common = set.intersection(*map(set, parameters.values()))
        names |= {
            label: " ".join([metric, *(one for one in parameters[label] if one not in common)])
            for label in family
        }
    counts = Counter(names.values())
    return {label: name if counts[name] == 1 else label for label, name in names.items() if label in labels}


def shown_name(label: str, output: str, names: Mapping[str, str]) -> str:
    """Return the name of an output, then the parameters of the short label.

    >>> shown_name("rouge(stem=True)", "rougeL", {"rouge(stem=True)": "rouge stem=True"})
    'rouge.rougeL stem=True'
    """
    metric = without_parameters(label)
    return output_name(metric, output) + names[label][len(metric) :]


def brief_names(names: Sequence[str]) -> list[str]:
    """Return the names with at most `BRIEF` characters, without the middle of a longer name; a name that
    would equal another is not shortened.

    >>> brief_names(["bleu", "bertscore.f1 model=a/long-name-of-a-model"])
    ['bleu', 'bertscore.f1 mod…-of-a-model']
    """
    shorter = [name if len(name) <= BRIEF else f"{name[:16]}…{name[17 - BRIEF :]}" for name in names]
    counts = Counter([*shorter, *names])
    return [
        brief if brief == name or counts[brief] == 1 else name
        for brief, name in zip(shorter, names, strict=True)
    ]


def _parameters(label: str) -> list[str]:
    """Return the parameters in a label's brackets; a comma inside brackets or quotes separates nothing."""
    text = label.partition("(")[2].removesuffix(SUFFIX).removesuffix(")")
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        else:
            depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
