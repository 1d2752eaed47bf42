"""Names in tables: metrics as papers write them, and systems without a long common beginning."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence

_WRITTEN = """
BLEU chrF TER WER CER MER WIL WIP CDER EED CharacTER ROUGE METEOR NIST GLEU RIBES CIDEr SARI Self-
BLEU ROUGE-WE YiSi BERTScore BARTScore BaryScore DepthScore MoverScore InfoLM BLEURT COMET CometKiwi
xCOMET UniTE MetricX LENS PRISM NUBIA UniEval SEAHORSE BLANC ESTIME SummaC FactCC AlignScore
GPTScore G-Eval GEMBA MAUVE COSMIC Vendi MATTR SMOG ARI AUN F1
"""
_PAPER = {name.lower().replace("-", "_"): name for name in _WRITTEN.split()}
# A beginning that is shorter than this is not cut off.
_LONG = 12
_JOINT = re.compile(r"[-_./: ]")


def paper_name(name: str, output: str = "") -> str:
    """Return the name of a metric, with the name of an output, as papers write it; "" if that is unknown.

    >>> paper_name("chrf"), paper_name("rouge", "rougeL"), paper_name("bertscore", "precision")
    ('chrF', 'ROUGE-L', 'BERTScore precision')
    """
    known = _PAPER.get(name, "")
    if known and output.startswith(name):
        return "-".join(filter(None, (known, output.removeprefix(name))))
    return f"{known} {output}".rstrip() if known else ""


def short_names(names: Sequence[str]) -> Mapping[str, str]:
    """Return each name without the beginning that all share, if that is long and ends at a joint.

    >>> dict(short_names(["newstest2021.en-de.A", "newstest2021.en-de.B-1"]))
    {'newstest2021.en-de.A': 'A', 'newstest2021.en-de.B-1': 'B-1'}
    """
    letters = zip(*names, strict=False)
    equal = (
        sum(1 for _ in itertools.takewhile(lambda row: len(set(row)) == 1, letters)) if len(names) > 1 else 0
    )
    size = max((joint.end() for joint in _JOINT.finditer(names[0][:equal])), default=0) if names else 0
    cut = size if size >= _LONG and all(len(name) > size for name in names) else 0
    return {name: name[cut:] for name in names}


def shortened_note(names: Sequence[str]) -> list[str]:
    """Return a sentence with the beginning that `short_names` cuts off, if it does."""
    first = next(iter(names), "")
    short = short_names(names).get(first, first)
    return [f"The names of all systems begin with {first.removesuffix(short)!r}."] if short != first else []
