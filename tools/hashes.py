"""Print a requirements file with the sha256 of every file of each version, for `pip install --require-hashes`.

python tools/hashes.py cibuildwheel==4.3.3 build==1.6.1     these versions
python tools/hashes.py --file .github/release-tools.txt     the versions that a file names
python tools/hashes.py --linux --file hashes.txt            only files for Linux and CPython 3.11 to 3.14

Hashes come from the index that pip is configured with (`index-url`); extra indexes and local files are not read.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from pathlib import Path

from pip._internal.commands import create_command
from pip._internal.index.collector import IndexContent, LinkCollector, parse_links
from pip._internal.models.link import Link
from pip._vendor.packaging.utils import canonicalize_name, parse_sdist_filename, parse_wheel_filename
from pip._vendor.packaging.version import Version

_PIN = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>[^\s;\\]+)(?P<marker> ; [^\\]*)?", re.MULTILINE)
_LINUX = re.compile(r"^any$|^manylinux.*_(x86_64|aarch64)$")
_PYTHONS = {"cp311", "cp312", "cp313", "cp314"}


def version_of(filename: str) -> Version | None:
    """Return the version of a wheel or a source package; None for other files."""
    try:
        if filename.endswith(".whl"):
            return parse_wheel_filename(filename)[1]
        return parse_sdist_filename(filename)[1]
    except ValueError:
        return None


def is_for_linux(filename: str) -> bool:
    """Return True for source packages, and for wheels that CPython 3.11 to 3.14 can install on Linux."""
    if not filename.endswith(".whl"):
        return True
    return any(
        _LINUX.search(tag.platform)
        and (tag.abi in ("none", "abi3") or (tag.interpreter in _PYTHONS and tag.abi == tag.interpreter))
        for tag in parse_wheel_filename(filename)[3]
    )


def hashes_of(links: Iterable[Link], version: str, linux: bool = False) -> list[str]:
    """Return the sha256 of each file of a version, sorted; files without one are left out."""
    return sorted(
        {
            link.hash
            for link in links
            if link.hash_name == "sha256"
            and link.hash
            and version_of(link.filename) == Version(version)
            and (not linux or is_for_linux(link.filename))
        }
    )


def entry(pin: str, hashes: list[str]) -> str:
    """Return the lines of one requirement."""
    return " \\\n".join([pin, *(f"    --hash=sha256:{value}" for value in hashes)])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pins", nargs="*", metavar="NAME==VERSION")
    parser.add_argument("--file", type=Path, help="read the pins of this file")
    parser.add_argument("--linux", action="store_true", help="leave out files for other systems and versions")
    options = parser.parse_args()
    text = "\n".join(options.pins) + ("\n" + options.file.read_text("utf-8") if options.file else "")

    command = create_command("download")
    with command.main_context():
        settings, _ = command.parse_args([])
        settings.extra_index_urls, settings.find_links = [], []
        collector = LinkCollector.create(command.get_default_session(settings), options=settings)
        for pin in _PIN.finditer(text):
            page = collector.search_scope.get_index_urls_locations(canonicalize_name(pin["name"]))[0]
            content: IndexContent | None = collector.fetch_response(Link(page))
            hashes = hashes_of(parse_links(content), pin["version"], options.linux) if content else []
            if not hashes:
                raise SystemExit(f"error: the index has no file with a sha256 of {pin[0]}")
            print(entry(pin[0].rstrip(), hashes))


if __name__ == "__main__":
    main()
