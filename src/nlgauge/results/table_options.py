"""TableOptions: what a table of a result shows beside the scores, and what was drawn for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from nlgauge.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from nlgauge.results.comparison import Comparison
    from nlgauge.results.result import Result


@dataclass(frozen=True)
class TableOptions:
    """The options of `page`, `to_text`, `to_markdown`, `to_latex`, `to_html` and `to_csv` of a result and of
    its groups.

    `intervals` and `tests` say whether they are computed and shown; `confidence`, `resamples`, `seed`, `test`
    and `baseline` are those of `Result.intervals` and `Result.compare`. `details` adds the further outputs of each
    metric, such as BLEU's precisions and brevity penalty. With `wide` there is one row per system and one
    column per metric, else one row per metric and system; by default a result of many systems has one row per
    system. A CSV file always has all outputs, one per row. `decimals` is how many are shown of each score,
    where not as many as its metric asks for; a CSV file always has all of them. `costs` adds a table of what
    the run cost, which a CSV file has not.
    """

    intervals: bool = True
    tests: bool = True
    confidence: float = 0.95
    resamples: int = 1000
    seed: int | None = None
    test: str = "randomization"
    baseline: str | None = None
    details: bool = False
    wide: bool | None = None
    decimals: int | None = None
    costs: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> TableOptions:
        """The options that were given, or an error that names those that there are."""
        known = [option.name for option in fields(cls)]
        for name in given:
            if name not in known:
                raise ParameterError(
                    f"a table has no option {name!r}{did_you_mean(name, known)}; there are"
                    f" {', '.join(known)}."
                )
        decimals = given.get("decimals")
        if decimals is not None and (not isinstance(decimals, int) or not 0 <= decimals <= 15):
            raise ParameterError(f"decimals must be a whole number from 0 to 15, got {decimals!r:.60}.")
        return cls(**given)

    def of_comparison(self) -> dict[str, Any]:
        """The options of `Result.compare`."""
        return {
            "test": self.test,
            "baseline": self.baseline,
            "confidence": self.confidence,
            "resamples": self.resamples,
            "seed": self.seed,
        }

    def intervals_of(self, result: Result) -> dict[str, Any] | None:
        """The intervals of the result, if they are shown."""
        return result.intervals(self.confidence, self.resamples, self.seed) if self.intervals else None

    def has_tests(self, result: Result) -> bool:
        """Whether there is something to test that is shown."""
        return self.tests and len(result.systems) > 1

    def comparison_of(self, result: Result) -> Comparison | None:
        """The comparison of the baseline with the other systems, if it is shown."""
        return result.compare(**self.of_comparison()) if self.has_tests(result) else None
