"""The COSMIC paper: its printed tables checked against each other, and its tables and figures on other texts.

Its 14 summarizers and three data sets are not available. SummEval and REALSumm replace them, so that no number can be
equal to print.
"""

from __future__ import annotations

from nlgauge.reproduce.cosmic.benchmarks import BENCHMARKS
from nlgauge.reproduce.cosmic.from_print import QUALITIES, claim_of, from_print
from nlgauge.reproduce.cosmic.graph import graph
from nlgauge.reproduce.cosmic.scores import ENCODER, VECTORS
from nlgauge.reproduce.cosmic.systems import systems
from nlgauge.reproduce.printed_tables import names
from nlgauge.reproduce.steps import Claimed, Document, Step

_PRINT, _SYSTEMS, _GRAPH = "from-print", "systems", "graph"
DOCUMENT = Document(
    "cosmic",
    "Darrin, Formont, Cheung, Piantanida: COSMIC (ACL 2024)",
    names("cosmic"),
    [
        Step(_PRINT, {"claims on the printed numbers": ()}, from_print),
        Step(
            _SYSTEMS,
            {
                **{f"cosmic-table-{number}": () for number in (1, 3, 4)},
                "Figures 3 to 7, 12": (),
            },
            systems,
            seconds=900,
            inputs=100,
            benchmark=BENCHMARKS[0],
            further_benchmarks=BENCHMARKS[1:],
            models={ENCODER: "minilm"},
            further_models=(VECTORS,),
        ),
        Step(
            _GRAPH,
            {"Figure 10": ()},
            graph,
            seconds=130,
            inputs=100,
            benchmark=BENCHMARKS[0],
            models={ENCODER: "minilm"},
        ),
    ],
    [
        *(
            Claimed(
                claim_of(name),
                "5",
                f"Mutual information {'goes' if claimed else 'does not go'} with {name}.",
                _PRINT,
            )
            for name, claimed in QUALITIES.items()
        ),
        Claimed("size", "5", "The size of a model does not predict its mutual information.", _PRINT),
        Claimed(
            "attribution-text",
            "5",
            "Mutual information and Attribution are not correlated (a sentence of the text).",
            _PRINT,
        ),
        *(
            Claimed(
                f"table-{number}",
                "G",
                f"Table {number} shows the correlations of the numbers in Table 2.",
                _PRINT,
            )
            for number in (3, 4)
        ),
        Claimed("upper-bound", "3", "The error of a task is at most 1 - exp(-H(T|S)) (equation 19).", _PRINT),
        Claimed(
            "tasks", "5.1", "Mutual information goes with the performance on downstream tasks.", _SYSTEMS
        ),
        Claimed(
            "people",
            "5.2",
            "Mutual information predicts judgments of people better than ROUGE-L and BERTScore do.",
            _SYSTEMS,
        ),
        Claimed("longer", "G.1", "Tasks treat longer summaries of a system more like the article.", _SYSTEMS),
        Claimed(
            "not-length", "G.1", "Mutual information measures more than the length of summaries.", _SYSTEMS
        ),
        Claimed(
            "hierarchy", "F", "Informative systems are hard to predict from the summaries of others.", _GRAPH
        ),
    ],
    {
        **dict.fromkeys(names("cosmic"), "weights and data"),
        "cosmic-table-2": "data: the outputs of the 14 summarizers are not available",
    },
)
