"""Window: a reader that shows some rows of all files of a run at a time, the same ones of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nlgauge.corpus.records import Records
from nlgauge.errors import InputError
from nlgauge.io.blocks import record_blocks
from nlgauge.io.files import Address
from nlgauge.io.reader import FileColumn, Reader
from nlgauge.io.tables import NAMELESS
from nlgauge.io.watched import Watched


class Window(Reader):
    """Reads columns as `Reader` does, of the rows that it shows."""

    def __init__(
        self,
        addresses: Sequence[Address],
        encoding: str | None = None,
        delimiter: str | None = None,
        watched: Watched | None = None,
    ) -> None:
        super().__init__(encoding, delimiter)
        self._files: dict[tuple[str, bool], _File] = {}
        for address in addresses:
            key = address.path, address.numbered
            if key not in self._files:
                self._files[key] = _File(
                    str(Address(address.path)), record_blocks(address, encoding, delimiter, watched)
                )

    def move(self) -> int:
        """Shows the next rows, and says how many; 0 where all files have ended.

        That one ends before another is an error.
        """
        ready = {file: file.ready() for file in self._files.values()}
        count = min(ready.values())
        if not count and any(ready.values()):
            shorter = next(file for file, rows in ready.items() if not rows)
            longer = next(file for file, rows in ready.items() if rows)
            raise InputError(
                f"{shorter.place} has {shorter.done} entries, {longer.place} has {longer.count()} entries;"
                " every file needs one for each segment."
            )
        self.tables = {key: file.take(count) for key, file in self._files.items()}
        return count

    def lines(self, address: Address) -> FileColumn:
        """The lines of a plain file that are shown."""
        table = self.tables[address.path, False]
        return FileColumn(str(address), table.columns[NAMELESS], table.place)


class _File:
    """The rows of a file, as many at a time as are asked for."""

    def __init__(self, place: str, blocks: Iterator[Records]) -> None:
        self.place = place
        self.done = 0
        self._blocks = blocks
        self._block = Records({}, 0)
        self._start = 0

    def ready(self) -> int:
        """How many rows can be taken now; 0 at the end of the file."""
        while self._start == self._block.count:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._block, self._start = block, 0
        return self._block.count - self._start

    def take(self, count: int) -> Records:
        """The next rows, of those that are ready."""
        start, self._start, self.done = self._start, self._start + count, self.done + count
        return self._block if count == self._block.count else self._block.part(start, start + count)

    def count(self) -> int:
        """How many rows the file has."""
        return self.done + self.ready() + sum(block.count for block in self._blocks)
