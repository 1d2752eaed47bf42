"""Results that were written while they ran, with damaged or planted files: refused with a reason, or read
as what they are.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_cases import printed

import nlgauge
from nlgauge.corpus.store import lazy_values
from nlgauge.errors import InputError, NlgaugeError, ResultError

LINES = 12
Change = Callable[[bytes, random.Random], bytes]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result with every kind of file; not to be changed."""
    place = tmp_path_factory.mktemp("whole")
    (place / "pred.txt").write_text("".join(f"the cat {i} sat on mat {i % 5}\n" for i in range(LINES)))
    (place / "ref.txt").write_text("".join(f"a cat {i} sat on the mät\n" for i in range(LINES)))
    printed(
        "score",
        "-m",
        "wer",
        "-m",
        "cider",
        "-r",
        str(place / "ref.txt"),
        str(place / "pred.txt"),
        "-o",
        str(place / "out"),
        "--stream",
    )
    return place / "out"


@pytest.fixture(params=["read", "mapped"])
def place(
    whole: Path, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A copy of it, to be damaged."""
    if request.param == "mapped":
        monkeypatch.setattr(lazy_values, "SMALL_FILE", 1)
    return Path(shutil.copytree(whole, tmp_path / "out"))


def flipped(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def exchanged(content: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(content))
    return (
        content[:start] + chance.randbytes(chance.randrange(20)) + content[start + chance.randrange(1, 20) :]
    )


CHANGES: dict[str, Change] = {
    "flipped": flipped,
    "exchanged": exchanged,
    "cut": lambda content, chance: content[: chance.randrange(len(content))],
    "longer": lambda content, chance: content + chance.randbytes(chance.randrange(1, 30)),
    "noise": lambda content, chance: chance.randbytes(len(content)),
    "empty": lambda content, chance: b"",
}


def use(place: Path) -> dict[str, float]:
    """Load the result, read everything of it and return its scores."""
    result = nlgauge.load(place)
    assert len(result.segments("records")) == LINES
    for label in result.labels:
        for segment in (0, LINES - 1):
            result.explain(label, result.corpus.ids[segment])
    result.intervals(resamples=5)
    return {label: result[label]["score"] for label in result.labels}


def test_the_undamaged_result_is_read(place):
    predictions = [f"the cat {i} sat on mat {i % 5}" for i in range(LINES)]
    references = [f"a cat {i} sat on the mät" for i in range(LINES)]
    scores = nlgauge.score(predictions, references, metrics=["wer", "cider"])
    assert use(place) == {label: scores[label]["score"] for label in scores.labels}


# Other numbers in statistics.bin are numbers all the same; some of them overflow.
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("change", CHANGES)
def test_damage_of_any_file_is_a_clear_error_or_harmless(change, place, whole):
    refused = set()
    for name in sorted(path.name for path in whole.iterdir()):
        content = (whole / name).read_bytes()
        for seed in range(2):
            (place / name).write_bytes(
                CHANGES[change](content, random.Random(f"{change} {name} {seed}")) if content else b"x"
            )
            try:
                use(place)
            except NlgaugeError as error:
                assert str(place) in str(error) or name in str(error)
                refused.add(name)
        (place / name).write_bytes(content)
    assert "run.json" in refused


@pytest.mark.parametrize(
    "name", ["run.json", "fits.npz", "statistics.bin", "texts.ends", "predictions-0.ids"]
)
def test_what_is_planted_in_the_place_of_a_file_is_refused(name, place, tmp_path):
    (tmp_path / "other").write_text("nothing of ours\n")
    for target in (tmp_path / "other", tmp_path / "nowhere", place / name):
        (place / name).unlink()
        (place / name).symlink_to(target)
        with pytest.raises(ResultError):
            nlgauge.load(place)
    (place / name).unlink()
    (place / name).mkdir()
    with pytest.raises(ResultError):
        nlgauge.load(place)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", ["run.json", "fits.npz", "statistics.bin", "texts.ends"])
def test_a_named_pipe_is_not_waited_for(name, place):
    (place / name).unlink()
    os.mkfifo(place / name)
    with pytest.raises(ResultError):
        nlgauge.load(place)


def test_a_text_that_is_no_utf8_is_damage(place):
    content = (place / "texts.jsonl").read_bytes()
    (place / "texts.jsonl").write_bytes(content.replace("ä".encode(), b"\xff\xff", 1))
    with pytest.raises(InputError, match=r"texts\.jsonl.*utf-8"):
        use(place)


def test_a_line_with_two_texts_does_not_move_the_texts_behind_it(place):
    content = (place / "texts.jsonl").read_bytes()
    (place / "texts.jsonl").write_bytes(content.replace(b"cat 0 sat on", b'cat","sat on', 1))
    with pytest.raises(InputError, match=r"texts\.jsonl.*damaged"):
        use(place)
