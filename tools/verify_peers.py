"""Write the numbers of programs that are not nlgauge on MiniLM, SmolLM2 and GloVe, for `nlgauge verify`.

    python -m venv /elsewhere/peers
    /elsewhere/peers/bin/pip install torch transformers sentence-transformers bert-score gensim POT mauve-text \
        faiss-cpu scikit-learn nltk pyemd accelerate
    /elsewhere/peers/bin/python tools/verify_peers.py --models CACHE --copies DIR > measured.json

CACHE is the directory of models that `nlgauge models get minilm smollm2 glove` filled. DIR holds copies of files
that no package installs: s3_utils.py of SummEval, moverscore.py and moverscore_v2.py of MoverScore, evaluate.py of
nlg-eval. Nothing of them is part of nlgauge. The script imports no module of nlgauge.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import sys
import types
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

PREDICTIONS = [
    "The ferry stops for two weeks in March.",
    "a small boat takes over on weekdays",
    "Nobody knows why the ramp has rusted so quickly.",
    "The physician quickly treated a sick kitten. It slept all day.",
    "The river is red.",
    "The mayor opened the new bridge, and the band played.",
]
REFERENCES = [
    "In March the ferry will not run for a fortnight.",
    "On working days a small boat takes its place.",
    "The ramp has rusted quickly, and nobody knows why.",
    "A doctor rapidly treated the ill cat. The cat slept today.",
    "Prices of wheat fell again on Thursday.",
    "The mayor opened the new bridge while a band was playing.",
]
# Plain words, so that every tokenizer gives the same tokens.
PLAIN_PREDICTIONS = [
    "the ferry stops for two weeks in march",
    "small boats take over on weekdays",
    "nobody knows why the ramp has rusted so quickly",
    "the physician quickly treated the sick kitten",
]
PLAIN_REFERENCES = [
    "in march the ferry will not run for several weeks",
    "on working days one small boat takes its place",
    "the ramp has rusted quickly and nobody knows why",
    "the doctor rapidly treated the ill cat in chicago today",
]
STOP_WORDS = Path(__file__).parents[1] / "src" / "nlgauge" / "data" / "english_stop_words.txt"
TEMPLATE = "Say the following in other words.\n\n{text}\n\nIn other words:"
COMMAND = "python tools/verify_peers.py"
COPIES = {
    "s3_utils": ("SummEval", "Yale-LILY/SummEval@81b59ad:evaluation/summ_eval/s3_utils.py"),
    "moverscore_v2": ("MoverScore", "AIPHES/emnlp19-moverscore@0459a3b:moverscore_v2.py"),
    "evaluate": ("nlg-eval", "Maluuba/nlg-eval@2ab4528:nlgeval/word2vec/evaluate.py"),
}


def case(
    name: str, metric: str, models: dict[str, str], program: str, values: dict[str, Any], **more: Any
) -> dict[str, Any]:
    plain = more.pop("plain", False)
    level = more.pop("level", "segments")
    texts = (PLAIN_PREDICTIONS, PLAIN_REFERENCES) if plain else (PREDICTIONS, REFERENCES)
    found = {
        "id": name,
        "metric": metric,
        "models": models,
        "checkpoint": ", ".join(models.values()),
        "program": program,
        "source": more.pop("source", "run by the developers"),
        "decimals": more.pop("decimals", 5),
        "command": COMMAND,
        **more,
        "predictions": texts[0],
        "values": [
            {
                "output": output,
                "values": [round(float(value), 9) for value in np.ravel(numbers)],
                **({"level": level} if level != "segments" else {}),
            }
            for output, numbers in values.items()
        ],
    }
    if more.get("references") is None and "references" not in found:
        found["references"] = [[text] for text in texts[1]]
    if found.get("references") == "none":
        del found["references"]
    return found


def bert_score_cases(models: Path) -> list[dict[str, Any]]:
    import bert_score

    program, found = f"bert-score {version('bert-score')}", []
    for layer, idf in ((6, False), (6, True), (3, False)):
        scores = bert_score.score(
            PREDICTIONS,
            REFERENCES,
            model_type=str(models / "minilm"),
            num_layers=layer,
            idf=idf,
            batch_size=1,
        )
        parameters = {"layer": layer, **({"idf": True} if idf else {})}
        values = dict(zip(("precision", "recall", "f1"), (part.numpy() for part in scores), strict=True))
        name = f"bertscore-minilm-{layer}{'-idf' if idf else ''}"
        found.append(case(name, "bertscore", {"model": "minilm"}, program, values, parameters=parameters))
    return found


def sentence_cases(models: Path) -> list[dict[str, Any]]:
    from sentence_transformers import SentenceTransformer, util

    # A directory of plain Transformers files is read with mean pooling, as all-MiniLM-L6-v2 has it.
    model = SentenceTransformer(str(models / "minilm"), device="cpu")
    vectors = [model.encode(texts, convert_to_tensor=True) for texts in (PREDICTIONS, REFERENCES)]
    values = util.pairwise_cos_sim(*vectors).cpu().numpy()
    program = f"sentence-transformers {version('sentence-transformers')}"
    return [
        case(
            "embedding-similarity-minilm",
            "embedding_similarity",
            {"model": "minilm"},
            program,
            {"embedding_similarity": values},
        )
    ]


def likelihood_cases(models: Path) -> list[dict[str, Any]]:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(models / "smollm2")
    model = AutoModelForCausalLM.from_pretrained(models / "smollm2", dtype=torch.float32).eval()
    program = f"transformers {version('transformers')}, its own loss"

    def loss(before: list[int], text: list[int]) -> float:
        """The model's own loss over the tokens of a text after other tokens."""
        ids = torch.tensor([before + text])
        labels = torch.tensor([[-100] * len(before) + text])
        with torch.no_grad():
            return float(model(input_ids=ids, labels=labels).loss)

    def pieces(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False).input_ids)

    # The mark between documents in the training of the model; its bos_token opens a turn of a chat.
    start = tokenizer.convert_tokens_to_ids("<|endoftext|>")
    losses, after_bos = (
        np.array([loss([token], pieces(text)) for text in PREDICTIONS])
        for token in (start, tokenizer.bos_token_id)
    )
    head, tail = TEMPLATE.split("{text}")
    scores = [
        -loss([start, *pieces(head + reference), *pieces(tail)], pieces(" " + prediction))
        for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True)
    ]
    return [
        case(
            "perplexity-smollm2",
            "perplexity",
            {"model": "smollm2"},
            program,
            {"perplexity": np.exp(losses)},
            references="none",
            decimals=1,
        ),
        case(
            "bits-per-token-smollm2",
            "perplexity",
            {"model": "smollm2"},
            program,
            {"bits_per_token": losses / math.log(2)},
            references="none",
            decimals=4,
        ),
        case(
            "perplexity-smollm2-bos",
            "perplexity",
            {"model": "smollm2"},
            program,
            {"perplexity": np.exp(after_bos)},
            references="none",
            parameters={"start": tokenizer.bos_token},
            decimals=1,
        ),
        case(
            "gptscore-smollm2",
            "gptscore",
            {"model": "smollm2"},
            program,
            {"gptscore": scores},
            parameters={"template": TEMPLATE},
            decimals=4,
        ),
    ]


