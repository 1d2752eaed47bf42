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
}
