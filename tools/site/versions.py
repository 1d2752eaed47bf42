"""Put the sites of all versions into one directory: python -m tools.site.versions SITE ARCHIVES TARGET.

SITE is the site of the main branch. ARCHIVES has the site of each release as VERSION.tar.gz. TARGET gets the site of
the stable version, of the main branch in dev/ and of earlier minor versions in directories such as 0.1/. All of them
get the list of versions of the main branch, docs/_static/switcher.json.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tarfile
from pathlib import Path

from tools.site.files import ADDRESS, ROOT

SWITCHER = ROOT / "docs" / "_static" / "switcher.json"


def directories(switcher: Path = SWITCHER) -> dict[str, str]:
    """Return the directory of each version relative to the address of the site; "" for the stable version."""
    return {
        entry["version"]: entry["url"].removeprefix(ADDRESS).rstrip("/")
        for entry in json.loads(switcher.read_text("utf-8"))
    }


def assemble(site: Path, archives: Path, target: Path, switcher: Path = SWITCHER) -> None:
    """Write the sites of all versions; before the first release, the main branch is also the stable version."""
    shutil.rmtree(target, ignore_errors=True)
    for version, directory in sorted(directories(switcher).items(), key=lambda item: item[1]):
        place, archive = target / directory, archives / f"{version}.tar.gz"
        if archive.is_file():
            with tarfile.open(archive) as files:
                files.extractall(place, filter="data")
        elif version == "dev" or not directory:
            shutil.copytree(site, place)
        else:
            raise FileNotFoundError(f"{archive} does not exist, but {switcher.name} lists {version}")
        shutil.copyfile(switcher, place / "_static" / "switcher.json")


def main() -> None:
    """Read the arguments and write the sites."""
    parser = argparse.ArgumentParser(prog="python -m tools.site.versions", description=__doc__)
    for name in ("site", "archives", "target"):
        parser.add_argument(name, type=Path)
    options = parser.parse_args()
    assemble(options.site, options.archives, options.target)


if __name__ == "__main__":
    main()