def mauve_cases(models: Path) -> list[dict[str, Any]]:
    import mauve
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(models / "smollm2")
    model = AutoModelForCausalLM.from_pretrained(models / "smollm2", dtype=torch.float32).eval()

    def states(texts: list[str]) -> Any:
        rows = []
        for text in texts:
            with torch.no_grad():
                out = model(**tokenizer(text, return_tensors="pt"), output_hidden_states=True)
            rows.append(out.hidden_states[-1][0, -1].numpy())
        return np.array(rows)

    # With as many buckets as distinct texts, every k-means gives one text per bucket.
    found = mauve.compute_mauve(
        p_features=states(REFERENCES),
        q_features=states(PREDICTIONS),
        num_buckets=len(PREDICTIONS + REFERENCES),
        verbose=False,
    )
    program = f"mauve-text {version('mauve-text')}"
    return [
        case(
            "mauve-smollm2",
            "mauve",
            {"model": "smollm2"},
            program,
            {"mauve": [found.mauve], "frontier_integral": [found.frontier_integral]},
            parameters={"buckets": len(PREDICTIONS + REFERENCES)},
            level="system",
        )
    ]


def keyed_vectors(models: Path) -> Any:
    from gensim.models import KeyedVectors
    from safetensors.numpy import load_file

    matrix = next(iter(load_file(models / "glove" / "vectors.safetensors").values())).astype(np.float32)
    words = (models / "glove" / "words.txt").read_text("utf-8").split("\n")[: len(matrix)]
    vectors = KeyedVectors(matrix.shape[1])
    vectors.add_vectors(words, matrix)
    return vectors


