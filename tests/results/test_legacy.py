"""p-values by sacreBLEU's rule against sacreBLEU itself."""

import pytest

import nlgauge
from nlgauge.errors import ParameterError

SACREBLEU = pytest.importorskip("sacrebleu.significance")

REFERENCES = [
    f"the {a} {b} sat on the {c} mat all day"
    for a in ("old", "grey", "big")
    for b in ("cat", "dog", "hen")
    for c in ("red", "wet")
]
SYSTEMS = {
    "baseline": [text.replace("the", "a", 1) for text in REFERENCES],
    "near": [text if i % 5 else text.replace("sat on", "lay under") for i, text in enumerate(REFERENCES)],
    "mixed": [
        text.replace("mat", "rug") if i % 2 else text.replace("all day", "")
        for i, text in enumerate(REFERENCES)
    ],
    "same": [text.replace("the", "a", 1) for text in REFERENCES],
}


@pytest.mark.filterwarnings("ignore:with 18 segments")
@pytest.mark.parametrize(("test", "theirs"), [("bootstrap", "bs"), ("randomization", "ar")])
def test_p_values_are_sacrebleus(test, theirs):
    from sacrebleu.metrics import BLEU, CHRF, TER

    _, columns = SACREBLEU.PairedTest(
        list(SYSTEMS.items()),
        {"BLEU": BLEU(), "chrF2": CHRF(), "TER": TER()},
        [REFERENCES],
        theirs,
        n_samples=500,
    )()
    result = nlgauge.score(SYSTEMS, REFERENCES, metrics=["bleu", "chrf", "ter"])
    found = result.compare(test=test, resamples=500, legacy="sacrebleu")
    for label, name in (("bleu", "BLEU"), ("chrf", "chrF2"), ("ter", "TER")):
        expected = [column.p_value for column in columns[name][1:]]
        assert [row.p for row in found.rows if row.label == label] == pytest.approx(expected)
    assert {row.p for row in found.rows if row.second == "same"} == {1 / 501}
    assert "from itself" in found.caution
    assert {row.p for row in result.compare(test=test, resamples=500).rows if row.second == "same"} == {1.0}


def test_what_sacrebleu_does_not_know_is_an_error():
    result = nlgauge.score({"a": ["x y", "z"], "b": ["x", "z w"]}, ["x y", "z w"], metrics="bleu")
    with pytest.raises(ParameterError, match="legacy must be 'sacrebleu'"):
        result.compare(legacy="moses")
    documents = nlgauge.score(
        {"a": ["x y", "z"], "b": ["x", "z w"]}, ["x y", "z w"], metrics="bleu", documents=["1", "2"]
    )
    with pytest.raises(ParameterError, match="documents or weights"):
        documents.compare(legacy="sacrebleu")
