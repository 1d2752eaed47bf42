"""Tokenizers from SentencePiece models give sacreBLEU's scores, and are read from files alone."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.features.tokens.sentencepiece import described, pieces
from nlgauge.features.tokens.tokenizers import SENTENCEPIECE_TOKENIZERS, tokenizer

sentencepiece = pytest.importorskip("sentencepiece")
sacrebleu = pytest.importorskip("sacrebleu")

PREDICTIONS = ["the cat sat on the mat ", "der Hund läuft schnell weg", "我 喜欢 猫。", "x"]
REFERENCES = ["the cat sat on a mat", "der Hund rennt schnell weg.", "我 喜欢 狗。", "y"]
FILES = {
    "flores200": "flores200sacrebleuspm",
    "flores101": "sacrebleu_tokenizer_spm.model",
    "spm": "sacrebleu_tokenizer_spm.model",
    "spBLEU-1K": "spbleu-1k_tokenizer_spm.model",
}


@pytest.fixture(scope="module")
def model() -> bytes:
    """A small model, trained on the texts themselves."""
    written = io.BytesIO()
    trainer = sentencepiece.SentencePieceTrainer
    trainer.train(
        sentence_iterator=iter(PREDICTIONS + REFERENCES),
        model_writer=written,
        vocab_size=60,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return written.getvalue()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("sacrebleu.utils.SACREBLEU_DIR", str(tmp_path))
    monkeypatch.setattr("sacrebleu.tokenizers.tokenizer_spm.SACREBLEU_DIR", str(tmp_path))

    def fetch(*_: Any, **__: Any) -> None:
        pytest.fail("it asked the network")

    monkeypatch.setattr("urllib.request.urlopen", fetch)
    for cached in (pieces, tokenizer):
        cached.cache_clear()
    yield tmp_path
    for cached in (pieces, tokenizer):
        cached.cache_clear()


@pytest.mark.parametrize("name", SENTENCEPIECE_TOKENIZERS)
@pytest.mark.filterwarnings("ignore:The 'warn' method is deprecated")
def test_models_of_sacrebleu_give_its_scores(name: str, folder: Path, model: bytes) -> None:
    (folder / "models").mkdir()
    (folder / "models" / FILES[name]).write_bytes(model)
    theirs = sacrebleu.metrics.BLEU(tokenize=name)
    ours = nlgauge.score(PREDICTIONS, REFERENCES, metrics=f"bleu(tokenizer='{name}')")
    assert ours["bleu"]["score"] == theirs.corpus_score(PREDICTIONS, [REFERENCES]).score
    assert f"|tok:{theirs.tokenizer.signature()}|" in ours.signatures[f"bleu(tokenizer={name!r})"]


def test_any_model_by_its_file(folder: Path, model: bytes) -> None:
    path = folder / "my.model"
    path.write_bytes(model)
    name = f"spm:{path}"
    result = nlgauge.score(
        PREDICTIONS, REFERENCES, metrics={"path": "bleu", "compute_kwargs": {"tokenizer": name}}
    )
    processor = sentencepiece.SentencePieceProcessor(model_file=str(path))
    split = [
        [" ".join(processor.encode(text.rstrip(), out_type=str)) for text in texts]
        for texts in (PREDICTIONS, REFERENCES)
    ]
    assert result["bleu"]["score"] == sacrebleu.corpus_bleu(split[0], [split[1]], tokenize="none").score
    signature = next(iter(result.signatures.values()))
    assert "|tok:spm:my.model#" in signature
    assert str(folder) not in signature
    assert described(name) in signature
    result.save(folder / "saved")
    path.unlink()
    assert nlgauge.load(folder / "saved")["bleu"]["score"] == result["bleu"]["score"]


def test_what_is_not_there_is_said(folder: Path) -> None:
    with pytest.raises(
        ParameterError,
        match=r"'flores200'.*flores200sacrebleuspm.*https://",
    ):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics="bleu(tokenizer='flores200')")
    with pytest.raises(ParameterError, match=r"file.*none\.model"):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics="bleu(tokenizer='spm:none.model')")
    (folder / "text.model").write_text("not a model")
    with pytest.raises(ParameterError, match=r"text\.model is not a SentencePiece model"):
        nlgauge.score(PREDICTIONS, REFERENCES, metrics=f"bleu(tokenizer='spm:{folder}/text.model')")
    for name in ("spm:", "flores300"):
        with pytest.raises(ParameterError, match=r"tokenizer.*flores200.*spm:FILE"):
            nlgauge.score(PREDICTIONS, REFERENCES, metrics=f"bleu(tokenizer='{name}')")