def word_cases(models: Path, copies: dict[str, Any]) -> list[dict[str, Any]]:
    vectors = keyed_vectors(models)
    pairs = [
        (one.split(), other.split()) for one, other in zip(PLAIN_PREDICTIONS, PLAIN_REFERENCES, strict=True)
    ]
    models_of = {"vectors": "glove"}
    gensim = f"gensim {version('gensim')}, wmdistance"
    found = [
        case(
            f"wmd-glove{'-unit' if unit else ''}",
            "wmd",
            models_of,
            gensim,
            {"wmd": [vectors.wmdistance(*pair, norm=unit) for pair in pairs]},
            parameters={"unit": unit},
            plain=True,
        )
        for unit in (False, True)
    ]
    found += _movers(vectors, pairs, models_of)
    if "s3_utils" in copies:
        table = _Table(vectors)
        program, source = COPIES["s3_utils"]
        for n in (1, 2, 3):
            rows = [
                copies["s3_utils"].rouge_n_we([one], [other], table, n, return_all=True, tokenize=True)
                for one, other in zip(PREDICTIONS, REFERENCES, strict=True)
            ]
            values = dict(zip(("precision", "recall", "f1"), np.array(rows).T, strict=True))
            found.append(
                case(
                    f"rouge-we-{n}-glove",
                    "rouge_we",
                    models_of,
                    program,
                    values,
                    parameters={"n": n},
                    source=source,
                )
            )
    if "evaluate" in copies:
        found += _baselines(vectors, copies["evaluate"], models_of)
    return found


def _movers(vectors: Any, pairs: Any, models_of: dict[str, str]) -> list[dict[str, Any]]:
    """Return cases of Sentence Mover's Similarity for texts of one sentence: POT moves the words, or the means."""
    import ot

    stop = set(STOP_WORDS.read_text("utf-8").split())
    rows: dict[str, list[float]] = {"wms": [], "sms": [], "s+wms": []}
    for pair in pairs:
        for mode, values in rows.items():
            sides = [_points(vectors, words, mode, stop) for words in pair]
            cost = ot.dist(*(places for places, _ in sides), metric="euclidean")
            values.append(math.exp(-ot.emd2(*(mass / mass.sum() for _, mass in sides), cost)))
    program = f"POT {version('POT')}, emd2"
    return [
        case(
            f"{mode.replace('+', '-')}-glove",
            "sms",
            models_of,
            program,
            {"sms": values},
            parameters={"mode": mode},
            plain=True,
        )
        for mode, values in rows.items()
    ]


def _points(vectors: Any, words: list[str], mode: str, stop: set[str]) -> tuple[Any, Any]:
    """Return the places and masses of the different words, of the sentence, or of both."""
    kept = [word for word in words if word not in stop and word in vectors]
    distinct = list(dict.fromkeys(kept))
    mean = np.mean([vectors[word] for word in kept], axis=0, dtype=np.float64)
    places, masses = [], []
    if mode != "sms":
        places += [vectors[word].astype(np.float64) for word in distinct]
        masses += [float(kept.count(word)) for word in distinct]
    if mode != "wms":
        places.append(mean)
        masses.append(float(len(kept)))
    return np.array(places), np.array(masses)


