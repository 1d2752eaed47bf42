"""Tokenizers that are functions: the scores of texts whose tokens were joined, names, and functions that are refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.features.tokens.functions import PREFIX, name_of_function
from nlgauge.metric.saved import can_be_made_again

PREDICTIONS = ["A Well-Known cat sat down", "dogs, too"]
REFERENCES = ["the well known cat sat", "a dog-like one"]


def hyphens(text: str) -> list[str]:
    return text.lower().replace("-", " ").split()


def joined(texts: list[str]) -> list[str]:
    return [" ".join(hyphens(text)) for text in texts]


def scored(name: str, **parameters: object) -> nlgauge.Result:
    return nlgauge.score(PREDICTIONS, REFERENCES, metrics=[{"path": name, **parameters}])


@pytest.mark.parametrize(
    ("name", "spaces"),
    [
        ("bleu", "none"),
        ("nist", "none"),
        ("rouge", "whitespace"),
        ("meteor", "whitespace"),
        ("cider", "whitespace"),
        ("distinct", "whitespace"),
        ("levenshtein", "whitespace"),
        ("gleu", "whitespace"),
    ],
)
def test_a_function_has_the_scores_of_its_joined_tokens(name: str, spaces: str) -> None:
    result = scored(name, tokenizer=hyphens)
    expected = nlgauge.score(
        joined(PREDICTIONS), joined(REFERENCES), metrics=[{"path": name, "tokenizer": spaces}]
    )
    assert result[name] == expected[name]
    assert "function:test_token_functions.hyphens#" in result.signatures[result.labels[0]]


def test_the_hash_follows_the_code_and_not_its_place_or_process() -> None:
    source = "def tokens(text):\n    return [x for x in text.split() if x not in {'a', 'b', 'c'}]\n"
    names = []
    for text in (source, f"\n\n{source}", source.replace("'c'", "'d'")):
        space: dict[str, object] = {"__name__": "m"}
        exec(text, space)
        names.append(name_of_function(space["tokens"]))  # type: ignore[arg-type]
    assert names[0] == names[1] != names[2]
    program = (
        "from nlgauge.features.tokens.functions import name_of_function as n\n"
        f"space = {{'__name__': 'm'}}\nexec({source!r}, space)\nprint(n(space['tokens']))"
    )
    for seed in ("1", "2"):
        printed = subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert printed.stdout.strip() == names[0]


def test_functions_that_cannot_be_named_or_return_no_tokens_are_refused() -> None:
    def counting(limit: int) -> object:
        def limited(text: str) -> list[str]:
            return text.split()[:limit]

        return limited

    class Splitter:
        def tokens(self, text: str) -> list[str]:
            return text.split()

    with pytest.raises(ParameterError, match="define a function with def"):
        scored("rouge", tokenizer=lambda text: text.split())
    scored("rouge", tokenizer=counting(1))
    with pytest.raises(ParameterError, match=r"two tokenizers are called .*limited"):
        scored("rouge", tokenizer=counting(2))
    splitter = Splitter()
    scored("rouge", tokenizer=splitter.tokens)
    scored("rouge", tokenizer=splitter.tokens)
    with pytest.raises(ParameterError, match="returned 'A Well-Known"):
        scored("rouge", tokenizer=str.title)


def test_a_saved_result_runs_no_function(tmp_path: Path) -> None:
    scored("rouge", tokenizer=hyphens).save(tmp_path / "r")
    program = (
        f"import nlgauge\nresult = nlgauge.load({str(tmp_path / 'r')!r})\nprint(result['rouge']['rougeL'])\n"
        "result.explain('rouge', 0)"
    )
    found = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert float(found.stdout) == scored("rouge", tokenizer=hyphens)["rouge"]["rougeL"]
    assert "is a function that this process does not know" in found.stderr
    with pytest.raises(ParameterError, match="does not know"):
        scored("rouge", tokenizer=f"{PREFIX}os.system")
    metric = scored("rouge", tokenizer=hyphens)._job.metrics
    assert not any(map(can_be_made_again, metric.values()))
