"""New campaigns: segments are drawn, assigned and written."""

from __future__ import annotations

import hashlib
import random
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from nlgauge._core.numbers import counted
from nlgauge._core.paths import making_beside, name_problem, put
from nlgauge._core.ragged import Array
from nlgauge.annotate import assignment, items
from nlgauge.annotate.campaign import CAMPAIGN, ITEMS, TEXTS, Campaign
from nlgauge.annotate.items import Item, Texts
from nlgauge.annotate.metrics import METRICS, save_metrics, scores_of
from nlgauge.annotate.plan import FORMAT, Plan, Proposals, Until
from nlgauge.annotate.proposals import strata_for
from nlgauge.annotate.protocols import Protocol
from nlgauge.corpus import Corpus
from nlgauge.corpus.conditions import each_expression, meeting, of_corpus
from nlgauge.errors import ParameterError, no_such

if TYPE_CHECKING:
    from nlgauge.results.result import Result

ORGANIZER = "organizer"
_SHORTEST_NAME = 3


class Shares(NamedTuple):
    """Shares of the segments that several annotators rate, and of repeated and damaged items."""

    overlap: float = 0.0
    overlap_of: int = 0
    repeats: float = 0.0
    damaged: float = 0.0


def new(
    directory: str | Path,
    texts: Corpus | Result,
    protocol: Protocol,
    annotators: Sequence[str],
    *,
    segments: int | None = None,
    ids: Sequence[str] | None = None,
    where: str | Sequence[str] = (),
    overlap: float = 0.0,
    overlap_of: int = 0,
    repeats: float = 0.0,
    damaged: float = 0.0,
    gold: str | Path | None = None,
    until: Until | None = None,
    proposals: bool = False,
    title: str = "",
    seed: int = 12345,
) -> Campaign:
    """Draw segments, assign them to annotators, and write the directory.

    Parameters
    ----------
    directory : str or Path
        Directory of the campaign; it must not exist.
    texts : Corpus or Result
        Predictions of S systems for N segments; the metrics of a result help to estimate human scores.
    protocol : Protocol
        Questions.
    annotators : sequence of str
        Codes of the annotators. Codes are better than names, because working times are personal data.
    segments : int, optional
        Number of segments, drawn at random. Default: all.
    ids : sequence of str, optional
        Segments to rate, instead of random ones. Estimates then hold for these segments only.
    where : str or sequence of str, optional
        Expressions, such as "domain = news and bleu < 5"; segments are drawn from those that meet all of them. Estimates
        then hold for these segments only.
    overlap : float, default 0
        Share of the segments that several annotators rate, from 0 to 1.
    overlap_of : int, default 0
        Number of annotators who rate a shared segment. Default: all.
    repeats : float, default 0
        Share of an annotator's items that come again, at least 20 items later.
    damaged : float, default 0
        Share of an annotator's items that come again with an error in the text.
    gold : str or Path, optional
        File of items with known answers, which every annotator gets.
    until : Until, optional
        When the campaign may stop early.
    proposals : bool, default False
        After a random block for each annotator, metrics of the result propose the segments of further blocks.
    title : str, optional
        Title of the page of annotators.
    seed : int, default 12345
        Seed of the draw, the assignment and the orders.

    Returns
    -------
    Campaign
        The new campaign.

    Raises
    ------
    ParameterError
        If an option is outside its domain, or the directory exists.
    InputError
        If the texts do not fit the protocol.
    """
    target = Path(directory)
    if target.exists():
        raise ParameterError(
            f"{target} exists",
            python="choose another directory for the campaign",
            cli="use another -o, or nlgauge annotate add",
        )
    check_annotators(annotators, ())
    shares = _checked(Shares(overlap, overlap_of, repeats, damaged), annotators)
    corpus = texts if isinstance(texts, Corpus) else texts.corpus
    pool = items.texts_of(corpus, protocol)
    rng = random.Random(f"nlgauge {seed}")  # noqa: S311
    stop = until or Until()
    if stop.width < 0 or not 0 < stop.alpha < 1:
        raise ParameterError(f"the width must be positive and alpha between 0 and 1, got {stop}.")
    if stop.sure and len(corpus.systems) < 2:
        raise ParameterError("until-sure compares systems, and the texts have one; leave it out.")
    if stop.dimension and stop.dimension not in protocol.dimensions():
        raise ParameterError(no_such("dimension", stop.dimension, protocol.dimensions()))
    met = _meeting(texts, where)
    if met and ids is not None:
        raise ParameterError("segments are either named or selected by an expression; pass ids or where.")
    chosen = {name: pool[name] for name in met} if met else pool
    scores = {} if isinstance(texts, Corpus) else scores_of(texts)
    rule = None
    if proposals:
        if ids is not None or stop.sure or stop.width:
            raise ParameterError("proposals cannot be combined with named segments or advice to stop.")
        rule = _proposals(chosen, segments, scores, shares, protocol, len(annotators))
    first = segments if rule is None else min(rule.segments, assignment.BLOCK * len(annotators))
    drawn, units = drawn_of(chosen, first, ids, rng, seed)
    extra = [] if gold is None else items.gold_of(Path(gold), protocol)
    made, orders = assigned(
        pool, drawn, units, annotators, protocol, shares, extra, rng, in_order=stop.sure or stop.width > 0
    )
    if rule is not None:
        later = (pool[name] for name in chosen if name not in set(drawn))
        made |= {item.key: item for each in later for item in items.items_of(each, protocol, rng)}
    lines = {
        TEXTS: b"".join(msgspec.json.encode(each) + b"\n" for each in pool.values()),
        ITEMS: b"".join(item.stored() for item in made.values()),
    }
    plan = Plan(
        format=FORMAT,
        protocol=protocol,
        seed=seed,
        systems=list(corpus.systems),
        segments=drawn,
        units=units,
        annotators=list(annotators),
        orders=orders,
        texts=hashlib.sha256(lines[TEXTS]).hexdigest(),
        items=hashlib.sha256(lines[ITEMS]).hexdigest(),
        created=round(time.time(), 3),
        **shares._asdict(),
        population=met if ids is None else drawn,
        where=each_expression(where),
        until=stop,
        title=title,
        proposals=rule,
    )
    if not target.absolute().parent.is_dir():
        raise ParameterError(f"the directory {target.parent} does not exist; create it first.")
    with making_beside(target) as making:
        for name, content in lines.items():
            (making / name).write_bytes(content)
        if not isinstance(texts, Corpus):
            save_metrics(scores, making / METRICS)
        (making / CAMPAIGN).write_bytes(msgspec.json.format(msgspec.json.encode(plan), indent=1) + b"\n")
        # The items name the system of each text, so that an annotator on this machine must not read them.
        making.chmod(0o700)
        put(making, target, lambda _: False)
    return Campaign(target, plan, made, pool)


