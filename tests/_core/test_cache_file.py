"""The file of statistics: several processes at once, a limit, and whatever may be wrong with it, which
never stops a run.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from forking import assert_in_child, needs_fork

from nlgauge._core import sqlite as cache_file
from nlgauge._core.ragged import Array
from nlgauge._core.sqlite import CacheFile, Damaged, Format, Unusable
from nlgauge.engine.cache import location as place
from nlgauge.engine.cache import store
from nlgauge.engine.cache.identity import Identity
from nlgauge.engine.cache.maintenance import clear, contents, verify
from nlgauge.engine.cache.store import Store
from nlgauge.errors import ParameterError, ResultError
from nlgauge.judges import cache as judges

METRIC, OTHER = Identity(b"1" * 32, "first", "first"), Identity(b"2" * 32, "second", "second(a=1)")
WIDTHS = {"f1": 2, "recall": 1}
LARGE = 10**9
# A process of its own that keeps rows; the arguments are the file, the seed and how many batches.
WRITER = """
import sys
from pathlib import Path
import numpy as np
from nlgauge.engine.cache.identity import Identity
from nlgauge.engine.cache.store import Store
store, rng = Store(Path(sys.argv[1]), 10**9), np.random.default_rng(int(sys.argv[2]))
for number in range(int(sys.argv[3])):
    keys = rng.integers(-(2**63), 2**63 - 1, (200, 2))
    store.keep(Identity(b"1" * 32, "first", "first"), {"f1": 2, "recall": 1}, keys, np.tile(keys[:, :1] % 1000, 3) * 0.1)
    print(number, flush=True)
