"""Checks of a metric's numbers on any texts: they depend only on the texts and the fit, and add up."""

from __future__ import annotations

import copy
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from nlgauge.corpus import Corpus
from nlgauge.engine.chunk import Chunk, statistics_of
from nlgauge.engine.executors import Serial
from nlgauge.features import RunOptions
from nlgauge.metric import AnyMetric, CorpusMetric, Metric, first_output
from nlgauge.metric.compiled import compiled, score_program
from nlgauge.metric.table import Table
from nlgauge.results.result import Result
from nlgauge.testing.comparing import (
    Terms,
    arrays_of,
    close,
    contents_of,
    fields_of,
    identical,
    require,
    rows_of,
    same_arrays,
    same_results,
    same_scores,
    scored,
    scores_of,
)
from nlgauge.testing.texts import sample


def check_nothing_is_mutated(metric: AnyMetric, terms: Terms) -> None:
    """Check that a metric does not change its inputs: texts, ids, fits and features.

    A second computation must therefore return the same numbers.
    """
    texts = sample()
    passed = copy.deepcopy(texts)
    fits = scored(metric, *passed)._job.fits
    require(passed == texts, metric, "it changes the caller's lists")
    corpus = Corpus.read(*texts, fields=fields_of(metric, texts[2]))
    chunk = Chunk(corpus, np.arange(len(corpus)), RunOptions())
    what = "the same rows have different numbers the second time: it changes its inputs, or it is random"
    if isinstance(metric, CorpusMetric):
        before = contents_of(corpus)
        first, second = (metric.whole(corpus, corpus.systems[0], chunk.features) for _ in range(2))
        same_scores(metric, terms, first, second, what)
    else:
        fitted = next(iter(fits.values()), {})
        (rows,) = chunk.rows(metric)
        columns = [fitted, {name: arrays_of(value) for name, value in vars(rows.view).items()}]
        before, copied = contents_of(corpus), copy.deepcopy(columns)
        ours, theirs = (statistics_of(metric, rows.view, fitted) for _ in range(2))
        for part, values in ours.items():
            same_arrays(metric, terms, values, theirs[part], what)
        require(identical(columns, copied), metric, "it changes its view or its fit")
    require(identical(before, contents_of(corpus)), metric, "it changes the corpus")


def check_compiled_numbers_are_the_same(metric: AnyMetric, terms: Terms) -> None:
    """Check that the compiled form of a metric, if it has one, gives the statistics of the ordinary way bit for bit
    (`nlgauge.metric.compiled` has the rules for compiled metrics).
    """
    form = compiled(metric)
    if form is None or not isinstance(metric, Metric):
        return
    predictions, references, _ = sample()
    singles = [several[0] if isinstance(several, list) else several for several in references]
    corpus = Corpus.read(predictions, singles)
    (rows,) = Chunk(corpus, np.arange(len(corpus)), RunOptions()).rows(metric)
    texts = [
        [corpus.texts[number] for number in side.tolist()]
        for side in (rows.view.predictions, rows.view.reference)
    ]
    expected = np.hstack(list(statistics_of(metric, rows.view, {}).values()))
    computed = form.native.statistics(*texts)
    require(
        computed is not None and identical(computed[0], np.ascontiguousarray(expected)),
        metric,
        "its compiled form computes different statistics; read rows only with view.rows(feature)",
    )


def check_programs_compute_the_same_scores(metric: AnyMetric, terms: Terms) -> None:
    """Check that the program of `score`, if there is one, computes all outputs of sums and segments bit for bit."""
    if isinstance(metric, CorpusMetric):
        return
    (table,) = scored(metric, *sample())._tables.values()
    parts = {part: rows.shape[1] for part, rows in table.statistics.items()}
    for scoring in (_of_rows(table), _of_rows(table).for_segments()):
        try:
            names, program = score_program(scoring, parts)
        except Exception:  # The report and the compiled metrics use `score` itself.
            return
        for rows in (
            table.statistics,
            {part: rows.sum(axis=0)[None] for part, rows in table.statistics.items()},
        ):
            computed = dict(zip(names, program.run(np.hstack(list(rows.values()))).T, strict=True))
            for part, values in rows.items():
                with np.errstate(all="ignore"):
                    expected = scoring.score(part, np.ascontiguousarray(values))
                for name, numbers in expected.items():
                    require(
                        np.array_equal(computed[name], numbers, equal_nan=True),
                        metric,
                        f"the program of score() computes another {name}; score() must do the same for all numbers of rows",
                    )


