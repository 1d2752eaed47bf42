"""Scripts and styles without the spaces that only readers need.

Strings, templates and regular expressions are unchanged. Names are not shortened, so that an error in a browser can
be found in the source.
"""

from __future__ import annotations

import re

# A / after one of these begins a regular expression, not a division.
_BEFORE_PATTERN = set("(,=:[!&|?{};+\n")
# The next line may follow these signs at once: the scripts end every statement that is no block with a semicolon.
_JOINED = set("{([,;}")
_NAME = re.compile(r"[\w$]")
_PATTERN = re.compile(r"/(?:[^\\/\[\n]|\\.|\[(?:[^\\\]\n]|\\.)*\])+/[a-z]*")
_QUOTED_OR_COMMA = re.compile(r"(\"[^\"]*\"|'[^']*')|,\s+")
_STRING = {quote: re.compile(rf"{quote}(?:[^{quote}\\\n]|\\.)*{quote}") for quote in "\"'"}


def lean_script(text: str) -> str:
    """Return a module without indentation, lines of comments, and spaces around operators."""
    return _tight("\n".join(_lines(text)))


def lean_styles(text: str) -> str:
    """Return a style sheet without comments, indentation, and spaces inside rules."""
    rules = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    rules = re.sub(r"(?<=[\w-]): ", ":", re.sub(r"[ ;]*([{};])\s?", r"\1", "\n".join(_lines(rules))))
    return _QUOTED_OR_COMMA.sub(lambda match: match[1] or ",", rules).replace(";}", "}")


def _lines(text: str) -> list[str]:
    lines = (line.strip() for line in text.split("\n"))
    return [line for line in lines if line and not line.startswith("//")]


def _tight(code: str) -> str:
    found: list[str] = []
    # For each open template the number of open brackets of its expression.
    depths: list[int] = []
    at = 0
    while at < len(code):
        sign = code[at]
        last = found[-1][-1] if found else "\n"
        if sign in _STRING and (match := _STRING[sign].match(code, at)):
            found.append(match[0])
            at = match.end()
            continue
        if sign == "/" and last in _BEFORE_PATTERN and (match := _PATTERN.match(code, at)):
            found.append(match[0])
            at = match.end()
            continue
        if sign == "`" or (sign == "}" and depths and depths[-1] == 0):
            # A template up to its end or its next expression.
            end = _end_of_text(code, at + 1)
            if sign == "}":
                depths.pop()
            if code[end - 1] != "`":
                depths.append(0)
            found.append(code[at:end])
            at = end
            continue
        if sign == "\n" and last in _JOINED:
            at += 1
            continue
        if (sign == "}" and last == ";") or (sign in ")]}" and last == ","):
            # A statement ends at the end of its block, an item at the end of its list. No loop of these scripts has an
            # empty body, and no list ends with an empty item.
            found.pop()
        if sign == " ":
            following = code[at + 1 : at + 2]
            is_needed = (_NAME.match(last) and _NAME.match(following)) or (last == following and last in "+-")
            if is_needed:
                found.append(sign)
            at += 1
            continue
        if depths and sign in "{}":
            depths[-1] += 1 if sign == "{" else -1
        found.append(sign)
        at += 1
    return "".join(found)


def _end_of_text(code: str, at: int) -> int:
    """Return the place after the end of a template, or after the start of its next expression."""
    while at < len(code):
        if code[at] == "\\":
            at += 2
        elif code[at] == "`":
            return at + 1
        elif code.startswith("${", at):
            return at + 2
        else:
            at += 1
    return at