def _baselines(vectors: Any, module: Any, models_of: dict[str, str]) -> list[dict[str, Any]]:
    program, source = COPIES["evaluate"]
    unknown = np.asarray(vectors.vectors.mean(axis=0))
    words = types.SimpleNamespace(vec=_Table(vectors, unknown).get)
    names = {
        "EmbeddingAverageCosineSimilarity": "embedding_average",
        "VectorExtremaCosineSimilarity": "vector_extrema",
        "GreedyMatchingScore": "greedy_matching",
    }
    rows: dict[str, list[float]] = {name: [] for name in names}
    for one, other in zip(PLAIN_PREDICTIONS, PLAIN_REFERENCES, strict=True):
        lines = dict(
            line.split(": ") for line in module.eval_emb_metrics([one], [[other]], emb=words).split("\n")
        )
        for name in names:
            rows[name].append(float(lines[name]))
    return [
        case(
            f"{metric.replace('_', '-')}-glove",
            metric,
            models_of,
            program,
            {metric: rows[name]},
            parameters={"compat": "nlg-eval"},
            plain=True,
            source=source,
        )
        for name, metric in names.items()
    ]


class _Table:
    """The vectors as a mapping from words."""

    def __init__(self, vectors: Any, unknown: Any = None) -> None:
        self._vectors = vectors
        self._unknown = unknown

    def __contains__(self, word: str) -> bool:
        return word in self._vectors

    def __getitem__(self, word: str) -> Any:
        return self._vectors[word].astype(np.float64)

    def get(self, word: str) -> Any:
        return self._vectors[word] if word in self else self._unknown


def mover_cases(models: Path, copies: dict[str, Any]) -> list[dict[str, Any]]:
    module = copies.get("moverscore_v2")
    if module is None:
        return []
    from collections import defaultdict

    ones = defaultdict(lambda: 1.0)
    values = [
        module.word_mover_score([reference], [prediction], ones, ones, device="cpu")[0]
        for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True)
    ]
    program, source = COPIES["moverscore_v2"]
    return [
        case(
            "moverscore-v2-minilm",
            "moverscore",
            {"model": "minilm"},
            program,
            {"moverscore": values},
            source=source,
        )
    ]


def loaded(folder: Path, models: Path) -> dict[str, Any]:
    """Import the copies that are there; each needs what its time had."""
    os.environ["MOVERSCORE_MODEL"] = str(models / "minilm")
    if not hasattr(np, "float"):
        np.float = float  # type: ignore[attr-defined]  # of NumPy before 1.24
    for name in ("nlgeval", "nlgeval.utils"):
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules["nlgeval.utils"].get_data_dir = lambda: ""  # type: ignore[attr-defined]
    nltk_corpus = importlib.import_module("nltk.corpus")
    nltk_corpus.stopwords = types.SimpleNamespace(words=lambda _: [])
    importlib.import_module("nltk.tokenize").word_tokenize = str.split
    found = {}
    for name in COPIES:
        path = folder / f"{name}.py"
        if not path.is_file():
            continue
        spec = importlib.util.spec_from_file_location(f"copy_{name}", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        code = path.read_text("utf-8").replace("device = 'cuda'", "device = 'cpu'")
        exec(compile(code, str(path), "exec"), module.__dict__)
        found[name] = module
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--copies", type=Path, default=Path())
    arguments = parser.parse_args()
    stdout, sys.stdout = sys.stdout, sys.stderr
    models = arguments.models.resolve()
    copies = loaded(arguments.copies, models)
    cases = [
        *bert_score_cases(models),
        *sentence_cases(models),
        *mover_cases(models, copies),
        *likelihood_cases(models),
        *mauve_cases(models),
        *word_cases(models, copies),
    ]
    stdout.write(json.dumps(cases, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
