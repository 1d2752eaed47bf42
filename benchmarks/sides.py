"""What a side of a benchmark is, and ours.

A side is prepared with its texts (imports, objects, weights, one small call to warm up) and gives the call
that is timed, which returns numbers by name; numbers of the same name must agree between the two sides. Every
run is a process of its own, so nobody has cached a text.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.workloads import Workload

Numbers = dict[str, float]
Prepare = Callable[[Workload], Callable[[], Numbers]]


def ours(spec: str, *outputs: str) -> Prepare:
    """Our side: one metric through `Scorer`, reading the texts included, and the outputs that are
    compared with the peer's.
    """

    def prepare(workload: Workload) -> Callable[[], Numbers]:
        import nlgauge

        scorer = nlgauge.Scorer([spec])

        def call(texts: Workload) -> Numbers:
            found = scorer(texts.predictions, texts.references or None, texts.sources)
            return {output: float(found[spec][output]) for output in outputs}

        for _ in range(2):  # the second call compiles the metric
            call(workload.first(2))
        return lambda: call(workload)

    return prepare


def ours_bootstrap(workload: Workload) -> Callable[[], Numbers]:
    """Our intervals and paired bootstrap, scoring included."""
    import nlgauge

    scorer = nlgauge.Scorer(["bleu", "chrf"])

    def call(texts: Workload) -> Numbers:
        result = scorer(texts.systems, texts.references)
        result.intervals(resamples=1000)
        rows = result.compare(test="bootstrap", resamples=1000)
        return {f"{row.label} {row.second} difference": row.second_score - row.first_score for row in rows}

    call(workload.first(5))
    return lambda: call(workload)


def string_metrics() -> list[str]:
    """The names of all additive metrics that need no model."""
    from nlgauge.metric import Metric
    from nlgauge.metric.registry import metric_classes
    from nlgauge.testing.of_values import has_model

    return [
        name for name, kind in metric_classes().items() if issubclass(kind, Metric) and not has_model(kind)
    ]


def ours_everything(workload: Workload) -> Callable[[], Numbers]:
    """Every additive metric on strings, with its defaults, in one run."""
    import nlgauge

    scorer = nlgauge.Scorer(string_metrics())

    def call(texts: Workload) -> Numbers:
        found = scorer(
            texts.predictions, texts.references, [references[0] for references in texts.references]
        )
        return {"bleu": float(found["bleu"]["score"]), "chrf": float(found["chrf"]["score"])}

    call(workload.first(2))
    return lambda: call(workload)
