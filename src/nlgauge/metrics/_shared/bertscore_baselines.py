"""bert-score's baselines of P, R and F: their means over pairs of unrelated sentences, by language, model and
layer.

The numbers are from the files of bert-score 0.3.13 (MIT), for the models and layers that are defaults
somewhere; a test compares them.
"""

from __future__ import annotations

from nlgauge.errors import ParameterError
from nlgauge.metrics._shared.token_matching import plain_name
from nlgauge.models import ModelSpec

_BASELINES = {
    ("cs", "bert-base-multilingual-cased", 9): (0.6044539, 0.6045382, 0.604006),
    ("cs", "xlm-roberta-base", 9): (0.801281, 0.80129445, 0.8010951),
    ("cs", "xlm-roberta-large", 17): (0.8253589, 0.825372, 0.8250096),
    ("de", "bert-base-multilingual-cased", 9): (0.61532813, 0.61528224, 0.6147353),
    ("de", "xlm-roberta-base", 9): (0.8099519, 0.80989397, 0.809723),
    ("de", "xlm-roberta-large", 17): (0.83927697, 0.83923465, 0.83889884),
    ("en", "roberta-large", 17): (0.83150584, 0.8314941, 0.83122575),
    ("en", "roberta-base", 10): (0.8146725, 0.8146619, 0.814463),
    ("en", "bert-base-uncased", 9): (0.35375935, 0.3537393, 0.35219112),
    ("en", "bert-large-uncased", 18): (0.4278576, 0.42786714, 0.42646673),
    ("en", "bert-base-multilingual-cased", 9): (0.6320527, 0.6320019, 0.63146895),
    ("en", "distilbert-base-uncased", 5): (0.6666034, 0.66660464, 0.66620487),
    ("en", "xlm-roberta-base", 9): (0.81658614, 0.8165717, 0.81639785),
    ("en", "xlm-roberta-large", 17): (0.85291016, 0.8529066, 0.8525485),
    ("es", "bert-base-multilingual-cased", 9): (0.63474494, 0.6346978, 0.6342529),
    ("es", "xlm-roberta-base", 9): (0.8234212, 0.823385, 0.8232284),
    ("es", "xlm-roberta-large", 17): (0.84482056, 0.8447689, 0.8445116),
    ("et", "bert-base-multilingual-cased", 9): (0.61113626, 0.6111767, 0.6106605),
    ("et", "xlm-roberta-base", 9): (0.80481553, 0.8047997, 0.8046123),
    ("et", "xlm-roberta-large", 17): (0.83149856, 0.83155996, 0.83119583),
    ("fi", "bert-base-multilingual-cased", 9): (0.6112424, 0.6111909, 0.6107369),
    ("fi", "xlm-roberta-base", 9): (0.8022079, 0.8021703, 0.8020057),
    ("fi", "xlm-roberta-large", 17): (0.8365054, 0.8364763, 0.8361323),
    ("fr", "bert-base-multilingual-cased", 9): (0.62573117, 0.62573653, 0.6252499),
    ("fr", "xlm-roberta-base", 9): (0.8198895, 0.81987315, 0.81971085),
    ("fr", "xlm-roberta-large", 17): (0.8420401, 0.84204596, 0.84175515),
    ("it", "bert-base-multilingual-cased", 9): (0.62051994, 0.6205607, 0.62006223),
    ("it", "xlm-roberta-base", 9): (0.8156109, 0.8155815, 0.81542325),
    ("it", "xlm-roberta-large", 17): (0.8352246, 0.83529, 0.8349814),
    ("lv", "bert-base-multilingual-cased", 9): (0.61489826, 0.6149375, 0.614489),
    ("lv", "xlm-roberta-base", 9): (0.8134348, 0.81347644, 0.81327385),
    ("lv", "xlm-roberta-large", 17): (0.83968145, 0.83974457, 0.8394039),
    ("pt", "bert-base-multilingual-cased", 9): (0.6314677, 0.6314837, 0.63099706),
    ("pt", "xlm-roberta-base", 9): (0.81777656, 0.8177529, 0.8175885),
    ("pt", "xlm-roberta-large", 17): (0.83966845, 0.8396195, 0.8393744),
    ("zh", "bert-base-multilingual-cased", 9): (0.62840384, 0.62833464, 0.62803453),
    ("zh", "bert-base-chinese", 8): (0.54804957, 0.5480091, 0.54755783),
    ("zh", "xlm-roberta-base", 9): (0.82988167, 0.8298588, 0.82975745),
}


def has_baseline(lang: str, model: ModelSpec, layer: int) -> bool:
    """Return True if there is a baseline."""
    return (lang, plain_name(model), layer) in _BASELINES


def baseline_of(lang: str, model: ModelSpec, layer: int) -> tuple[float, ...]:
    """Return the baseline for P, R and F; raise ParameterError if bert-score has none, because the baseline
    of another model does not apply.
    """
    if not has_baseline(lang, model, layer):
        raise ParameterError(
            f"bertscore: the baseline of layer {layer} of {model!r} in {lang!r} is unknown; score without rescale, or"
            " set baseline=(P, R, F), the means over pairs of unrelated sentences."
        )
    return _BASELINES[lang, plain_name(model), layer]
