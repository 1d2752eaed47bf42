"""The peers of metrics on strings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.sides import Numbers, Prepare
from benchmarks.workloads import Workload


def peer(call: Callable[[Any, Workload], Numbers], imported: Callable[[], Any]) -> Prepare:
    """A side that calls what was imported, warmed up on two texts."""

    def prepare(workload: Workload) -> Callable[[], Numbers]:
        package = imported()
        call(package, workload.first(2))
        return lambda: call(package, workload)

    return prepare


def mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)


def _sacrebleu() -> Any:
    import sacrebleu.metrics

    return sacrebleu.metrics


def sacrebleu_metric(name: str, **parameters: Any) -> Prepare:
    """sacreBLEU's BLEU, CHRF or TER over the corpus."""

    def call(metrics: Any, texts: Workload) -> Numbers:
        return {
            "score": getattr(metrics, name)(**parameters)
            .corpus_score(texts.predictions, transposed(texts))
            .score
        }

    return peer(call, _sacrebleu)


def _both(metrics: Any, texts: Workload) -> Numbers:
    references = transposed(texts)
    scores = (metrics.BLEU(), "bleu"), (metrics.CHRF(), "chrf")
    return {name: metric.corpus_score(texts.predictions, references).score for metric, name in scores}


sacrebleu_both = peer(_both, _sacrebleu)


def sacrebleu_bootstrap(workload: Workload) -> Callable[[], Numbers]:
    """sacreBLEU's paired bootstrap of all systems against the first; it gives intervals and tests at once."""
    from sacrebleu.metrics import BLEU, CHRF
    from sacrebleu.significance import PairedTest

    def call(texts: Workload) -> Numbers:
        test = PairedTest(
            list(texts.systems.items()),
            {"BLEU": BLEU(), "chrF2": CHRF()},
            transposed(texts),
            "bs",
            n_samples=1000,
        )
        _, columns = test()
        found = {}
        for label, name in (("bleu", "BLEU"), ("chrf", "chrF2")):
            baseline, *others = columns[name]
            for system, other in zip(list(texts.systems)[1:], others, strict=True):
                found[f"{label} {system} difference"] = other.score - baseline.score
        return found

    call(workload.first(5))
    return lambda: call(workload)


def _bleuscore() -> Any:
    import bleuscore

    return bleuscore


def _bleu_in_rust(package: Any, texts: Workload) -> Numbers:
    return {
        "score": 100 * package.compute(texts.references, texts.predictions, ref_len_method="closest")["bleu"]
    }


bleuscore = peer(_bleu_in_rust, _bleuscore)


def rouge_score(types: tuple[str, ...], use_stemmer: bool) -> Prepare:
    """rouge-score, the best reference type by type, and the mean over segments."""

    def imported() -> Any:
        from rouge_score.rouge_scorer import RougeScorer

        return RougeScorer(list(types), use_stemmer=use_stemmer)

    def call(scorer: Any, texts: Workload) -> Numbers:
        totals = dict.fromkeys(types, 0.0)
        for prediction, references in zip(texts.predictions, texts.references, strict=True):
            for kind, score in scorer.score_multi(references, prediction).items():
                totals[kind] += score.fmeasure
        return {kind: total / len(texts.predictions) for kind, total in totals.items()}

    return peer(call, imported)


def _rouge_rs() -> Any:
    from rouge_rs import RougeLScorer

    return RougeLScorer()


def _rouge_in_rust(scorer: Any, texts: Workload) -> Numbers:
    return {
        "rougeL": mean(
            [scorer.score(references[0], prediction).fmeasure for prediction, references in pairs(texts)]
        )
    }


rouge_rs = peer(_rouge_in_rust, _rouge_rs)


def jiwer_rate(name: str) -> Prepare:
    """jiwer's word or character error rate."""

    def call(jiwer: Any, texts: Workload) -> Numbers:
        return {
            "score": getattr(jiwer, name)(
                [references[0] for references in texts.references], texts.predictions
            )
        }

    return peer(call, _jiwer)


def _jiwer() -> Any:
    import jiwer

    return jiwer


def _distance(jiwer: Any, texts: Workload) -> Numbers:
    found = jiwer.process_characters([references[0] for references in texts.references], texts.predictions)
    return {"distance": (found.substitutions + found.deletions + found.insertions) / len(texts.predictions)}


jiwer_distance = peer(_distance, _jiwer)


def nltk_pair() -> Any:
    """NLTK's METEOR as a function of a reference and a prediction."""
    from nltk.translate.meteor_score import single_meteor_score

    from nlgauge.features.lexical.wordnet import nltk_synonyms

    class Lemma:
        def __init__(self, spelling: str) -> None:
            self.name = lambda: spelling

    class Synset:
        def __init__(self, words: list[str]) -> None:
            self.lemmas = lambda: list(map(Lemma, words))

    class WordNet:
        """Our index in the shape that NLTK's METEOR takes: its own reader of WordNet, which is slower,
        needs a download.
        """

        def synsets(self, word: str) -> list[Synset]:
            return [Synset(sorted(nltk_synonyms(word)))]

    return lambda reference, prediction: single_meteor_score(
        reference.split(), prediction.split(), wordnet=WordNet()
    )


def _meteor(score: Any, texts: Workload) -> Numbers:
    return {"score": mean([score(references[0], prediction) for prediction, references in pairs(texts)])}


nltk_meteor = peer(_meteor, nltk_pair)


def _cider() -> Any:
    from pycocoevalcap.cider.cider import Cider

    return Cider()


def _cider_d(cider: Any, texts: Workload) -> Numbers:
    predictions = {i: [prediction] for i, prediction in enumerate(texts.predictions)}
    return {"score": float(cider.compute_score(dict(enumerate(texts.references)), predictions)[0])}


pycocoevalcap_cider = peer(_cider_d, _cider)


def _cer() -> Any:
    import cer

    return cer


def _character(cer: Any, texts: Workload) -> Numbers:
    return {
        "score": mean(
            [
                cer.calculate_cer(prediction.split(), references[0].split())
                for prediction, references in pairs(texts)
            ]
        )
    }


cer_character = peer(_character, _cer)


def _torchmetrics() -> Any:
    # Its public function first puts spaces before the punctuation of English text, which is not part of the
    # metric.
    from torchmetrics.functional.text.eed import _eed_function

    return _eed_function


def _eed(distance: Any, texts: Workload) -> Numbers:
    return {
        "score": mean(
            [
                float(distance(f" {prediction} ", f" {references[0]} "))
                for prediction, references in pairs(texts)
            ]
        )
    }


torchmetrics_eed = peer(_eed, _torchmetrics)


def pairs(texts: Workload) -> Any:
    return zip(texts.predictions, texts.references, strict=True)


def transposed(workload: Workload) -> list[list[str]]:
    return [list(column) for column in zip(*workload.references, strict=True)]
