"""The commits of hub repositories that are fetched unless another is asked for.

Each stands in at least two public files, by all appearance of different authors, as the commit of that
repository which they fetched or pinned; none was read from the hub itself.
"""

from __future__ import annotations

PINNED = {
    "FacebookAI/roberta-base": "e2da8e2f811d1448a5b465c236feacd80ffbac7b",
    "FacebookAI/roberta-large": "722cf37b1afa9454edce342e7895e588b6ff1d59",
    "FacebookAI/roberta-large-mnli": "2a8f12d27941090092df78e4ba6f0928eb5eac98",
    "FacebookAI/xlm-roberta-base": "e73636d4f797dec63c3081bb6ed5c7b0bb3f2089",
    "FacebookAI/xlm-roberta-large": "c23d21b0620b635a76227c604d44e43a9f0ee389",
    "Unbabel/XCOMET-XL": "6a123c5e8e6dccab25e5fcffa3c8b417abadb462",
    "Unbabel/XCOMET-XXL": "873bac1b1c461e410c4a6e379f6790d3d1c7c214",
    "Unbabel/wmt20-comet-qe-da": "2e7ffc84fb67d99cf92506611766463bb9230cfb",
    "Unbabel/wmt22-comet-da": "2760a223ac957f30acfb18c8aa649b01cf1d75f2",
    "Unbabel/wmt22-cometkiwi-da": "1ad785194e391eebc6c53e2d0776cada8f83179a",
    "Unbabel/wmt23-cometkiwi-da-xl": "33858b2239a139d497d9c74952c88b89a8c06213",
    "albert/albert-base-v2": "8e2f239c5f8a2c0f253781ca60135db913e5c80c",
    "cross-encoder/stsb-roberta-large": "2b12c2c0088918e76151fd5937b7bba986ef1f98",
    "distilbert/distilbert-base-uncased": "12040accade4e8a0f71eabdb258fecc2e7e948be",
    "facebook/bart-large-cnn": "37f520fa929c961707657b28798b30c003dd100b",
    "facebook/m2m100_418M": "55c2e61bbf05dfb8d7abccdc3fae6fc8512fd636",
    "facebook/xlm-roberta-xl": "aa5d120255845efeebc9b7f42822a1dd0f9ece9d",
    "facebook/xlm-roberta-xxl": "03e0fb540c3c9afd4bdda0072e7cb82d2eafd060",
    "google-bert/bert-base-chinese": "8f23c25b06e129b6c986331a13d8d025a92cf0ea",
    "google-bert/bert-base-multilingual-cased": "3f076fdb1ab68d5b2880cb87a0886f315b8146f8",
    "google-bert/bert-base-uncased": "86b5e0934494bd15c9632b12f734a8a67f723594",
    "lucadiliello/BLEURT-20": "e22b9eb071dcb939da9fff08b20a7e746c72a830",
    "microsoft/infoxlm-large": "d616d637f0720deda963cebbfc630657d2b7d3ae",
    "openai-community/gpt2": "607a30d783dfa663caf39e06633721c8d4cfcd7e",
    "openai-community/gpt2-large": "32b71b12589c2f8d625668d2335a01cac3249519",
    "tals/albert-xlarge-vitaminc-mnli": "3082ba54344bd9ddada2be1c5e9b4131721d2a5d",
    "yzha/AlignScore": "8509e78d25bb914939fc585c626500c9b2944249",
}
