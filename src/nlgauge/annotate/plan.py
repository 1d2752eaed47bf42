"""Plans of campaigns: the content of campaign.json and of its additions."""

from __future__ import annotations

import msgspec

from nlgauge.annotate.protocols import Protocol

FORMAT = 1


class Until(msgspec.Struct, frozen=True, omit_defaults=True):
    """When the campaign may stop early: at intervals of a width, or if all differences are decided."""

    width: float = 0.0
    sure: bool = False
    alpha: float = 0.05
    dimension: str = ""


class Proposals(msgspec.Struct, frozen=True):
    """A rule by which metrics propose further segments: until `segments` are rated, from `strata` strata."""

    segments: int
    strata: int


class Plan(msgspec.Struct, frozen=True):
    """The content of campaign.json.

    `units` are the segments or documents in the order in which looks see them; `orders` has the keys of each
    annotator's items, by block. `texts` and `items` are digests of files. `population` are the segments that
    estimates are about, if they were named or meet the expressions `where`; empty if they are all segments.
    """

    format: int
    protocol: Protocol
    seed: int
    systems: list[str]
    segments: list[str]
    units: list[str]
    annotators: list[str]
    orders: dict[str, list[list[str]]]
    texts: str
    items: str
    created: float
    overlap: float = 0.0
    overlap_of: int = 0
    repeats: float = 0.0
    damaged: float = 0.0
    population: list[str] = []
    where: list[str] = []
    until: Until = Until()
    title: str = ""
    proposals: Proposals | None = None

    @property
    def has_documents(self) -> bool:
        """True if documents take the place of segments."""
        return "context" in self.protocol.show

    @property
    def planned(self) -> int:
        """Number of segments to rate, proposals included."""
        return len(self.segments) if self.proposals is None else self.proposals.segments


class Addition(msgspec.Struct, frozen=True):
    """The content of campaign-2.json: further annotators, segments and blocks."""

    format: int
    annotators: list[str]
    segments: list[str]
    units: list[str]
    orders: dict[str, list[list[str]]]
    items: str


def extended(plan: Plan, addition: Addition) -> Plan:
    """Return a plan with an addition."""
    annotators = [*plan.annotators, *addition.annotators]
    return msgspec.structs.replace(
        plan,
        annotators=annotators,
        segments=[*plan.segments, *addition.segments],
        population=list(dict.fromkeys([*plan.population, *addition.segments])) if plan.population else [],
        units=[*plan.units, *addition.units],
        orders={name: [*plan.orders.get(name, []), *addition.orders.get(name, [])] for name in annotators},
    )
