"""Generation with a causal model: the same texts whatever else is generated, and interrupted runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import torch

import nlgauge
from nlgauge.candidates import generating
from nlgauge.candidates.generating import Writing, generate, generate_file
from nlgauge.errors import InputError, ModelError, ParameterError
from nlgauge.judges.local import prompt_tokens
from nlgauge.models.loader import load

SOURCES = ["the cat sat on the mat", "a dog", "the cat and the dog"]


def test_greedy_texts_are_those_of_transformers(tiny_models) -> None:
    model = str(tiny_models["causal"])
    found = list(generate(SOURCES, Writing(model, max_tokens=6)))
    loaded = load(model, "causal", None)
    for source, text in zip(SOURCES, found, strict=True):
        prompt = torch.tensor([prompt_tokens(loaded, (("user", source),))])
        whole = loaded.model.generate(prompt, max_new_tokens=6, do_sample=False)
        expected = loaded.tokenizer.decode(whole[0, prompt.shape[1] :], skip_special_tokens=True)
        assert text == expected.strip()
    assert len(set(found)) > 1


def test_sampled_texts_depend_on_the_seed_and_not_on_other_sources(tiny_models) -> None:
    writing = Writing(str(tiny_models["causal"]), "say: {source}", 8, temperature=1.0, seed=1)
    every = list(generate(SOURCES, writing))
    assert list(generate(SOURCES[2:], writing)) == every[2:]
    other = Writing(writing.model, writing.prompt, 8, temperature=1.0, seed=2)
    assert list(generate(SOURCES, other)) != every


def test_an_interrupted_run_is_continued(
    tiny_models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"id": str(at), "source": text, "references": [text]} for at, text in enumerate(SOURCES)]
    writing = Writing(str(tiny_models["causal"]), max_tokens=4)
    assert generate_file(rows, tmp_path / "whole.jsonl", writing) == 3
    original = generate

    def killed(sources: Sequence[str], *further: object) -> Iterator[str]:
        yield from list(original(sources, writing))[:1]
        raise KeyboardInterrupt

    monkeypatch.setattr(generating, "generate", killed)
    out = tmp_path / "out.jsonl"
    with pytest.raises(KeyboardInterrupt):
        generate_file(rows, out, writing)
    unfinished = tmp_path / "out.jsonl.unfinished"
    with unfinished.open("ab") as stream:
        stream.write(b'{"id": "1", "sou')
    assert not out.exists()
    monkeypatch.setattr(generating, "generate", original)
    with pytest.raises(InputError, match="other sources or settings"):
        generate_file(rows, out, Writing(writing.model, max_tokens=5))
    assert generate_file(rows, out, writing) == 2
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert not unfinished.exists()


def test_the_file_is_read_by_score(tiny_models, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from nlgauge.cli.commands import app

    (tmp_path / "docs.txt").write_text("\n".join([*SOURCES, ""]), "utf-8")
    out = tmp_path / "out.jsonl"
    words = ["generate", str(tmp_path / "docs.txt"), "-m", str(tiny_models["causal"]), "-o", str(out)]
    words += ["-r", str(tmp_path / "docs.txt"), "--max-tokens", "3", "--system", "tiny"]
    with pytest.raises(SystemExit) as ended:
        app(words)
    assert ended.value.code == 0
    records = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [record["source"] for record in records] == SOURCES
    assert {record["system"] for record in records} == {"tiny"}
    assert nlgauge.score(records, metrics="chrf").labels == ("chrf",)
    with pytest.raises(SystemExit) as ended:
        app(words)
    assert ended.value.code == 2
    assert "--overwrite" in capsys.readouterr().err


def test_errors(tiny_models) -> None:
    model = str(tiny_models["causal"])
    with pytest.raises(InputError, match="source 2 with its prompt"):
        list(generate(["short", "long " * 5000], Writing(model, max_tokens=4)))
    with pytest.raises(ParameterError, match="must contain"):
        Writing(model, "Summarize")
    with pytest.raises(ParameterError, match="top_p"):
        Writing(model, top_p=0.0)
    with pytest.raises(ModelError):
        list(generate(["a"], Writing("no-such-model")))
