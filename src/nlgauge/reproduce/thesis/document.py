"""Chapter 4 of the NLG-Metricverse thesis, and its tables of metrics and libraries."""

from __future__ import annotations

from nlgauge.reproduce.steps import Claimed, Document, Step
from nlgauge.reproduce.thesis.attributes import ATTRIBUTES, BANDS, LIBRARIES, SIZES, attributes
from nlgauge.reproduce.thesis.chapter import compute

DOCUMENT = Document(
    "thesis-ch4",
    "NLG-Metricverse thesis, chapter 4: a case study on summaries of Cochrane reviews",
    ("thesis-figure-4-3", SIZES, "thesis-section-4-2", "thesis-table-a-1", *ATTRIBUTES, *BANDS, LIBRARIES),
    [
        Step(
            "chapter",
            {
                "thesis-figure-4-3": (),
                "thesis-section-4-2": (),
                "thesis-table-a-1": (),
                "Figures 4.1, 4.2, A.4": (),
            },
            compute,
            seconds=30,
            inputs=30,
            benchmark="cdsr_cogito",
        ),
        Step("attributes", dict.fromkeys((*ATTRIBUTES, *BANDS, LIBRARIES), ()), attributes, seconds=1),
    ],
    [
        Claimed("human-means", "4.2", "People rate the summaries 3.67, 3.61, 3.61 and 3.50.", "chapter"),
        Claimed(
            "annotators",
            "4.2",
            "Annotators agree little: the mean Kendall coefficient is 0.16.",
            "chapter",
        ),
        Claimed(
            "highest",
            "4.2",
            "BERTScore, abstractness and Flesch-Kincaid correlate best with people, above all with factualness.",
            "chapter",
        ),
        Claimed("overlap", "4.2", "Metrics of overlap are inadequate here.", "chapter"),
        Claimed("rephrasing", "4.2", "The system is more factual when it rephrases.", "chapter"),
        Claimed("length", "ours", "Long summaries are rated as less succinct and less factual.", "chapter"),
        Claimed(
            "bartscore-time", "4.2", "BARTScore is 72 times as slow as ROUGE.", why="needs weights and a GPU"
        ),
    ],
    {SIZES: "data: 30 of the 6,677 texts are public"},
)
