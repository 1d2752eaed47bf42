"""What users of sacreBLEU and of other programs type: other names of our options, and the right form of
what is written otherwise here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from nlgauge.errors import ParameterError

SAME = {
    "--metrics": ["--metric"],
    "-ci": ["--confidence"],
    "--confidence-n": ["--resamples"],
    "-cin": ["--resamples"],
    "--paired-bs": ["--test=bootstrap"],
    "-pbs": ["--test=bootstrap"],
    "--paired-ar": ["--test=randomization"],
    "-par": ["--test=randomization"],
    "--paired-bs-n": ["--resamples"],
    "-pbsn": ["--resamples"],
    "--paired-ar-n": ["--resamples"],
    "-parn": ["--resamples"],
    "--sentence-level": ["--segments", "-"],
    "-sl": ["--segments", "-"],
    "-e": ["--encoding"],
    "--citation": ["--cite"],
    "--language-pair": ["--lang"],
    **{
        name: ["--input"]
        for name in (
            "--hyp",
            "--hyps",
            "--hypothesis",
            "--hypotheses",
            "--cand",
            "--candidates",
            "--system",
            "--systems",
            "--inputs",
        )
    },
    **{name: ["--input"] for name in ("--pred", "--prediction", "--predictions")},
    **{name: ["--references"] for name in ("--ref", "--refs", "--reference")},
    **{name: ["--source"] for name in ("--src", "--sources")},
    **{name: ["--lang"] for name in ("--language", "--languages")},
}
_PARAMETER = 'is a parameter of the metric here: -m "{}"'
INSTEAD = {
    "--smooth-method": _PARAMETER.format("bleu(smooth_method='floor')"),
    "--smooth-value": _PARAMETER.format("bleu(smooth_method='floor', smooth_value=0.1)"),
    "-sv": _PARAMETER.format("bleu(smooth_method='floor', smooth_value=0.1)"),
    "--chrf-char-order": _PARAMETER.format("chrf(char_order=6)"),
    "-cc": _PARAMETER.format("chrf(char_order=6)"),
    "--chrf-word-order": _PARAMETER.format("chrf(word_order=2)"),
    "-cw": _PARAMETER.format("chrf(word_order=2)"),
    "--chrf-beta": _PARAMETER.format("chrf(beta=2)"),
    "--chrf-whitespace": _PARAMETER.format("chrf(whitespace=True)"),
    "--chrf-lowercase": _PARAMETER.format("chrf(lowercase=True)"),
    "--chrf-eps-smoothing": _PARAMETER.format("chrf(eps_smoothing=True)"),
    "--ter-case-sensitive": _PARAMETER.format("ter(lowercase=False)"),
    "--ter-asian-support": _PARAMETER.format("ter(asian_support=True)"),
    "--ter-no-punct": _PARAMETER.format("ter(no_punct=True)"),
    "--ter-normalized": _PARAMETER.format("ter(normalized=True)"),
    "--num-refs": "is not needed: name each column of references, -r FILE.tsv:1 -r FILE.tsv:2",
    "-nr": "is not needed: name each column of references, -r FILE.tsv:1 -r FILE.tsv:2",
    "--paired-jobs": "is --jobs here",
    "-j": "is --jobs here",
    "--detail": "is not here; score the parts with --origlang, or see all outputs of a metric with --details",
    "-d": "is not here; score the parts with --origlang, or see all outputs of a metric with --details",
    "--force": "is not needed: no text is refused because it looks tokenised",
    "--short": "is not here: signatures have one form",
    "-sh": "is not here: signatures have one form",
    "--no-color": "is not here: set NO_COLOR=1, or write to a file",
    "-nc": "is not here: set NO_COLOR=1, or write to a file",
    "--download": "is not here, since nothing is fetched unasked: run sacrebleu --download TEST-SET -l PAIR",
}
_SMOOTHINGS = ("none", "floor", "add-k", "exp")


def translated(words: Sequence[str], known: Collection[str]) -> list[str]:
    """The words with our names of sacreBLEU's options as far as the command knows them; an error with the
    right form where there is none.
    """
    found: list[str] = []
    for i, word in enumerate(words):
        name, equals, value = word.partition("=")
        own = SAME.get(name, [name])
        if name in known or own[0].partition("=")[0] not in known:
            if name in INSTEAD and name not in known and "--references" in known:
                raise ParameterError(f"{name} {INSTEAD[name]}")
            following = "".join(words[i + 1 : i + 2])
            if word == "-s" and following in _SMOOTHINGS and not Path(following).exists():
                raise ParameterError(
                    "-s names the sources here; smoothing"
                    f" {_PARAMETER.format(f'bleu(smooth_method={following!r})')}"
                )
            found.append(word)
        else:
            found += [own[0] + equals + value, *own[1:]]
    return found
