"""Extended edit distance: the authors' two programs, digit for digit, and the sound variant against a slow
oracle.

The values of THEIRS were made with https://github.com/rwth-i6/ExtendedEditDistance at f944adc:
    g++ -O2 -shared -fPIC -o libEED.so EED.cpp
    python -c 'import EED; print(EED.eed(list(hypothesis), list(reference)), EED.eed_python(list(hypothesis), list(reference)))'
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import texts

import nlgauge
from nlgauge.errors import ParameterError
from nlgauge.metrics.eed import Eed

pytestmark = pytest.mark.usefixtures("both_kernels")

CHANGED_PARAMETERS = {"compat": "c++"}

# Prediction, reference, C++, Python (which torchmetrics equals); then the true minimum without the place
# before the text.
PUBLISHED = [
    ("the cat sat on the mat", "the cat sat on the mat", 0.0, 0.0123457),
    ("the cat is on the mat", "the cat sat on the mat", 0.1244980, 0.1550388),
    ("on the mat the cat sat", "the cat sat on the mat", 0.3537415, 0.3040293),
    ("this is the prediction", "this is the reference", 0.3764259, 0.3834586),
    ("there is an other sample", "here is another one", 0.2771084, 0.2500000),
    ("", "abc", 0.6610169, 0.6774194),
    ("abc", "", 0.5172414, 0.5625000),
    ("", "", 0.0, 0.1304348),
    ("a", "b", 0.4444445, 0.4871795),
    ("hello world", "hello brave new world", 0.4461538, 0.4524715),
]
THEIRS = [
    (
        "Shares fell 3.5% in early trading , traders said .",
        "Shares fell by 3.5 % in early trading, traders said.",
        0.1111111119389534,
        0.11586452762923351,
    ),
    ("猫が座った 今日", "今日 猫が座る", 0.6216215491294861, 0.6315789473684211),
    (
        "to the president Modi spoke on Tuesday",
        "On Tuesday, PM Narendra Modi met with the president.",
        0.5125786066055298,
        0.5193798449612403,
    ),
    ("a a a a a a a", "a", 0.6969696879386902, 0.7101449275362319),
    ("القطة على السجادة", "السجادة على القطة", 0.3461538553237915, 0.3554502369668246),
    ("x y", "a much longer reference than the prediction is", 0.9194846749305725, 0.9198717948717948),
]


def eed(prediction: str, reference: str, **parameters: object) -> float:
    return nlgauge.score([prediction], [reference], metrics=Eed(**parameters))["eed"]["score"]


@pytest.mark.parametrize(("prediction", "reference", "cpp", "python"), PUBLISHED)
def test_published_values(prediction, reference, cpp, python):
    assert eed(prediction, reference, compat="c++") == pytest.approx(cpp, abs=6e-8)
    assert eed(prediction, reference, compat="python") == pytest.approx(python, abs=6e-8)


@pytest.mark.parametrize(("prediction", "reference", "cpp", "python"), THEIRS)
def test_equals_the_authors_programs_in_every_digit(prediction, reference, cpp, python):
    assert eed(prediction, reference, compat="c++") == cpp
    assert eed(prediction, reference, compat="python") == python


def oracle(
    prediction: str, reference: str, alpha: str = "2", rho: str = "0.3", deletion: str = "0.2"
) -> Fraction:
    """The definition cell by cell in exact fractions."""
    h, r, jump = f" {prediction} ", f" {reference} ", Fraction(alpha)
    costs = [Fraction(0), *[Fraction(1)] * len(h)]
    visits = [0] * (len(h) + 1)
    for wanted in r:
        following = [costs[0] + 1]
        for i, character in enumerate(h, start=1):
            following.append(
                min(costs[i - 1] + (character != wanted), costs[i] + 1, following[i - 1] + Fraction(deletion))
            )
        cheapest = following.index(min(following))
        visits[cheapest] += 1
        costs = [min(cost, following[cheapest] + jump) for cost in following] if wanted == " " else following
    coverage = Fraction(rho) * sum(abs(count - 1) for count in visits[1:])
    return min(Fraction(1), (costs[-1] + coverage) / (len(r) + coverage))


@given(texts(), texts())
def test_the_sound_variant_equals_the_oracle(prediction, reference):
    assert eed(prediction, reference) == pytest.approx(float(oracle(prediction, reference)), abs=1e-12)


@given(
    st.text("ab ", max_size=20),
    st.text("ab ", max_size=20),
    st.sampled_from(["0", "0.5", "1", "3"]),
    st.sampled_from(["0.1", "0.7", "1"]),
)
def test_parameters_are_those_of_the_definition(prediction, reference, alpha, cost):
    ours = eed(prediction, reference, alpha=float(alpha), rho=float(cost), deletion=float(cost))
    assert ours == pytest.approx(float(oracle(prediction, reference, alpha, cost, cost)), abs=1e-12)


def test_ties_do_not_hang_on_rounding():
    """In floats 0.2 + 0.2 + 0.2 is above 0.6, and visits would go elsewhere."""
    assert eed("bb abbba", "b  ") == pytest.approx(float(oracle("bb abbba", "b  ")), abs=1e-12)
    assert eed("bb abbba", "b  ") == pytest.approx(47 / 77, abs=1e-12)


def test_variants_differ_where_the_card_says():
    cat, mat = "on the mat the cat sat", "the cat sat on the mat"
    assert [round(eed(cat, mat, compat=compat), 7) for compat in (None, "c++", "python")] == [
        0.2962963,
        0.3537415,
        0.3040293,
    ]
    assert eed(cat, cat) == eed("", "") == 0


def test_the_corpus_score_is_the_mean_and_the_best_reference_counts():
    result = nlgauge.score(["a", "abc"], [["zzz", "b"], ["abc"]], metrics="eed")
    assert result["eed"]["score"] == pytest.approx((4 / 9 + 0) / 2)


@pytest.mark.parametrize(
    "bad",
    [{"alpha": -1}, {"rho": -0.1}, {"deletion": float("nan")}, {"compat": "java"}],
    ids=lambda bad: next(iter(bad)),
)
def test_parameters_outside_their_domain(bad):
    with pytest.raises(ParameterError, match=f"eed: {next(iter(bad))} must be"):
        Eed(**bad)


def test_explanation_shows_jumps():
    result = nlgauge.score(["on the mat the cat sat"], ["the cat sat on the mat"], metrics="eed")
    (explanation,) = result.explain("eed", 0)
    assert (
        "".join(character for edit in explanation.edits for character in edit.reference)
        == " the cat sat on the mat "
    )
    costs = {"replace": 1, "delete": 1, "insert": 0.2, "equal": 0, "jump": 2}
    steps = [(edit.kind, len(edit.reference or edit.prediction) or 1) for edit in explanation.edits]
    # Reading begins elsewhere than at the start, which costs 1 and not alpha; the last place of the
    # prediction is reached by a jump.
    assert [edit.target for edit in explanation.edits if edit.kind == "jump"] == [11, 1, 24]
    assert sum(costs[kind] * count for kind, count in steps) - 1 == pytest.approx(5)
