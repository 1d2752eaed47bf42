"""The InfoLM paper: its steps, tables, figures and claims. SmolLM2 replaces BERT if this is not installed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nlgauge.reproduce.infolm import baselines, formulas, realsumm, webnlg
from nlgauge.reproduce.infolm.baselines import HUMAN, MINILM, SEGMENTS, TABLE, WEBNLG
from nlgauge.reproduce.infolm.scores import BERT, lowered
from nlgauge.reproduce.infolm.summaries import FIGURES, REALSUMM
from nlgauge.reproduce.printed_tables import names
from nlgauge.reproduce.reproduction import Table
from nlgauge.reproduce.settings import Settings
from nlgauge.reproduce.steps import Answer, Claimed, Document, Step
from nlgauge.reproduce.tables import column, computed_from

_DOCUMENTS = 100
_MODEL = {BERT: "smollm2"}
# Other masked models, and the model that replaces BERT.
_FURTHER = ("roberta-base", BERT, "smollm2")
_FIRST = "distilbert-base-uncased"


@baselines.on_webnlg
def _models(settings: Settings) -> Answer:
    """Return Fisher-Rao on WebNLG with each model that is installed."""
    benchmark = baselines.machines(settings)
    texts = lowered(benchmark)
    rows = []
    for model in settings.models.values():
        spec = f"infolm(model={model!r})"
        judged = settings.judged(texts, spec, name=f"model-{model}")
        label = column(judged, spec)
        found = baselines.correlated(judged, settings, metrics=[label])
        for human in HUMAN.values():
            cells = {
                name: computed_from(found[label, human, name], 100, "model")
                for name in baselines.COEFFICIENTS
            }
            rows.append(
                {"model": model, "human": human, **{name: cell.value for name, cell in cells.items()}}
            )
    return Answer(
        tables=[
            Table(
                "models", "Table 2", "Fisher-Rao by model", "correlation times 100, system level", rows=rows
            )
        ]
    )


def _step(
    name: str,
    makes: Mapping[str, tuple[str, ...]],
    run: Callable[[Settings], Answer],
    seconds: float,
    models: Mapping[str, str] | None = None,
    further: tuple[str, ...] = (),
    benchmark: str = WEBNLG,
) -> Step:
    return Step(
        name,
        makes,
        run,
        seconds=seconds,
        inputs=_DOCUMENTS if benchmark == REALSUMM else SEGMENTS,
        benchmark=benchmark,
        models=models or {},
        further_models=further,
    )


DOCUMENT = Document(
    "infolm",
    "Colombo, Clavel, Piantanida: InfoLM (AAAI 2022)",
    names("infolm"),
    [
        Step("formulas", {formulas.FORMULAS: ()}, formulas.formulas, seconds=1),
        _step("baselines", {TABLE: (*HUMAN, *baselines.BASELINES)}, baselines.baselines, 60),
        _step("encoders", {TABLE: baselines.ENCODERS}, baselines.encoders, 120, {BERT: MINILM}),
        _step("movers", {"movers": ()}, baselines.movers, 600, {BERT: MINILM, "glove": "glove"}),
        # InfoLM takes about 10 CPU seconds for the outputs of one input.
        _step("webnlg", {TABLE: tuple(webnlg.ROWS)}, webnlg.webnlg, 1900, _MODEL, (MINILM,)),
        _step(
            "realsumm",
            {FIGURES: ()},
            realsumm.realsumm,
            1300,
            _MODEL,
            (MINILM,),
            REALSUMM,
        ),
        _step("casing", {"casing": ()}, realsumm.casing, 1500, _MODEL, (), REALSUMM),
        _step("models", {"models": ()}, _models, 4000, {_FIRST: ""}, _FURTHER),
    ],
    [
        Claimed(
            "separates",
            "5.2",
            "Fisher-Rao, AB and Jensen-Shannon separate good from bad summaries.",
            "realsumm",
        ),
        Claimed("overlap", "5.2", "ROUGE and BLEU do not separate good from bad summaries.", "realsumm"),
        Claimed("norms", "5.2", "L_p distances agree less with people than Fisher-Rao (WebNLG).", "webnlg"),
        Claimed(
            "norms-summaries",
            "5.2",
            "L_p distances agree less with people than Fisher-Rao (summaries).",
            "realsumm",
        ),
        Claimed("alike", "5.2", "AB and alpha agree equally with people.", "webnlg"),
        Claimed("temperature", "5.3", "The best temperature is between 1 and 2.", "realsumm"),
        Claimed("gains", "abstract", "InfoLM gains more than 10 points over other metrics.", "webnlg"),
        Claimed("structure-fluency", "5.2", "Text structure and fluency correlate above .98.", "baselines"),
        Claimed("related", "5.2", "InfoLM's measures correlate above .88 with each other.", "realsumm"),
        Claimed(
            "extractive", "5.1", "BERTScore agrees little with people on extractive systems.", "realsumm"
        ),
    ],
    {"infolm-figures": "not part of the run"},
)
