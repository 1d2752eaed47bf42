"""Files of the pages that a server sends: a dictionary made at the start, so that no path of a request is opened."""

from __future__ import annotations

from html import escape

from nlgauge.show.report.page import WEB

_KINDS = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".woff2": "font/woff2"}
_FONTS = {"@@INTER@@": "/web/vendor/inter.woff2", "@@SERIF@@": "/web/vendor/source-serif.woff2"}


def web_files() -> dict[str, tuple[bytes, str]]:
    """Return content and type of the modules, styles and fonts by their address."""
    files = {}
    for path in sorted(WEB.rglob("*")):
        if path.suffix in _KINDS:
            content = path.read_bytes()
            if path.suffix == ".css":
                for mark, address in _FONTS.items():
                    content = content.replace(mark.encode(), address.encode())
            files[f"/web/{path.relative_to(WEB).as_posix()}"] = content, _KINDS[path.suffix]
    return files


def html_page(script: str, style: str, title: str, body: str, api: str) -> tuple[bytes, str]:
    """Return content and type of a page with a module, a style sheet and a body."""
    page = f"""<!doctype html>
<html lang="en" data-theme="auto" data-api="{api}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/web/base.css">
<link rel="stylesheet" href="{style}">
<script type="module" src="{script}"></script>
</head>
{body}
</body>
</html>
"""
    return page.encode(), "text/html; charset=utf-8"