def _proposals(
    pool: Mapping[str, Texts],
    segments: int | None,
    scores: Mapping[str, Array],
    shares: Shares,
    protocol: Protocol,
    annotators: int,
) -> Proposals:
    """Return how segments are proposed; raise ParameterError if they cannot be."""
    if not scores:
        raise ParameterError(
            "proposals need a result with a metric that scores segments",
            python="pass such a result, or leave proposals out",
            cli="create the campaign from a result of `nlgauge score -o`, or leave --next out",
        )
    if any(shares) or "context" in protocol.show:
        raise ParameterError(
            "proposals are blocks of whole segments for one annotator; leave out overlap, repeats, damaged and context."
        )
    number = len(pool) if segments is None else segments
    if not 1 <= number <= len(pool):
        raise ParameterError(f"segments must be 1 to {len(pool)}, the number of segments, got {number}.")
    return Proposals(number, strata_for(min(number, assignment.BLOCK * annotators)))


def _meeting(texts: Corpus | Result, where: str | Sequence[str]) -> list[str]:
    """Return the ids of the segments that meet all expressions; none if there is no expression."""
    if not where:
        return []
    if isinstance(texts, Corpus):
        rows = meeting(where, of_corpus(texts), "segment")
        return [str(texts.ids[row]) for row in rows]
    from nlgauge.results.selecting import selected

    return [str(texts.corpus.ids[row]) for row in selected(texts, where)]


def leaks(campaign: Campaign) -> list[str]:
    """Return warnings about outputs that contain the name of their system.

    Parameters
    ----------
    campaign : Campaign
        Campaign.

    Returns
    -------
    list of str
        One sentence per system.
    """
    found = []
    for system in campaign.plan.systems:
        # A name of one or two letters is a word of too many texts.
        if len(system) < _SHORTEST_NAME:
            continue
        name = re.compile(rf"(?<!\w){re.escape(system)}(?!\w)", re.IGNORECASE)
        count = sum(
            name.search(campaign.texts[segment].outputs[system]) is not None
            for segment in (campaign.plan.segments if campaign.plan.proposals is None else campaign.texts)
        )
        if count:
            outputs = counted(count, "output contains", "outputs contain")
            found.append(f"{outputs} the name of their system, {system!r}, so people can recognize it")
    return found


