"""Build what the pages carry of other people's work: two fonts and MathJax, with their licenses.

    python tools/vendor.py

installs the packages of tools/vendor/package-lock.json (npm checks their hashes), copies the fonts, and writes
src/nlgauge/show/web/vendor with a list of versions, licenses and hashes. MathJax, which draws the formulas of the
documentation, goes to docs/_static/mathjax.
Nothing is downloaded when nlgauge is installed or run, or when the documentation is built.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent / "vendor"
TARGET = Path(__file__).parents[1] / "src" / "nlgauge" / "show" / "web" / "vendor"
MATHJAX = Path(__file__).parents[1] / "docs" / "_static" / "mathjax"
FONTS = {
    "inter.woff2": ("@fontsource-variable/inter", "inter-latin-wght-normal.woff2"),
    "source-serif.woff2": ("@fontsource/source-serif-4", "source-serif-4-latin-400-normal.woff2"),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, place)
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=place, check=True)
        modules = place / "node_modules"
        TARGET.mkdir(parents=True, exist_ok=True)
        for target, (package, file) in FONTS.items():
            shutil.copy(modules / package / "files" / file, TARGET / target)
        MATHJAX.mkdir(parents=True, exist_ok=True)
        shutil.copy(modules / "mathjax" / "es5" / "tex-svg.js", MATHJAX)
        (MATHJAX / "LICENSE.txt").write_text(_license(modules, "mathjax"), "utf-8")
        packages = sorted(
            path.parent.relative_to(modules).as_posix()
            for path in modules.glob("@fontsource*/*/package.json")
        )
        licenses = [_license(modules, package) for package in packages]
        (TARGET / "LICENSES.txt").write_text(("\n" + 100 * "-" + "\n\n").join(licenses), "utf-8")
    files = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(TARGET.iterdir())
        if path.name != "hashes.json"
    }
    (TARGET / "hashes.json").write_text(json.dumps(files, indent=2) + "\n", "utf-8")


def _license(modules: Path, package: str) -> str:
    """Return name, version and license text of a package."""
    about = json.loads((modules / package / "package.json").read_text("utf-8"))
    file = next(path for path in (modules / package).iterdir() if path.name.upper().startswith("LICENSE"))
    return f"{package} {about['version']}, {about['license']}\n\n{file.read_text('utf-8').strip()}\n"


if __name__ == "__main__":
    main()
