"""The benchmarks that are known by name."""

from __future__ import annotations

from nlgauge.errors import UnknownNameError, did_you_mean
from nlgauge.meta.benchmarks.card import BenchmarkCard

_LIKERT = "1 to 5, mean of the raters"
_WMT = "WMT data may be used freely for research"
_NEWS = "the articles are CNN/DailyMail and stay with their publishers"
_IMPORT = "Then run: nlgauge benchmarks import"

_CARDS = (
    BenchmarkCard(
        name="sample",
        title=(
            "Four systems that summarise short texts, with made-up ratings: for trying things out, never for"
            " conclusions"
        ),
        task="summarization",
        languages=("en", "hi"),
        dimensions=dict.fromkeys(("relevance", "fluency"), "1 to 5, mean of three made-up raters"),
        paper="none: texts and ratings were made up for this package",
        license="Apache-2.0, as the package",
        source="part of the package",
        how="It is always there.",
        notes=(
            "Ratings were drawn by a rule (word overlap with the references, length, and noise); they say"
            " nothing about people or metrics."
        ),
    ),
    BenchmarkCard(
        name="summeval",
        title="SummEval: experts and crowd workers on 17 summarisers of 100 CNN/DailyMail articles",
        task="summarization",
        languages=("en",),
        dimensions={
            **dict.fromkeys(
                ("coherence", "consistency", "fluency", "relevance"), "1 to 5, mean of 3 experts"
            ),
            **{
                f"turker_{name}": "1 to 5, mean of 5 crowd workers"
                for name in ("coherence", "consistency", "fluency", "relevance")
            },
        },
        paper="Fabbri et al. 2021, SummEval: Re-evaluating Summarization Evaluation (TACL)",
        license=f"MIT (annotations); {_NEWS}",
        source="https://github.com/Yale-LILY/SummEval",
        how=(
            "Download model_annotations.aligned.jsonl from the page (with articles: pair it as the page"
            f" says). {_IMPORT} model_annotations.aligned.jsonl"
        ),
        reads=(
            "model_annotations.aligned.jsonl",
            "model_annotations.aligned.paired.jsonl",
            "model_annotations.aligned.scored.jsonl",
        ),
        notes=(
            "Use all 11 references. The paper's tables have 17 systems; the released file has 16, and most"
            " later papers use those."
        ),
    ),
    BenchmarkCard(
        name="realsumm",
        title=(
            "REALSumm: crowd judgments of content (LitePyramid) for 24 summarisers of 100 CNN/DailyMail"
            " articles"
        ),
        task="summarization",
        languages=("en",),
        dimensions={
            "litepyramid_recall": (
                "0 to 1, share of the reference's content units that crowd workers found in the summary"
            )
        },
        paper="Bhandari et al. 2020, Re-evaluating Evaluation in Text Summarization (EMNLP)",
        license=f"CC BY 4.0; {_NEWS}",
        source="https://github.com/neulab/REALSumm",
        how=(
            "Its scores are released as pickles (scores_dicts/*.pkl), which can run code when they are"
            " opened and are never opened here. The same scores are JSON lines in"
            " https://github.com/CogComp/stat-analysis-experiments"
            " (experiments/statistical-analysis/data/bhandari2020: pyramid.jsonl and summaries.jsonl)."
            f" {_IMPORT} bhandari2020/"
        ),
        reads=("a folder with pyramid.jsonl and summaries.jsonl",),
        notes=(
            "The notebook of the paper has bart_out twice, as abstractive and as extractive; here it is kept"
            " once."
        ),
    ),
    BenchmarkCard(
        name="rose_cnndm",
        title="RoSE: four protocols of human evaluation on 12 summarisers of 100 CNN/DailyMail articles",
        task="summarization",
        languages=("en",),
        dimensions={
            "acu": "0 to 1, share of the reference's atomic content units in the summary",
            "normalized_acu": "the same, normalised by length",
            "prior": "1 to 5, without source or reference",
            "ref_free": "1 to 5, given the source",
            "ref_based": "1 to 5, given the reference",
        },
        paper="Liu et al. 2023, Revisiting the Gold Standard (ACL)",
        license=f"BSD-3-Clause; {_NEWS}",
        source="https://huggingface.co/datasets/Salesforce/rose",
        how=(
            f'Save the split "cnndm_protocol" (or another) as JSON lines. {_IMPORT} cnndm_protocol.jsonl'
            " --name rose_cnndm"
        ),
        reads=(
            "JSON lines or a JSON array with example_id, source, reference, system_outputs and annotations",
        ),
        notes='"gold" is the system GOLD of Pang and He 2021, not what people wrote.',
        aliases=("rose",),
    ),
    BenchmarkCard(
        name="primer_dailynews300",
        title="Primer: 300 news texts with a generated summary each, about 10 raters on 5 aspects",
        task="summarization without references",
        languages=("en",),
        dimensions=dict.fromkeys(
            ("fluent", "understandable", "informative", "compact", "overall"),
            "0 to 4, mean of about 10 raters",
        ),
        paper="Vasilyev et al. 2020, Fill in the BLANC",
        license="Copyright 2020 Primer AI (LICENSE of PrimerAI/blanc)",
        source="https://github.com/PrimerAI/blanc",
        how=f"Take data/DailyNews_300_aspects.json from the repository. {_IMPORT} DailyNews_300_aspects.json",
        reads=("DailyNews_300_aspects.json",),
        notes=(
            "Neither references nor the systems' names are known: only segments can be correlated, by metrics"
            " that read the source."
        ),
        aliases=("primer", "dailynews"),
    ),
    BenchmarkCard(
        name="tac2008",
        title=(
            "TAC 2008 update summarization: human and metric scores of 58 systems and 8 people on 48 topics"
        ),
        task="multi-document summarization",
        languages=("en",),
        dimensions={"responsiveness": "1 to 5", "pyramid": "0 to 1", "pyramid_modified": "0 to 1"},
        paper="NIST TAC 2008; metric scores: Deutsch, Dror and Roth 2021 (TACL)",
        license=(
            "scores: Apache-2.0 (CogComp/stat-analysis-experiments); texts: under agreement with NIST, not"
            " read here"
        ),
        source="https://github.com/CogComp/stat-analysis-experiments",
        how=f"Take the folder experiments/statistical-analysis/data/tac2008. {_IMPORT} tac2008/",
        reads=("a folder of JSON lines with instance_id, summarizer_id and metrics",),
        notes="Systems with letters as names are people.",
        scores_only=True,
        people=frozenset("ABCDEFGH"),
    ),
    BenchmarkCard(
        name="wmt17_da_seg",
        title="WMT17 metrics task: direct assessment of segments, seven languages into English",
        task="machine translation",
        languages=("cs-en", "de-en", "fi-en", "lv-en", "ru-en", "tr-en", "zh-en"),
        dimensions={
            "da_z": "adequacy, standardised per worker, mean of 15 or more crowd judgments; unbounded"
        },
        paper="Bojar, Graham and Kamran 2017, Results of the WMT17 Metrics Shared Task",
        license=_WMT,
        source="https://www.statmt.org/wmt17/results.html",
        how=(
            "Put DA-seglevel.csv beside the folders source, references and system-outputs of the metrics"
            f" task, as in https://github.com/AIPHES/ACL20-Reference-Free-MT-Evaluation (WMT17). {_IMPORT}"
            " WMT17/"
        ),
        reads=(
            "a folder with DA-seglevel.csv",
            "testset_*.tsv with LP, source, translation, reference and HUMAN_score",
        ),
        notes=(
            "Correlate within each language pair over its 560 judged translations (global level). A name with"
            " + is of systems with one output."
        ),
        aliases=("wmt17",),
    ),
    BenchmarkCard(
        name="wmt18_darr",
        title="WMT18 metrics task: relative rankings from direct assessment",
        task="machine translation",
        languages=(
            "cs-en",
            "de-en",
            "et-en",
            "fi-en",
            "ru-en",
            "tr-en",
            "zh-en",
            "en-cs",
            "en-de",
            "en-et",
            "en-fi",
            "en-ru",
            "en-tr",
            "en-zh",
        ),
        dimensions={"better/worse": "pairs of which one got at least 25 points more in direct assessment"},
        paper="Ma, Bojar and Graham 2018, Results of the WMT18 Metrics Shared Task",
        license=_WMT,
        source="https://www.statmt.org/wmt18/results.html",
        how=(
            "Put RR-seglevel.csv beside the folders source, references and system-outputs of the metrics"
            f" task. {_IMPORT} WMT18/"
        ),
        reads=("a folder with RR-seglevel.csv",),
        aliases=("wmt18",),
        pairs=True,
    ),
    BenchmarkCard(
        name="wmt19_darr",
        title="WMT19 metrics task: relative rankings from direct assessment",
        task="machine translation",
        languages=("gu-en", "kk-en", "lt-en"),
        dimensions={"better/worse": "pairs of which one got at least 25 points more in direct assessment"},
        paper="Ma et al. 2019, Results of the WMT19 Metrics Shared Task",
        license=_WMT,
        source="https://www.statmt.org/wmt19/results.html",
        how=(
            "Put RR-seglevel.csv beside the folders source, references and system-outputs of the metrics"
            f" task. {_IMPORT} WMT19/"
        ),
        reads=("a folder with RR-seglevel.csv",),
        notes=(
            "Score a metric by DARR: the share of pairs in its order less the share in the other, where a tie"
            " is in the other."
        ),
        aliases=("wmt19",),
        pairs=True,
    ),
    BenchmarkCard(
        name="wmt21_mqm_news",
        title="WMT21 news: errors marked by experts (MQM), English-German and Chinese-English",
        task="machine translation",
        languages=("en-de", "zh-en"),
        dimensions={
            "mqm": (
                "0 or less: minus the weighted count of errors (minor 1, major 5, non-translation 25, minor"
                " punctuation 0.1)"
            )
        },
        paper=(
            "Freitag et al. 2021, Experts, Errors, and Context (TACL); Results of the WMT21 Metrics Shared"
            " Task"
        ),
        license=f"Apache-2.0 (google/wmt-mqm-human-evaluation); {_WMT}",
        source="https://github.com/google/wmt-mqm-human-evaluation",
        how=(
            "Take newstest2021/ende/mqm_newstest2021_ende.tsv and that of zhen (ratings with texts, no"
            f" references). {_IMPORT} mqm_newstest2021_ende.tsv mqm_newstest2021_zhen.tsv"
        ),
        reads=("mqm_*.tsv (ratings)", "mqm_*.avg_seg_scores.tsv (scores only)"),
        notes=(
            "Human translations were judged too and are marked; leave them out where they are the reference."
        ),
        aliases=("wmt21", "wmt21_mqm"),
    ),
    BenchmarkCard(
        name="webnlg2020_en",
        title="WebNLG+ 2020: crowd judgments of 16 systems that put RDF triples into English",
        task="data to text",
        languages=("en",),
        dimensions=dict.fromkeys(
            ("correctness", "datacoverage", "fluency", "relevance", "textstructure"),
            "0 to 100, mean of the workers",
        ),
        paper="Castro Ferreira et al. 2020, The 2020 Bilingual, Bi-Directional WebNLG+ Shared Task",
        license=(
            "corpus CC BY-NC-SA 4.0: not for commercial use; the repository of the challenge names no license"
        ),
        source="https://github.com/WebNLG/challenge-2020",
        how=(
            "Clone the repository, and put rdf-to-text-generation-test-data-with-refs-en.xml of the corpus"
            f" (release v3.0, en/test) into it for triples and references. {_IMPORT} challenge-2020/"
        ),
        reads=("a clone of WebNLG/challenge-2020",),
        notes="The judged references are not here: which of them was shown was not recorded.",
        aliases=("webnlg2020", "webnlg"),
    ),
    *(
        BenchmarkCard(
            name=name,
            title=f"{title}: crowd ratings of two systems that put dialogue acts into words",
            task="data to text",
            languages=("en",),
            dimensions=dict.fromkeys(
                ("informativeness", "naturalness", "quality"), "1 to 6, median of 3 crowd workers"
            ),
            paper="Novikova et al. 2017, Why We Need New Evaluation Metrics for NLG (EMNLP)",
            license="MIT (jeknov/EMNLP_17_submission)",
            source="https://github.com/jeknov/EMNLP_17_submission",
            how=(
                f"Take emnlp_data_medians.csv from the repository. {_IMPORT} emnlp_data_medians.csv --name"
                f" {name}"
            ),
            reads=("emnlp_data_medians.csv",),
            notes=(
                "Two systems: correlate over segments, never over systems. The released file has no"
                " references."
            ),
            lower_is_better=frozenset({"TER"}),
        )
        for name, title in (("bagel", "BAGEL"), ("sfres", "SF restaurants"), ("sfhot", "SF hotels"))
    ),
    BenchmarkCard(
        name="hanna",
        title="HANNA: stories by ten generators and by people on 96 prompts, three raters on six criteria",
        task="story generation",
        languages=("en",),
        dimensions=dict.fromkeys(
            ("relevance", "coherence", "empathy", "surprise", "engagement", "complexity"), _LIKERT
        ),
        paper="Chhun et al. 2022, Of Human Criteria and Automatic Metrics (COLING)",
        license="MIT (dig-team/hanna-benchmark-asg)",
        source="https://github.com/dig-team/hanna-benchmark-asg",
        how=(
            f"Take hanna_stories_annotations.csv from the repository. {_IMPORT} hanna_stories_annotations.csv"
        ),
        reads=("hanna_stories_annotations.csv",),
        notes="The human stories are the references and are marked.",
        lower_is_better=frozenset(
            {
                "DepthScore",
                "BaryScore-W",
                *(f"BaryScore-SD-{x}" for x in ("10", "5", "1", "0.5", "0.1", "0.01", "0.001")),
                "InfoLM-FisherRao",
            }
            | {"InfoLM-R-FisherRao", "InfoLM-Sim-FisherRao"}
        ),
    ),
    *(
        BenchmarkCard(
            name=name,
            title=f"USR {title}: responses of systems and people, three raters on six qualities",
            task="dialogue",
            languages=("en",),
            dimensions={
                "understandability": "0 or 1, mean of 3 raters",
                "naturalness": "1 to 3, mean of 3 raters",
                "coherence": "maintains context, 1 to 3, mean of 3 raters",
                "engagingness": "1 to 3, mean of 3 raters",
                "groundedness": "uses knowledge, 0 or 1, mean of 3 raters",
                "overall": "1 to 5, mean of 3 raters",
            },
            paper=(
                "Mehri and Eskenazi 2020, USR: An Unsupervised and Reference Free Evaluation Metric for"
                " Dialog Generation (ACL)"
            ),
            license="the authors' page names none; their code (Shikib/usr) is Apache-2.0",
            source=f"http://shikib.com/{short}_usr_data.json",
            how=f"Download {short}_usr_data.json. {_IMPORT} {short}_usr_data.json --name {name}",
            reads=(f"{short}_usr_data.json", "topical_chat.json of maszhongming/UniEval (MIT)"),
            notes="Responses written by people are marked; the original one is the reference.",
            aliases=aliases,
        )
        for name, title, short, aliases in (
            ("usr_topicalchat", "Topical-Chat", "tc", ("usr", "topicalchat")),
            ("usr_personachat", "Persona-Chat", "pc", ("personachat",)),
        )
    ),
)

CATALOGUE = {card.name: card for card in _CARDS}
_BY_ANY_NAME = {name: card for card in _CARDS for name in (card.name, *card.aliases)}


def names() -> list[str]:
    """The names of all benchmarks that are known, whether or not they are on this machine."""
    return list(CATALOGUE)


def card(name: str) -> BenchmarkCard:
    """The card of a benchmark, by its name or another name of it."""
    found = _BY_ANY_NAME.get(str(name).lower())
    if found is None:
        raise UnknownNameError(
            f"there is no benchmark {name!r}{did_you_mean(str(name), _BY_ANY_NAME)}; there are"
            f" {', '.join(CATALOGUE)}."
        )
    return found
