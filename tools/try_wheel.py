"""Tries an installed wheel, outside the checkout: the compiled kernels run, and score the sample as the plain ones do."""

from __future__ import annotations

import sys

import nlgauge
from nlgauge.cli.demo import sample
from nlgauge.features import RunOptions
from nlgauge.kernels import backend

METRICS = ["bleu", "chrf(word_order=2)", "rouge", "wer", "cer", "ter", "meteor", "cider", "coverage", "eed", "character", "sari", "nist"]


def main() -> None:
    if backend.NATIVE is None:
        sys.exit("this wheel has no compiled kernels")
    texts = sample()
    found = []
    for kernels in ("native", "python"):
        with backend.using(kernels):
            found.append(nlgauge.Scorer(METRICS).score_corpus(texts, None, RunOptions()).segments("records"))
    if found[0] != found[1]:
        sys.exit("compiled and plain kernels differ")
    print(f"{nlgauge.__file__}: {len(METRICS)} metrics on {len(found[0])} rows, compiled and plain kernels agree")


if __name__ == "__main__":
    main()
