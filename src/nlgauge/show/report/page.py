"""One HTML file of the page's modules, styles, fonts and data: nothing in it comes from elsewhere, and
nothing of the data can become code.

Modules are linked without a bundler: each becomes a function that returns its exports, in the order in which
they need each other. A policy in the head names the hashes of the only script and the only style sheet that
may run; data is base64, so that no text can end the element it is in.
"""

from __future__ import annotations

import base64
import hashlib
import posixpath
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from nlgauge.show.report.lean import lean_script, lean_styles

WEB = Path(__file__).parents[1] / "web"
_ENTRY = "main.js"
_SHEETS = ("base.css", "page.css")
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[\w/]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?:const|let|class|(?:async )?function\*?) (\w+)", re.MULTILINE)
_EXPORT_LIST = re.compile(r"\bexport ?\{([^}]*)\};?\s*$")


def page(title: str, static: str, parts: Mapping[str, bytes], version: str) -> str:
    """Return the whole file; `static` is the content without JavaScript, as safe HTML."""
    return single_file(title, body(title, static), parts, version=version)


def single_file(
    title: str,
    elements: str,
    parts: Mapping[str, bytes],
    entry: str = _ENTRY,
    sheets: Sequence[str] = _SHEETS,
    version: str = "",
) -> str:
    """Return a file with a module, style sheets, and data in elements d-NAME; `elements` begins its body."""
    script, style = f'"use strict";\n(() => {{\n{linked(entry)}\n}})();\n', styles(sheets)
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; font-src data:; img-src"
        " data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types"
        " 'none'"
    )
    data = "\n".join(
        f'<script type="text/plain" id="d-{name}">{base64.b64encode(content).decode()}</script>'
        for name, content in parts.items()
    )
    return f"""<!doctype html>
<html lang="en" data-theme="auto">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="nlgauge {escape(version)}">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
{elements}
{data}
<script>{script}</script>
</body>
</html>
"""


def body(title: str, static: str) -> str:
    """Return the elements of the page up to its data, from <body> on, with the content without JavaScript."""
    holes = {"@@TITLE@@": escape(title), "@@STATIC@@": static}
    # In one pass: what fills a hole may look like another.
    return re.sub(
        "|".join(holes), lambda hole: holes[hole[0]], (WEB / "page.html").read_text("utf-8")
    ).rstrip()


def styles(names: Sequence[str] = _SHEETS) -> str:
    """Return style sheets as one, with their fonts."""
    text = lean_styles("\n".join((WEB / name).read_text("utf-8") for name in names))
    for mark, name in (("@@INTER@@", "inter.woff2"), ("@@SERIF@@", "source-serif.woff2")):
        text = text.replace(
            mark, "data:font/woff2;base64," + base64.b64encode((WEB / "vendor" / name).read_bytes()).decode()
        )
    return _harmless(text, "</style")


def linked(entry: str = _ENTRY) -> str:
    """Return a module and all modules that it needs as one script."""
    found: dict[str, str] = {}
    _link(entry, found, ())
    return _harmless("\n".join(found.values()), "</script")


def _link(name: str, found: dict[str, str], above: tuple[str, ...]) -> None:
    if name in found:
        return
    if name in above:
        raise ValueError(f"the modules {' and '.join((*above, name))} import each other in a circle.")
    text = (WEB / name).read_text("utf-8")
    for _, other in _IMPORT.findall(text):
        _link(_beside(name, other), found, (*above, name))
    text = _IMPORT.sub(
        lambda match: f"const {{{match[1].replace(' as ', ': ')}}} = {_variable(_beside(name, match[2]))};",
        text,
    )
    if re.search(r"^import\b", text, re.MULTILINE):
        raise ValueError(f'{name} has an import that is not of the form import {{ ... }} from "./name.js";')
    exports = {own: own for own in _EXPORT.findall(text)}
    text = re.sub(r"^export (?=const|let|class|function|async)", "", text, flags=re.MULTILINE)
    if listed := _EXPORT_LIST.search(text):
        pairs = (item.split(" as ") for item in listed[1].split(","))
        exports |= {pair[-1].strip(): pair[0].strip() for pair in pairs}
        text = text[: listed.start()]
    returned = ", ".join(own if name == own else f"{name}: {own}" for name, own in exports.items())
    found[name] = (
        f"const {_variable(name)} = (() => {{\n{lean_script(text)}\nreturn {{ {returned} }};\n}})();"
    )


def _beside(name: str, path: str) -> str:
    """Return the name of a module from its path relative to another.

    >>> _beside("rate/rate.js", "../dom.js"), _beside("main.js", "./dom.js")
    ('dom.js', 'dom.js')
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))


def _variable(name: str) -> str:
    return "$" + name.removesuffix(".js").replace("/", "_")


def _harmless(text: str, end: str) -> str:
    if end in text.lower():
        raise ValueError(f"the code of the page contains {end}, which would end its element.")
    return text


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