def check_numbers_repeat_and_random_state_is_left_alone(metric: AnyMetric, terms: Terms) -> None:
    """Check that equal calls return equal numbers, intervals and tests.

    The global random state must not change either.
    """
    texts, others = sample(), sample(2)[0]
    with _unusual_random_state() as touched:
        first, second = (
            _everything(scored(metric, {"A": texts[0], "B": others}, *texts[1:])) for _ in range(2)
        )
        require(
            identical(first, second),
            metric,
            "the same call returns different numbers, intervals or p-values the second time",
        )
        require(not touched(), metric, "it changes the global random state; use np.random.default_rng(seed)")


@contextmanager
def _unusual_random_state() -> Iterator[Callable[[], bool]]:
    """Set the global generators to an unusual state, and restore them afterwards.

    Yield a function that returns True if the state was changed. The state is unusual, so that a seed of the
    metric is detected too.
    """
    torch = sys.modules.get("torch")
    before = _random_states()
    random.seed(8_715_013)
    np.random.seed(8_715_013)
    if torch is not None:
        torch.manual_seed(8_715_013)
    ours = _random_states()
    try:
        yield lambda: not identical(ours, _random_states()[: len(ours)])
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])
        if torch is not None:
            torch.set_rng_state(torch.from_numpy(before[2]))


def _random_states() -> list[Any]:
    """Return the states of the global generators, with the generator of torch if it is imported."""
    torch = sys.modules.get("torch")
    return [
        random.getstate(),
        np.random.get_state(),
        *([] if torch is None else [torch.get_rng_state().numpy()]),
    ]


def _everything(result: Result) -> list[Any]:
    scores = [[scores_of(result, system), rows_of(result, system)] for system in result.systems]
    return [scores, result.intervals(resamples=20), result.compare(resamples=20).records()]


def check_scores_work_over_the_last_axis(metric: AnyMetric, terms: Terms) -> None:
    """Check that one row, all rows and a stack of resamples have the same arithmetic."""
    if isinstance(metric, CorpusMetric):
        return
    (table,) = scored(metric, *sample())._tables.values()
    scoring = _of_rows(table)
    what = "score() must work over the last axis: a row's score must not depend on other rows"
    for part, rows in table.statistics.items():
        every, block = scoring.score(part, rows), scoring.score(part, np.stack([rows, 2 * rows]))
        for output in metric.outputs()[part]:
            require(np.shape(block[output.name]) == (2, len(rows)), metric, what)
            single = np.array([scoring.score(part, row)[output.name] for row in rows])
            for values in (block[output.name][0], single):
                require(np.array_equal(values, every[output.name], equal_nan=True), metric, what)


def check_the_corpus_score_is_the_score_of_the_sum(metric: AnyMetric, terms: Terms) -> None:
    """Check that the corpus score is `score` of the sum of the rows, weighted or not.

    Statistics must have one row of float64 per segment.
    """
    if isinstance(metric, CorpusMetric):
        return
    texts = sample()
    for weights in (None, np.arange(1.0, len(texts[0]) + 1)):
        result = scored(metric, *texts, weights=weights)
        (table,) = result._tables.values()
        expected: dict[str, float] = {}
        for part, rows in table.statistics.items():
            require(
                rows.dtype == np.float64 and len(rows) == len(texts[0]),
                metric,
                f"statistics must be one row of float64 per segment ({len(texts[0])}), but {part} has {rows.dtype} of the"
                f" shape {rows.shape}",
            )
            total = sum(rows if weights is None else rows * weights[:, None])
            expected |= {
                name: float(value) for name, value in _of_rows(table).score(part, np.asarray(total)).items()
            }
        scores = {name: value for name, value in scores_of(result).items() if name in expected}
        close(metric, scores, expected, 1e-9, "the corpus score is not the score of the sum of rows")
        close(
            metric,
            {"score": scores_of(result)["score"]},
            {"score": expected[first_output(metric).name]},
            1e-9,
            "score is not the first output",
        )


def _of_rows(table: Table) -> Metric:
    """Return the metric of a table's rows: the metric, or its averages if references are averaged."""
    assert isinstance(table.metric, Metric)
    return table.metric


def check_a_segment_alone_scores_as_among_others(metric: AnyMetric, terms: Terms) -> None:
    """Check that a segment's score depends on other segments only through a fit."""
    if isinstance(metric, CorpusMetric) or metric.fit() is not None:
        return
    texts = sample()
    together = rows_of(scored(metric, *texts))
    for i, (prediction, references, source) in enumerate(zip(*texts, strict=True)):
        (alone,) = rows_of(scored(metric, [prediction], [references], [source]))
        same_scores(
            metric, terms, together[i], alone, f"the score of segment {i} depends on the other segments"
        )