def drawn_of(
    pool: Mapping[str, Texts], count: int | None, ids: Sequence[str] | None, rng: random.Random, seed: int
) -> tuple[list[str], list[str]]:
    """Return the segments to rate in the order of the corpus, and their units in random order."""
    segments_of: dict[str, list[str]] = {}
    for name, each in pool.items():
        segments_of.setdefault(each.unit, []).append(name)
    if ids is not None:
        unknown = [name for name in ids if name not in pool]
        if unknown:
            raise ParameterError(no_such("segment", unknown[0], list(pool)[:1000]))
        if count is not None:
            raise ParameterError("segments are either drawn or named; pass a number or ids.")
        chosen = list(dict.fromkeys(pool[name].unit for name in ids))
        wanted = set(ids) | {
            name for unit in chosen for name in segments_of[unit] if len(segments_of) < len(pool)
        }
    else:
        number = len(pool) if count is None else count
        if not 1 <= number <= len(pool):
            raise ParameterError(f"segments must be 1 to {len(pool)}, the number of segments, got {number}.")
        chosen, wanted = [], set()
        for unit in rng.sample(list(segments_of), len(segments_of)):
            if len(wanted) >= number:
                break
            chosen.append(unit)
            wanted |= set(segments_of[unit])
    from nlgauge.stats.sequential.planned import PlannedLooks
    from nlgauge.stats.units import Clusters

    # The order of units is the order of planned looks.
    order = PlannedLooks(Clusters(None, len(chosen)), seed=seed).order.tolist()
    return [name for name in pool if name in wanted], [chosen[number] for number in order]


def assigned(
    pool: Mapping[str, Texts],
    drawn: Sequence[str],
    units: Sequence[str],
    annotators: Sequence[str],
    protocol: Protocol,
    shares: Shares,
    gold: Sequence[Item],
    rng: random.Random,
    in_order: bool,
) -> tuple[dict[str, Item], dict[str, list[list[str]]]]:
    """Return the items of segments, and the blocks of each annotator."""
    made: dict[str, Item] = {item.key: item for item in gold}
    keys: dict[str, list[str]] = {}
    for segment in drawn:
        for item in items.items_of(pool[segment], protocol, rng):
            made[item.key] = item
            keys.setdefault(item.unit, []).append(item.key)
    parts = assignment.parts_of(units, annotators, shares.overlap, shares.overlap_of, rng, in_order)
    orders = {annotator: order_of(part, keys, made, shares, gold, rng) for annotator, part in parts.items()}
    return made, orders


def order_of(
    units: Sequence[str],
    keys: Mapping[str, Sequence[str]],
    made: dict[str, Item],
    shares: Shares,
    gold: Sequence[Item],
    rng: random.Random,
) -> list[list[str]]:
    """Return the blocks of an annotator, with checks among the items; add the checks to `made`."""
    blocks = assignment.blocks_of(units)
    order = assignment.ordered([{unit: keys[unit] for unit in block} for block in blocks], rng)
    flat = [name for block in order for name in block]
    checks = [
        *items.repeated(flat, made, shares.repeats, rng),
        *items.damaged(flat, made, shares.damaged, rng),
    ]
    made |= {item.key: item for item in checks}
    by_key = {name: made[name].unit for name in flat}
    extras = [
        *(assignment.Extra(item.key, item.unit, item.of, item.kind == items.REPEAT) for item in checks),
        *(assignment.Extra(item.key, item.unit) for item in gold),
    ]
    return assignment.with_extras(order, extras, by_key, rng) if order or gold else []


def _checked(shares: Shares, annotators: Sequence[str]) -> Shares:
    for name in ("overlap", "repeats", "damaged"):
        share = getattr(shares, name)
        if not 0 <= share <= 1:
            raise ParameterError(f"{name} must be between 0 and 1, got {share!r}.")
    if shares.overlap_of and not 2 <= shares.overlap_of <= len(annotators):
        raise ParameterError(
            f"overlap_of must be 2 to {len(annotators)}, the number of annotators, got {shares.overlap_of}."
        )
    return shares


def check_annotators(annotators: Sequence[str], present: Sequence[str]) -> None:
    """Raise ParameterError if these are not codes of new annotators."""
    if not annotators and not present:
        raise ParameterError("a campaign needs at least one annotator, got none.")
    for number, code in enumerate(annotators):
        if problem := name_problem(code):
            raise ParameterError(f"{code!r} cannot be the code of an annotator: {problem}.")
        if code == ORGANIZER:
            raise ParameterError(f"{code!r} is the code of the organizer; use another code.")
        if code in present:
            raise ParameterError(
                f"{code} is in the campaign already",
                cli=f"nlgauge annotate tokens --new {code} creates a new address",
            )
        if code in annotators[:number]:
            raise ParameterError(f"the annotator {code!r} is named twice; use different codes.")
