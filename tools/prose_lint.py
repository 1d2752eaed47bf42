"""Count patterns of unclear English in all prose, and fail if a count exceeds its limit.

    python tools/prose_lint.py                             counts by kind and rule, and the limits that are exceeded
    python tools/prose_lint.py --show RULE [--kind KIND]   the places of a rule ("all" for every rule)
    python tools/prose_lint.py --update                    lower the limits to the counts, never raise one

prose_rules.toml has the rules, and prose_limits.json a line for each kind of prose and rule. `--update` adds the lines
of a new rule. If a merge leaves a conflict in prose_limits.json, run `--update`: it reads both sides.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tools.prose import KINDS, Piece, pieces

HERE = Path(__file__).parent
RULES, LIMITS = HERE / "prose_rules.toml", HERE / "prose_limits.json"
# A checkout without history has no commits to count.
LIMITED = tuple(kind for kind in KINDS if kind != "commit")
Counts = dict[tuple[str, str], int]


class Rule(NamedTuple):
    """A pattern, what to write instead, and the kinds of prose that it applies to."""

    name: str
    pattern: re.Pattern[str]
    instead: str
    kinds: frozenset[str]


class Hit(NamedTuple):
    """A place of a rule."""

    rule: Rule
    piece: Piece
    context: str

    def __str__(self) -> str:
        place = f"{self.piece.path}:{self.piece.line}: {self.piece.kind} {self.rule.name}"
        return f"{place}: ...{self.context}...  -> {self.rule.instead}"


def read_rules(text: str) -> list[Rule]:
    return [
        Rule(name, re.compile(rule["find"], re.M), rule["write"], frozenset(rule.get("kinds", KINDS)))
        for name, rule in tomllib.loads(text).items()
    ]


def hits(piece: Piece, rules: list[Rule]) -> list[Hit]:
    """Return the hits in one piece of prose, whose white space is collapsed first."""
    text = " ".join(piece.text.split())
    return [
        Hit(rule, piece, text[max(0, match.start() - 40) : match.end() + 50])
        for rule in rules
        if piece.kind in rule.kinds
        for match in rule.pattern.finditer(text)
    ]


def count(all_hits: list[Hit], rules: list[Rule]) -> Counts:
    """Return the number of hits for each kind and rule that has a limit."""
    counts = Counter((hit.piece.kind, hit.rule.name) for hit in all_hits)
    pairs = ((kind, rule.name) for kind in LIMITED for rule in rules if kind in rule.kinds)
    return {pair: counts[pair] for pair in sorted(pairs)}


def read_limits(text: str) -> Counts:
    """Return the limits; of two lines for one kind and rule, as a conflict has them, the lower counts."""
    limits: Counts = {}
    for kind, name, number in re.findall(r'^ *"(\S+) (\S+)": (\d+)', text, re.M):
        limits[kind, name] = min(int(number), limits.get((kind, name), int(number)))
    return limits


def lowered(limits: Counts, counts: Counts) -> Counts:
    """Return the limits for these counts: a new rule gets its counts, and no other limit rises."""
    old_rules = {name for _, name in limits}
    return {
        (kind, name): number if name not in old_rules else min(number, limits.get((kind, name), 0))
        for (kind, name), number in counts.items()
    }


def write_limits(limits: Counts) -> str:
    lines = ",\n".join(f'  "{kind} {name}": {number}' for (kind, name), number in sorted(limits.items()))
    return f"{{\n{lines}\n}}\n"


def exceeded(limits: Counts, counts: Counts) -> list[str]:
    """Return a line for each count above its limit."""
    return [
        f"{name} in {kind}: {number} places, the limit is {limits.get((kind, name), 0)};"
        f" run: python tools/prose_lint.py --show {name} --kind {kind}"
        for (kind, name), number in counts.items()
        if number > limits.get((kind, name), 0)
    ]


def report(all_pieces: list[Piece], all_hits: list[Hit]) -> str:
    """Return a table of the hits by kind, and one by rule."""
    words: Counter[str] = Counter()
    for piece in all_pieces:
        words[piece.kind] += len(piece.text.split())
    by_kind = Counter(hit.piece.kind for hit in all_hits)
    lines = [f"{'kind':18}{'words':>8}{'hits':>7}{'per 1,000':>11}"]
    for kind in filter(words.get, KINDS):
        rate = 1000 * by_kind[kind] / words[kind]
        lines.append(f"{kind:18}{words[kind]:8}{by_kind[kind]:7}{rate:11.1f}")
    by_rule = Counter(hit.rule.name for hit in all_hits)
    return "\n".join([*lines, "", *(f"{name:22}{number:6}" for name, number in by_rule.most_common())])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    rules = read_rules(RULES.read_text("utf-8"))
    parser.add_argument("--root", type=Path, default=HERE.parent, help="repository to read")
    parser.add_argument("--show", metavar="RULE", choices=[*(rule.name for rule in rules), "all"])
    parser.add_argument("--kind", choices=KINDS, help="with --show: only this kind")
    parser.add_argument("--path", default="", help="with --show: only files whose path contains this")
    parser.add_argument("--commits", type=int, default=0, help="number of commit subjects to read")
    parser.add_argument("--update", action="store_true", help="lower the limits to the counts")
    options = parser.parse_args()
    all_pieces = list(pieces(options.root, options.commits))
    all_hits = [hit for piece in all_pieces for hit in hits(piece, rules)]
    if options.show:
        for hit in all_hits:
            if (
                options.show in (hit.rule.name, "all")
                and options.kind in (None, hit.piece.kind)
                and options.path in hit.piece.path
            ):
                print(hit)
        return 0
    counts = count(all_hits, rules)
    limits = read_limits(LIMITS.read_text("utf-8")) if LIMITS.exists() else {}
    if options.update:
        limits = lowered(limits, counts)
        LIMITS.write_text(write_limits(limits), "utf-8")
    print(report(all_pieces, all_hits))
    over = exceeded(limits, counts)
    print(*over, sep="\n", end="\n" if over else "")
    if not over and limits != counts:
        print("counts have fallen below their limits; run: python tools/prose_lint.py --update")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