def check_the_order_of_segments_does_not_matter(metric: AnyMetric, terms: Terms) -> None:
    """Check that the order of segments changes no score, of segments or of the corpus."""
    texts = sample()
    order = np.random.default_rng(3).permutation(len(texts[0]))
    straight, permuted = (
        scored(metric, *texts),
        scored(metric, *([column[i] for i in order] for column in texts)),
    )
    what = "scores depend on the order of the segments"
    if isinstance(metric, Metric):
        rows = rows_of(straight)
        for i, row in zip(order, rows_of(permuted), strict=True):
            same_scores(metric, terms, rows[i], row, what)
    same_scores(metric, terms, scores_of(straight), scores_of(permuted), what, sums=True)


def check_chunks_do_not_matter(metric: AnyMetric, terms: Terms) -> None:
    """Check that statistics and scores do not depend on the division into chunks."""
    texts, others = sample(), sample(2)[0]
    systems = {"A": texts[0], "B": others}
    whole = scored(metric, systems, *texts[1:])
    for characters in (1, 700):
        split = scored(metric, systems, *texts[1:], executor=Serial(characters=characters))
        what = f"numbers depend on how the corpus was cut into chunks (Serial(characters={characters}))"
        for key, table in whole._tables.items():
            for part, statistics in table.statistics.items():
                same_arrays(metric, terms, statistics, split._tables[key].statistics[part], what)
            same_scores(metric, terms, table.scores(), split._tables[key].scores(), what)


def check_the_batch_size_does_not_matter(metric: AnyMetric, terms: Terms) -> None:
    """Check that `batch_size` changes no number."""
    texts = sample()
    plain = scored(metric, *texts)
    for size in (1, 7):
        other = scored(metric, *texts, batch_size=size)
        same_results(metric, terms, plain, other, f"numbers depend on the batch size (batch_size={size})")


def check_a_system_scores_the_same_in_any_company(metric: AnyMetric, terms: Terms) -> None:
    """Check that a system's scores do not depend on the other systems."""
    texts, others = sample(), sample(2)[0]
    alone = scored(metric, *texts)
    several = scored(metric, {"B": others, "A": texts[0], "twin": texts[0]}, *texts[1:])
    for system in ("A", "twin"):
        same_results(metric, terms, alone, several, "a system's numbers depend on the other systems", system)
    first, second = (list(scores_of(several, system).values()) for system in ("A", "twin"))
    require(
        np.array_equal(first, second, equal_nan=True),
        metric,
        "two systems with the same texts have different scores",
    )


def check_one_reference_may_come_in_a_list(metric: AnyMetric, terms: Terms) -> None:
    """Check that a reference scores the same as a string, in a list, and twice in a list.

    A metric with a fit is not checked with a repeated reference.
    """
    predictions, references, sources = sample()
    plain = scored(metric, predictions, [group[0] for group in references], sources)
    listed = scored(
        metric, [[prediction] for prediction in predictions], [group[:1] for group in references], sources
    )
    same_results(metric, terms, plain, listed, "a text has a different score in a list of length 1")
    if metric.fit() is None:
        twice = scored(metric, predictions, [group[:1] * 2 for group in references], sources)
        same_results(metric, terms, plain, twice, "a repeated reference changes the score")


def check_explanations_have_the_statistics_of_the_rows(metric: AnyMetric, terms: Terms) -> None:
    """Check that explanations have the statistics of the scored rows.

    The statistics of every part must equal the statistics of the row, for any reference that determined it.
    """
    if isinstance(metric, CorpusMetric):
        return
    predictions, references, sources = sample()
    for texts in ([group[0] for group in references], references):
        result = scored(metric, predictions, texts, sources)
        (table,) = result._tables.values()
        if _of_rows(table) != metric:
            return  # references are averaged, and each explanation has the statistics of a single reference
        for i in range(0, len(predictions), 4):
            explanations = result.explain(result.labels[0], i)
            parts = [part for explanation in explanations for part in explanation.statistics]
            require(
                not parts or set(parts) == set(table.statistics),
                metric,
                f"its explanations have the parts {parts}, but the metric has {list(table.statistics)}",
            )
            for explanation in explanations:
                for part, statistics in explanation.statistics.items():
                    what = f"the statistics of the explanation of {part} differ from the statistics of the scored row"
                    same_arrays(
                        metric,
                        terms,
                        np.asarray(statistics, dtype=np.float64),
                        table.statistics[part][i],
                        what,
                    )
