"""Options of sacreBLEU and of other programs: names that nlgauge accepts, and the form that replaces the
other options.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import click

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
_PARAMETER = 'is a parameter of the metric; use -m "{}"'
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
    "--num-refs": "is not needed; use -r FILE.tsv:1 -r FILE.tsv:2 for columns of references",
    "-nr": "is not needed; use -r FILE.tsv:1 -r FILE.tsv:2 for columns of references",
    "--paired-jobs": "is not supported; use --jobs",
    "-j": "is not supported; use --jobs",
    "--detail": "is not supported; score parts with --origlang, or show all outputs of a metric with --details",
    "-d": "is not supported; score parts with --origlang, or show all outputs of a metric with --details",
    "--force": "is not needed; nlgauge does not refuse tokenized texts",
    "--short": "is not supported; signatures have one form",
    "-sh": "is not supported; signatures have one form",
    "--no-color": "is not supported; set NO_COLOR=1, or redirect the output to a file",
    "-nc": "is not supported; set NO_COLOR=1, or redirect the output to a file",
    "--download": "is not supported; run: sacrebleu --download TEST-SET -l PAIR",
}
_SMOOTHINGS = ("none", "floor", "add-k", "exp")


def translated(words: Sequence[str], names: Collection[str]) -> list[str]:
    """Replace options of sacreBLEU by options of nlgauge if the command has them; raise ParameterError with the
    right form for the others.
    """
    result: list[str] = []
    for i, word in enumerate(words):
        name, equals, value = word.partition("=")
        same = SAME.get(name, [name])
        if name in names or same[0].partition("=")[0] not in names:
            if name in INSTEAD and name not in names and "--references" in names:
                raise click.UsageError(f"{name} {INSTEAD[name]}")
            following = "".join(words[i + 1 : i + 2])
            if word == "-s" and following in _SMOOTHINGS and not Path(following).exists():
                raise click.UsageError(
                    f"-s names the source texts; smoothing {_PARAMETER.format(f'bleu(smooth_method={following!r})')}"
                )
            result.append(word)
        else:
            result += [same[0] + equals + value, *same[1:]]
    return result
