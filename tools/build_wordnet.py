"""Builds the WordNet index that ships with nlgauge from the files of WordNet 3.0.

    apt-get install wordnet-base
    python tools/build_wordnet.py /usr/share/wordnet --notice /usr/share/doc/wordnet-base/copyright

The index is gzipped text. The first line counts the synsets of each part of speech, in the order noun, verb,
adjective, adverb; a synset's number is its place among all. Then comes a line for each entry of the exception
lists (part of speech, inflected form, base forms), an empty line, and a line for each word (as the synsets
spell it, then its synsets). Expressions of several words are left out: a token is one word. After another
empty line comes a line for each offset at which files of several parts of speech have a synset, with the
numbers of those: the METEOR 1.5 program knows synsets by their offset alone. (The lines that ship were
derived from that program's own list, where the offsets are, because the files were not at hand; synsets all
of whose words another one at that offset has as well are not among them and make no difference.)
"""

from __future__ import annotations

import argparse
import gzip
from collections import defaultdict
from pathlib import Path

PARTS = ("noun", "verb", "adj", "adv")
DATA = Path(__file__).parents[1] / "src" / "nlgauge" / "data"


def synset_words(line: str) -> list[str]:
    """The words of a line of a data file, without the marks that say where an adjective may stand."""
    fields = line.split(" ")
    return [word.partition("(")[0] for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]]


def build(folder: Path) -> str:
    """The text of the index."""
    counts, exceptions, synsets, offsets = (
        [],
        [],
        defaultdict[str, list[int]](list),
        defaultdict[str, list[int]](list),
    )
    number = 0
    for part in PARTS:
        first = number
        for line in (folder / f"data.{part}").read_text(encoding="ascii").splitlines():
            if not line.startswith("  "):  # the license stands at the top
                single = [word for word in synset_words(line) if "_" not in word]
                for word in single:
                    synsets[word].append(number)
                if single:
                    offsets[line[:8]].append(number)
                number += 1
        counts.append(number - first)
        lists = (folder / f"{part}.exc").read_text(encoding="ascii").splitlines()
        exceptions += [f"{part} {line}" for line in lists if "_" not in line]
    words = [" ".join([word, *map(str, numbers)]) for word, numbers in sorted(synsets.items())]
    shared = [" ".join(map(str, numbers)) for _, numbers in sorted(offsets.items()) if len(numbers) > 1]
    return "\n".join([" ".join(map(str, counts)), *exceptions, "", *words, "", *shared])


def notice(text: str) -> str:
    """WordNet's own license, out of the copyright file of the Debian package."""
    lines = text.partition("License: WordNet3.0\n")[2].partition("\n\n")[0].splitlines()
    plain = "\n".join("" if line == " ." else line.removeprefix(" ") for line in lines)
    return (
        "wordnet.txt.gz is made from the files of WordNet 3.0 by tools/build_wordnet.py. It is distributed"
        f" under WordNet's license:\n\n{plain}\n"
    )


def main() -> None:
    """Writes the index and the license notice."""
    parser = argparse.ArgumentParser(description="Builds the WordNet index.")
    parser.add_argument("folder", type=Path, help="the folder with data.noun, noun.exc and so on")
    parser.add_argument("--notice", type=Path, required=True, help="the copyright file of the package")
    parser.add_argument("--output", type=Path, default=DATA)
    arguments = parser.parse_args()
    # No name and no time in the file: the same input gives the same bytes.
    packed = gzip.compress(build(arguments.folder).encode(), 9, mtime=0)
    (arguments.output / "wordnet.txt.gz").write_bytes(packed)
    (arguments.output / "wordnet.LICENSE").write_text(
        notice(arguments.notice.read_text(encoding="utf-8")), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