"""


def some(count: int, seed: int = 0) -> tuple[Array, Array]:
    """Keys of rows, and numbers that follow from them."""
    keys = np.random.default_rng(seed).integers(-(2**63), 2**63 - 1, (count, 2))
    return keys, np.tile(keys[:, :1] % 1000, 3) * 0.1


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "statistics" / "some.sqlite"


@pytest.fixture
def kept(path: Path) -> Path:
    """A file with rows of two metrics, closed."""
    opened = Store(path, LARGE)
    opened.keep(METRIC, WIDTHS, *some(5000, 1))
    opened.keep(OTHER, {"x": 3}, *some(300, 2))
    opened.close()
    return path


def writer(path: Path, seed: int, batches: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(seed), str(batches)], stdout=subprocess.PIPE, text=True
    )


def test_what_is_kept_is_found_bit_for_bit(path: Path):
    keys, values = some(10_000)
    values[0] = [-0.0, 5e-324, np.inf]
    opened = Store(path, LARGE)
    opened.keep(METRIC, WIDTHS, keys[:9000], values[:9000])
    shuffled = np.random.default_rng(1).permutation(10_000)
    found = Store(path, LARGE).find(METRIC, keys[shuffled])
    np.testing.assert_array_equal(found.known, shuffled < 9000)
    assert found.values[found.known].tobytes() == values[shuffled[shuffled < 9000]].tobytes()
    assert found.widths == WIDTHS
    assert not Store(path, LARGE).find(OTHER, keys).known.any()


def test_rows_that_share_half_a_key_are_not_taken_for_each_other(path: Path):
    keys, values = some(3)
    opened = Store(path, LARGE)
    opened.keep(METRIC, WIDTHS, keys, values)
    others = keys.copy()
    others[1, 1] += 1
    assert opened.find(METRIC, others).known.tolist() == [True, False, True]
    opened.keep(METRIC, WIDTHS, others, values + 1)  # the first stays
    assert opened.find(METRIC, keys).values.tobytes() == values.tobytes()


def test_the_same_row_twice_is_found_twice(path: Path):
    keys, values = some(2)
    opened = Store(path, LARGE)
    opened.keep(METRIC, WIDTHS, keys[[0, 1, 0]], values[[0, 1, 0]])
    assert opened.find(METRIC, keys[[1, 0, 0, 1]]).values.tobytes() == values[[1, 0, 0, 1]].tobytes()
    assert verify(path).rows == 2


def test_processes_that_write_at_once_lose_nothing(path: Path):
    writers = [writer(path, seed, 15) for seed in (1, 2, 1, 3)]
    assert [one.communicate()[0].split()[-1] for one in writers] == ["14"] * 4
    opened = Store(path, LARGE)
    for seed in (1, 2, 3):
        rng = np.random.default_rng(seed)
        for _ in range(15):
            keys = rng.integers(-(2**63), 2**63 - 1, (200, 2))
            found = opened.find(METRIC, keys)
            assert (
                found.known.all()
                and found.values.tobytes() == (np.tile(keys[:, :1] % 1000, 3) * 0.1).tobytes()
            )
    assert verify(path) == (9000, "", None)


def test_a_process_that_is_killed_while_it_writes_leaves_whole_batches(path: Path):
    process = writer(path, 1, 100_000)
    assert process.stdout is not None
    done = [process.stdout.readline() for _ in range(20)]
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    found = verify(path)
    assert not found.damage and found.rows % 200 == 0 and found.rows >= 200 * len(done)
    keys, values = some(10, 5)
    Store(path, LARGE).keep(METRIC, WIDTHS, keys, values)
    assert Store(path, LARGE).find(METRIC, keys).known.all()


@needs_fork
def test_a_forked_process_opens_the_file_for_itself(path: Path):
    opened = Store(path, LARGE)
    opened.keep(METRIC, WIDTHS, *some(10, 1))

    def use() -> bool:
        opened.keep(METRIC, WIDTHS, *some(10, 2))
        return bool(opened.find(METRIC, some(10, 1)[0]).known.all())

    assert_in_child(use)
    assert opened.find(METRIC, some(10, 2)[0]).known.all()
    opened.close()
    assert verify(path).rows == 20


def test_what_was_used_longest_ago_goes_where_there_is_no_room(path: Path, monkeypatch: pytest.MonkeyPatch):
    now = 1_000_000.0
    monkeypatch.setattr(store.time, "time", lambda: now)
    limit = 1_000_000
    opened = Store(path, limit)
    for seed in range(40):
        now += 1000
        opened.keep(METRIC, WIDTHS, *some(1000, seed))
        opened.find(METRIC, some(1000, 3)[0])
        assert path.stat().st_size <= limit
    known = [opened.find(METRIC, some(1000, seed)[0]).known.mean() for seed in range(40)]
    opened.close()
    assert path.stat().st_size <= limit
    assert known[3] == 1, "what is used stays"
    assert set(known) == {0, 1} and known == [0, 0, 0, 1, *sorted(known[4:])]
    assert 8 <= sum(known) < 40
    assert verify(path).rows == 1000 * sum(known)


def test_a_limit_below_everything_keeps_nothing_and_stops_nothing(path: Path):
    opened = Store(path, 1)
    opened.keep(METRIC, WIDTHS, *some(100))
    assert not opened.find(METRIC, some(100)[0]).known.any()
    assert contents(path).rows == {}


@pytest.mark.parametrize(
    ("given", "limit"),
    [("", 2 * 10**9), ("500", 500), ("1.5GB", 1_500_000_000), ("10 mb", 10**7), ("1KiB", 1024)],
)
def test_limits(given: str, limit: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NLGAUGE_CACHE_LIMIT", given)
    assert place.limit() == limit


@pytest.mark.parametrize("given", ["much", "-1", "1XB", "GB"])
def test_what_is_not_a_limit(given: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NLGAUGE_CACHE_LIMIT", given)
    with pytest.raises(ParameterError, match=r"NLGAUGE_CACHE_LIMIT.*number"):
        place.limit()


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path))
    monkeypatch.delenv("NLGAUGE_STATISTICS_CACHE")
    assert place.common_file() == tmp_path / "statistics.sqlite"
    monkeypatch.setenv("NLGAUGE_STATISTICS_CACHE", "here.sqlite")
    assert place.common_file() == Path.cwd() / "here.sqlite"
    monkeypatch.setenv("NLGAUGE_STATISTICS_CACHE", "off")
    assert place.common_file() is None and place.common_store() is None


def overwrite(path: Path, start: int, data: bytes) -> None:
    with path.open("r+b") as stream:
        stream.seek(start)
        stream.write(data)


def flip_a_bit(row: bytearray) -> None:
    row[20] ^= 1


def with_first_row(change: Callable[[bytearray], None]) -> Callable[[Path], None]:
    """Changes the bytes of a row of the first metric."""

    def changing(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            number, data = connection.execute("SELECT id, row FROM rows ORDER BY id LIMIT 1").fetchone()
            row = bytearray(data)
            change(row)
            connection.execute("UPDATE rows SET row = ? WHERE id = ?", (bytes(row), number))
        connection.close()

    return changing


def flip_two_signs(row: bytearray) -> None:
    row[23] ^= 128
    row[31] ^= 128


def put_nan(row: bytearray) -> None:
    """A number that is never kept, under a right checksum, as somebody who forges a row could write it."""
    row[16:24] = np.array([np.nan]).tobytes()
    numbers = np.frombuffer(bytes(row[16:]), dtype="<u8")[None]
    keys = some(5000, 1)[0][:1]
    row[8:16] = store._checksums(keys[:, 0], keys[:, 1].view("<u8"), numbers, '{"f1":2,"recall":1}').tobytes()


def changed(*statements: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()

    return change


# What is done to a file, and what then is wrong with it.
DAMAGES: dict[str, Callable[[Path], None]] = {
    "pages": lambda path: overwrite(path, 4096, os.urandom(path.stat().st_size - 4096)),
    "half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "a bit": with_first_row(flip_a_bit),
    "a row's length": changed("UPDATE rows SET row = substr(row, 9)"),
    "a row's kind": changed("UPDATE rows SET row = 'text'"),
    "widths": changed("UPDATE metrics SET widths = 'x'"),
    "two signs": with_first_row(flip_two_signs),
    "not a number": with_first_row(put_nan),
    "other parts": changed("""UPDATE metrics SET widths = '{"f2":2,"recall":1}'"""),
    "parts of other sizes": changed("""UPDATE metrics SET widths = '{"f1":1,"recall":2}'"""),
    "a part less than none": changed("""UPDATE metrics SET widths = '{"f1":4,"recall":-1}'"""),
    "no parts": changed("UPDATE metrics SET widths = '{}'"),
    "rows exchanged": changed(
        "UPDATE rows SET key = key + 1 WHERE id = (SELECT min(id) FROM rows)",
        "CREATE TEMP TABLE a AS SELECT id, row FROM rows ORDER BY id LIMIT 3",
        "UPDATE rows SET row = (SELECT row FROM a WHERE a.id = rows.id - 1) WHERE id IN (SELECT id + 1 FROM"
        " a) AND id IN (SELECT id FROM a)",
    ),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_a_damaged_file_is_set_aside_with_one_warning_and_a_new_one_is_begun(what: str, kept: Path):
    DAMAGES[what](kept)
    opened = Store(kept, LARGE)
    with pytest.warns(UserWarning, match=r"some\.sqlite.* damaged \(.*some\.sqlite\.damaged-\d+") as told:
        found = [opened.find(METRIC, some(5000, 1)[0]) for _ in range(3)]
    assert len(told) == 1 and not any(one.known.any() for one in found)
    opened.keep(METRIC, WIDTHS, *some(5, 9))
    assert opened.find(METRIC, some(5, 9)[0]).known.all()
    assert len(list(kept.parent.glob("*.damaged-*"))) == 1


@pytest.mark.parametrize("what", [*DAMAGES, "a row is missing", "a row too many", "no metric"])
def test_verify_says_what_is_damaged_and_sets_it_aside(what: str, kept: Path):
    assert verify(kept) == (5300, "", None)
    others = {
        "a row is missing": changed("DELETE FROM rows WHERE id = (SELECT min(id) FROM rows)"),
        "a row too many": changed("INSERT INTO rows VALUES (1, 1, x'00')"),
        "no metric": changed("DELETE FROM metrics"),
    }
    (DAMAGES | others)[what](kept)
    found = verify(kept)
    assert (
        found.damage
        and found.rows == 0
        and found.aside is not None
        and found.aside.exists()
        and not kept.exists()
    )


def test_another_process_that_sets_a_file_aside_is_followed(path: Path):
    opened = Store(path, LARGE)
    opened.keep(METRIC, WIDTHS, *some(5, 1))
    assert cache_file.set_aside(path) is not None
    opened.keep(METRIC, WIDTHS, *some(5, 2))
    assert (
        not opened.find(METRIC, some(5, 1)[0]).known.any() and opened.find(METRIC, some(5, 2)[0]).known.all()
    )
    assert contents(path).rows == {"first": 5}


def test_the_new_file_of_another_process_is_not_set_aside(path: Path):
    ours, other = CacheFile(path, store.FORMAT), Store(path, LARGE)
    ours.run(lambda connection: None)
    damage: list[Path | None] = []

    def count(connection: sqlite3.Connection) -> int:
        if not damage:
            damage.append(cache_file.set_aside(path))
            other.keep(METRIC, WIDTHS, *some(5, 2))
            raise Damaged("a row is not what was written")
        (rows,) = connection.execute("SELECT count(*) FROM rows").fetchone()
        return int(rows)

    assert ours.run(count) == 5
    assert list(path.parent.glob("*.damaged-*")) == damage


def test_a_file_that_is_damaged_again_and_again_cannot_be_used(path: Path):
    def work(connection: sqlite3.Connection) -> None:
        raise Damaged("a row is not what was written")

    with (
        pytest.warns(UserWarning, match="damaged-"),
        pytest.raises(Unusable, match=r"cache.*statistics"),
    ):
        CacheFile(path, store.FORMAT).run(work)
    assert len(list(path.parent.glob("*.damaged-*"))) == 1


@pytest.mark.parametrize("form", [store.FORMAT, judges.FORMAT], ids=lambda form: form.file_name)
def test_a_file_without_a_header_is_ours_by_its_usual_name_alone(form: Format, tmp_path: Path):
    for name, is_ours in ((form.file_name, True), ("letters.txt", False)):
        text(tmp_path / name)
        cache = CacheFile(tmp_path / name, form)
        with pytest.warns(UserWarning, match="is damaged") if is_ours else pytest.raises(Unusable):
            cache.run(lambda connection: None)
        cache.close()
    (aside,) = tmp_path.glob("*.damaged-*")
    assert aside.name.startswith(form.file_name)


def database(path: Path, *statements: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def text(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("a letter to somebody\n" * 100)


UNUSABLE: dict[str, Callable[[Path], None]] = {
    "a text": text,
    "another program's": lambda path: database(
        path, "CREATE TABLE letters (text TEXT)", "INSERT INTO letters VALUES ('dear')"
    ),
    "a later version's": lambda path: database(
        path, "CREATE TABLE rows (x)", "PRAGMA application_id=1852598115", "PRAGMA user_version=2"
    ),
    "a directory": lambda path: path.mkdir(parents=True),
    "in a file": lambda path: path.parent.write_text("not a directory"),
}


@pytest.mark.parametrize("what", UNUSABLE)
def test_what_is_not_ours_is_left_alone_and_done_without(what: str, path: Path):
    UNUSABLE[what](path)
    before = path.read_bytes() if path.is_file() else None
    opened = Store(path, LARGE)
    with pytest.warns(UserWarning, match="row.*computed") as told:
        opened.keep(METRIC, WIDTHS, *some(5))
        assert not opened.find(METRIC, some(5)[0]).known.any()
    assert len(told) == 1
    assert (path.read_bytes() if path.is_file() else None) == before
    assert not list(path.parent.glob("*damaged*"))
    if path.is_file() or path.is_dir():
        for care in (contents, clear, verify):
            with pytest.raises(ResultError, match=r"cannot be used.*set NLGAUGE_STATISTICS_CACHE"):
                care(path)
        assert (path.read_bytes() if path.is_file() else None) == before


def test_a_file_that_may_not_be_written_is_done_without(kept: Path, monkeypatch: pytest.MonkeyPatch):
    connect = sqlite3.connect
    monkeypatch.setattr(
        cache_file.sqlite3,
        "connect",
        lambda name, **options: connect(f"file:{name}?mode=ro", uri=True, **options),
    )
    opened = Store(kept, LARGE)
    assert opened.find(METRIC, some(5000, 1)[0]).known.all()
    with pytest.warns(UserWarning, match="attempt.*readonly") as told:
        for seed in (7, 8):
            opened.keep(METRIC, WIDTHS, *some(5, seed))
    assert len(told) == 1 and not opened.find(METRIC, some(5000, 1)[0]).known.any()


def test_a_locked_file_is_done_without(kept: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cache_file, "_PATIENCE_SECONDS", 0.1)
    holder = sqlite3.connect(kept, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    opened = Store(kept, LARGE)
    assert opened.find(METRIC, some(5000, 1)[0]).known.all(), "reading goes on while another writes"
    with pytest.warns(UserWarning, match="database is locked") as told:
        for seed in (7, 8):
            opened.keep(METRIC, WIDTHS, *some(5, seed))
    holder.close()
    assert len(told) == 1
    assert verify(kept).rows == 5300


def test_numbers_of_another_width_are_not_put_beside_those_that_are_here(kept: Path):
    opened = Store(kept, LARGE)
    opened.keep(METRIC, {"f1": 1}, some(5, 7)[0], some(5, 7)[1][:, :1])
    assert opened.find(METRIC, some(5000, 1)[0]).known.all()
    assert verify(kept).rows == 5300


def test_contents_and_clear(kept: Path):
    assert (
        contents(kept).rows == {"first": 5000, "second": 300}
        and contents(kept).bytes >= kept.stat().st_size > 100_000
    )
    with pytest.raises(
        ResultError,
        match=r"'secon'.*'second'",
    ):
        clear(kept, "secon")
    assert clear(kept, "second") == 300
    assert (
        contents(kept).rows == {"first": 5000}
        and Store(kept, LARGE).find(METRIC, some(5000, 1)[0]).known.all()
    )
    assert clear(kept) == 5000
    assert contents(kept).rows == {} and kept.stat().st_size < 50_000
    assert clear(kept) == 0 and verify(kept).rows == 0
    missing = kept.with_name("missing.sqlite")
    assert (contents(missing), clear(missing), verify(missing).rows) == (
        (0, {}),
        0,
        0,
    ) and not missing.exists()


def test_writers_that_begin_at_the_same_time_make_one_file(path: Path):
    writers = [writer(path, seed, 1) for seed in range(6)]
    assert all(one.wait(600) == 0 for one in writers)
    for one in writers:
        one.communicate()
    assert verify(path).rows == 1200
