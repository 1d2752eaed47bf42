"""Languages: the code of one."""

from __future__ import annotations

import re


def code(lang: str | None) -> str:
    """The language of a tag without region or script; "" for none.

    >>> code("en-GB"), code("zh_Hans"), code(None)
    ('en', 'zh', '')
    """
    return re.split("[-_]", lang or "")[0].lower()
