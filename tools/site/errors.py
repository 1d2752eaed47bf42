"""Reference of errors: each class, with the messages that the source raises."""

from __future__ import annotations

import ast
import inspect
from collections import defaultdict
from pathlib import Path

from nlgauge import errors
from nlgauge.cli.program import FAILURE, USAGE
from tools.site.files import ROOT, Target

OPENING = """# Errors

Every error that nlgauge raises on purpose is a `nlgauge.NlgaugeError` and also an exception of Python, so that existing
handlers catch it. A message states what was passed, what is needed and what to do. `nlgauge --debug COMMAND` prints the
traceback. In the messages below, `…` is a value of the call.

"""


def write(target: Target) -> None:
    """Write the page."""
    target.write("reference/errors.md", page())


def classes() -> list[type[errors.NlgaugeError]]:
    """Return the classes of errors in the order of their definition."""
    return [
        kind
        for kind in vars(errors).values()
        if inspect.isclass(kind)
        and issubclass(kind, errors.NlgaugeError)
        and kind.__module__ == errors.__name__
    ]


def page() -> str:
    """Return the page: one section per class."""
    raised = messages(ROOT / "src" / "nlgauge")
    parts = [OPENING]
    for kind in classes():
        bases = ", ".join(f"`{base.__name__}`" for base in kind.__bases__)
        usage = issubclass(kind, errors.InputError | errors.ParameterError | LookupError)
        parts.append(
            f"## {kind.__name__}\n\n{_summary(kind)} Subclass of {bases}; exit code {USAGE if usage else FAILURE}.\n"
        )
        texts = sorted(raised[kind.__name__])
        if texts:
            items = "\n".join(f"- {_code(text)}" for text in texts)
            parts.append(f":::{{dropdown}} Messages ({len(texts)})\nIn alphabetical order:\n\n{items}\n:::\n")
    return "\n".join(parts)


def _summary(kind: type) -> str:
    return " ".join((kind.__doc__ or "").split("\n\n")[0].split())


def _code(text: str) -> str:
    """Return a text as inline code, whatever backticks it has."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def messages(source: Path) -> dict[str, set[str]]:
    """Return the texts that the source raises, by the name of the class; fields of f-strings become `…`."""
    raised: dict[str, set[str]] = defaultdict(set)
    for path in sorted(source.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if (
                isinstance(node, ast.Raise)
                and isinstance(node.exc, ast.Call)
                and isinstance(node.exc.func, ast.Name)
            ):
                values = [*node.exc.args, *(keyword.value for keyword in node.exc.keywords)]
                texts = list(filter(None, map(_text, values)))
                if node.exc.func.id == errors.MissingExtraError.__name__ and len(texts) == 3:
                    texts = [str(errors.MissingExtraError(*texts))]
                text = "; ".join(texts)
                if " " in text:
                    raised[node.exc.func.id].add(" ".join(text.split()))
    return raised


def _text(node: ast.expr) -> str:
    """Return the text of a string, an f-string or a sum of them; nothing for other values."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) if isinstance(part, ast.Constant) else "…" for part in node.values)
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    return ""
