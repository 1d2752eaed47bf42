"""Descriptions of benchmarks on the pages of the leaderboard."""

ABOUT = {
    "summeval": (
        "SummEval: summaries of CNN/DailyMail articles with 11 references; ratings are means of three"
        " experts."
    ),
    "realsumm": (
        "REALSumm: summaries of CNN/DailyMail articles with one reference; crowd workers counted which of its"
        " content units a summary has."
    ),
    "rose_cnndm": (
        "RoSE: summaries of CNN/DailyMail articles with one reference; shown is the share of its content"
        " units (ACU), corrected for length."
    ),
    "primer_dailynews300": (
        "Primer's set: one summary per news article, without references, ratings by about ten people. The"
        " tables have only metrics that need no reference."
    ),
    "webnlg2020_en": (
        "WebNLG 2020, English: texts from RDF triples with one to four references, 0 to 100 by crowd workers."
        " The source is the list of triples."
    ),
    "bagel": "BAGEL: two systems that express dialogue acts in words; ratings from 1 to 6.",
    "hanna": (
        "HANNA: stories by ten generators for prompts of r/WritingPrompts, with one human story as the"
        " reference; means of three raters."
    ),
    "usr_topicalchat": (
        "USR, Topical-Chat: replies of four dialogue systems with one human reply as the reference; the"
        " source is the dialogue and its fact. Four systems are too few to compare systems."
    ),
    "wmt17_da_seg": (
        "WMT17, to English from seven languages: 560 translations each with a standardized direct assessment;"
        " the mean over language pairs. The texts are lower-cased and tokenized."
    ),
    "wmt19_darr": (
        "WMT19, to English from Gujarati, Kazakh and Lithuanian: pairs of translations in which one was"
        " clearly better (25 points or more); the mean over language pairs. A tie of the metric counts"
        " against it."
    ),
    "wmt21_mqm_news.en-de": "WMT21 news, English to German, judged by professional translators (MQM).",
    "wmt21_mqm_news.zh-en": "WMT21 news, Chinese to English, judged by professional translators (MQM).",
    **{
        f"wmt24_esa.en-{code}": (
            f"WMT24, English to {name}: systems of 2024, among them GPT-4, Claude and Gemini, judged by error span"
            " annotation (ESA, 0 to 100)."
        )
        for code, name in (("cs", "Czech"), ("hi", "Hindi"), ("ja", "Japanese"), ("zh", "Chinese"))
    },
    "mlqe_pe": (
        "MLQE-PE: 1,000 translations of one system for each of six language pairs, with direct assessments; the mean"
        " over language pairs. The references are corrections of these very translations, so metrics that read them"
        " agree better than they would with independent references."
    ),
    "mlqe_pe.en-zh": "MLQE-PE, English to Chinese, as above. Metrics that do not split Chinese into words are left out.",
    "hats": (
        "HATS: pairs of French transcripts by speech recognition, with votes for the better one. A tie of the metric"
        " counts against it."
    ),
    "summedits": (
        "SummEdits: summaries in eight domains that were edited, and are consistent with their document or not. Shown is"
        " whether a metric orders the edits of one document. Without references, so only metrics of the text and its"
        " source."
    ),
    "demetr": (
        "DEMETR: translations into English, each against a copy with one of 35 kinds of damage; the mean over ten source"
        " languages. It shows what a metric notices, not what people prefer. A tie of the metric counts against it."
    ),
    "llmbar": (
        "LLMBar: pairs of answers to an instruction, one of which follows it. Without references, so only metrics of the"
        " text and its source."
    ),
}
