"""Save the numbers of every metric on a fixed corpus, and compare two versions of nlgauge bit for bit.

    python tools/compare_versions.py save before.json.gz --models DIRECTORY
    python tools/compare_versions.py compare before.json.gz after.json.gz

`save` runs every registered metric, each with another value of every parameter too, on three systems and on one
system with weights and documents. The first call writes tiny random models, made as those of the tests, to DIRECTORY,
and `cases.json`, the parameters of each case; later calls read both, so that two versions use the same weights.
Edit `cases.json` if a parameter is renamed. Metrics are numbered, so that labels may change.

`compare` lists every value that differs. Statistics, scores, segment scores, explanations and values of
meta-evaluation must not: the exit code is 1 if one does. Intervals, tests and ranks may. Add a key or text that was
renamed on purpose to RENAMED, so that only numbers count.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

TEMPORARY = tempfile.TemporaryDirectory()
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "NLGAUGE_THREADS", "HF_HUB_OFFLINE"), "1")
os.environ |= {
    "NLGAUGE_STATISTICS_CACHE": "off",
    "NLGAUGE_JUDGE_CACHE": f"{TEMPORARY.name}/judge.sqlite",
    "TOKENIZERS_PARALLELISM": "false",
}
TESTS = Path(__file__).resolve().parents[1] / "tests"
# Old name -> new name of words of keys and of whole texts; both files are read with it.
RENAMED: dict[str, str] = {
    "undefined_draws": "undefined_resamples",
    "permutation": "randomization",
    "randomisation": "randomization",
    "generalises_to": "generalizes_to",
    "normalised": "normalized",  # codespell:ignore
    "unparsed: the reply was longer than it may be": "unparsed: the reply exceeds max_tokens",
    "one score per output": "only one rating per output",
    "everything is labelled": "everything is labeled",  # codespell:ignore
}


# --- All that depends on the interface of nlgauge: adapt these functions when names change. ---


def new_cases(models: Path) -> dict[str, Any]:
    """Make tiny models; return each metric as the tests make it, then with another value of each parameter."""
    sys.path[:0] = [str(folder) for folder in (TESTS, TESTS / "metric", TESTS / "metrics", TESTS.parent)]
    from dataclasses import fields

    from conftest import TinyModels
    from test_contract import SMALL, STRINGS, model_kind, said, weights

    from nlgauge.metric.registry import make, metric_classes, name_and_parameters
    from nlgauge.testing.of_values import other_values

    tiny, cases = TinyModels(models.resolve()), {}
    for name, metric in metric_classes().items():
        kinds = {} if name in STRINGS else {weights(name): model_kind(name), **said(name, "OTHER_MODELS", {})}
        parameters = {field.name: SMALL[field.name] for field in fields(metric) if field.name in SMALL}
        parameters |= said(name, "TEST_PARAMETERS", {}) | {
            parameter: str(tiny[kind]) for parameter, kind in kinds.items()
        }
        cases[name] = {"metric": name, "parameters": parameters}
        changed = {field.name: "missing" for field in fields(metric) if field.name == "empty"} | said(
            name, "CHANGED_PARAMETERS", {}
        )
        changed |= {parameter: str(tiny[f"other {kind}"]) for parameter, kind in kinds.items()}
        for parameter, value in other_values(make(name, parameters), changed).items():
            # Temporary files of the tests do not last.
            if parameter in kinds or not str(value).startswith(tempfile.gettempdir()):
                cases[f"{name}: other {parameter}"] = {
                    "metric": name,
                    "parameters": parameters | {parameter: value},
                }
    for variant in VARIANTS:
        name, parameters = name_and_parameters(variant)
        cases[variant] = {"metric": name, "parameters": cases[name]["parameters"] | parameters}
    return {name: case for name, case in cases.items() if ": other " not in name or is_allowed(case)}


def is_allowed(case: dict[str, Any]) -> bool:
    """Return whether the metric takes these parameters together."""
    from nlgauge import NlgaugeError

    try:
        run(case, SINGLE)
    except (NlgaugeError, RuntimeError) as error:  # torch's, if a tiny model cannot take an empty text
        print(f"without {case}: {error}", file=sys.stderr)
        return False
    return True


def run(case: dict[str, Any], corpus: dict[str, Any]) -> Any:
    """Return the result of one metric."""
    import nlgauge
    from nlgauge.metric.registry import make

    return nlgauge.score(**corpus, metrics=make(case["metric"], case["parameters"]))


def run_together(corpus: dict[str, Any]) -> dict[str, Any]:
    """Return results of several metrics: as scored, as written during the run, as saved and loaded."""
    import nlgauge

    metrics, directory = (
        ["bleu", "chrf", "rouge", "wer", "bleu(max_order=2)", "distinct"],
        Path(TEMPORARY.name),
    )
    result = nlgauge.score(**corpus, metrics=metrics)
    result.save(directory / "saved")
    written = nlgauge.score(**corpus, metrics=metrics, output=directory / "written")
    return {"scored": result, "written": written, "loaded": nlgauge.load(directory / "saved")}


def key_of(result: Any, label: str, *names: Any) -> str:
    """Return the key of a metric's value: its number, which stays if its label changes, and further names."""
    return " ".join(map(str, (result.labels.index(label), *names)))


def of_tables(result: Any, view: Callable[[Any], Any]) -> Any:
    return {key_of(result, label, system): view(table) for (system, label), table in result._tables.items()}


def statistics_of(result: Any) -> Any:
    return of_tables(result, lambda table: {part: exact(rows[:]) for part, rows in table.statistics.items()})


def scores_of(result: Any) -> Any:
    return of_tables(result, lambda table: table.scores())


def segments_of(result: Any) -> Any:
    return of_tables(result, lambda table: {name: exact(values) for name, values in table.segments().items()})


def explanations_of(result: Any) -> Any:
    from nlgauge.explanations.wire import document

    explained = result.explain(None, list(EXPLAINED)).items()
    return {
        key_of(result, label, *names): [document(item) for item in items]
        for (label, *names), items in explained
    }


def intervals_of(result: Any) -> Any:
    rows = result.scores(frame="records")
    return {
        key_of(result, row["metric"], row["system"], row["output"]): picked(row, "low high reason")
        for row in rows
    }


def tests_of(result: Any) -> Any:
    """Return the comparison with the first system by each test, and that of all pairs."""
    if len(result.systems) < 2:
        return {}
    pairs = {
        "all pairs": {"systems": result.systems},
        "bootstrap": {"test": "bootstrap"},
        "randomization": {},
    }
    tests = {name: result.compare(*options.pop("systems", ()), **options) for name, options in pairs.items()}
    columns = "gain gain_low gain_high p better test resamples reason bound_low bound_high"
    return {
        key_of(result, row["metric"], row["output"], name, row["first"], row["second"]): picked(
            row, f"{columns} p_{comparison.correction}"
        )
        for name, comparison in tests.items()
        for row in comparison.records()
    }


def ranks_of(result: Any) -> Any:
    if len(result.systems) < 2:
        return {}
    columns = "p low high letters ranks missing reason"
    ranks = {}
    for row in result.ranks():
        # Bounds of the difference, row minus column, and the p-values that decide.
        turned = row.output.higher_is_better is False
        low, high = (-row.high, -row.low) if turned else (row.low, row.high)
        values = {**vars(row), "p": row.p_max_t, "low": low, "high": high}
        ranks[key_of(result, row.label, row.output.name)] = picked(values, columns)
    return ranks


def meta_analyses(human: Any, ratings: Any, metrics: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    """Return meta-evaluations, each a function that returns rows; the scores are (systems, segments)."""
    from nlgauge.meta import Judgments

    both = Judgments.from_arrays(
        {"quality": human}, metrics, ratings={"fluency": ratings}, higher_is_better={"ter": False}
    )
    quality, fluency = both.only(human=["quality"]), both.only(human=["fluency"])
    return {
        "correlate": both.correlate,
        "correlate bca": lambda: both.correlate(
            interval="systems", method="bca", coefficient=["pearson", "kendall_c", "spa"]
        ),
        "compare": quality.compare,
        "compare inputs": lambda: fluency.compare(
            level="input", coefficient="kendall", generalize_to="inputs"
        ),
        "compare both": lambda: fluency.compare(generalize_to="both", coefficient="spearman"),
        "compare williams": lambda: quality.compare(test="williams"),
        "rank wmt22": lambda: quality.rank(preset="wmt22"),
        "rank wmt24": lambda: fluency.rank(preset="wmt24"),
        "between metrics": both.between_metrics,
        "top systems": quality.top_systems,
        "agreement": both.agreement,
        # The default seed was 0.
        "estimate": lambda: quality.estimate(seed=0),
    }


# --- The fixed corpus and the cases. ---

REFERENCES = [
    ["The cat sat on the mat.", "A cat was sitting on the mat."],
    ["On Tuesday, the minister met with the president.", "The minister met the president on Tuesday."],
    ["“It will never happen again,” he said.", "He said it won't happen again."],
    ["Nothing was said here.", "Nobody spoke."],
    [
        "Shares fell by 3.5 % in early trading, traders said.",
        "Traders said that shares fell 3.5% in early trading.",
    ],
    ["Die Straße ist naß, weil es geregnet hat.", "Weil es regnete, ist die Straße nass."],
    ["Кошка сидела на ковре.", "На ковре сидела кошка."],
    ["猫坐在垫子上。", "垫子上坐着一只猫。"],
    ["القطة جلست على السجادة.", "جلست القطة على السجادة."],
    ["The cat sat on the mat.", "A cat was sitting on the mat."],
    ["It costs $1,234.56, some 20% more.", "The price is $1,234.56; that is 20% more."],
    [
        "The committee will publish its report next week. It was delayed twice.",
        "After two delays the report comes out next week.",
    ],
]
SOURCES = [f"{first} {second} More was said about it elsewhere." for first, second in REFERENCES]
SYSTEMS = {
    "A": [
        *(
            "The cat is sitting on the mat.",
            "The minister met the president on Tuesday.",
            "He said: 'It won't happen again.'",
            "",
        ),
        *(
            "Shares fell 3.5% in early trading , traders said .",
            "Die Straße ist nass.",
            "Кошка на ковре.",
            "猫在垫子上。",
            "القطة على السجادة",
        ),
        *(
            "The cat is sitting on the mat.",
            "It costs $1,234.56 (about 20% more).",
            "The report will be published next week. It is late.",
        ),
    ],
    "B": [
        *(
            "The cat sat on the mat.",
            "The president met the minister.",
            "He said: 'It won't happen again.'",
            "Nothing.",
        ),
        *(
            "Early trading fell, fell, fell.",
            "Weil es geregnet hat, ist die Straße nass.",
            "Собака спит.",
            "猫坐在垫子上。",
            "السجادة جلست",
        ),
        *(
            "The cat sat on the mat.",
            "It costs $1,234.56, some 20% more.",
            "next week the the the committee 😀 👍🏽 published",
        ),
    ],
    "C": [
        "a cat",
        "",
        "Never again.",
        "Nothing was said here.",
        "Shares fell",
        "It rained.",
        "cat",
        "猫",
        "mat",
        "a cat",
        "$5",
        "A report.",
    ],
}
THREE = {"predictions": SYSTEMS, "references": REFERENCES, "sources": SOURCES}
WEIGHTED = {"weights": [1, 2, 0.5, 1, 1, 3, 1, 1, 0, 1, 1, 2], "documents": list("aabbccddeeff")}
SINGLE = {
    "predictions": SYSTEMS["A"],
    "references": [texts[:1] for texts in REFERENCES],
    "sources": SOURCES,
    **WEIGHTED,
}
EXPLAINED = [0, 3, 5, 7, 11]
VARIANTS = [
    *(
        "bleu(smooth_method=floor, smooth_value=0.1)",
        "bleu(smooth_method='add-k')",
        "bleu(tokenizer=zh, lowercase=True)",
    ),
    *(
        "bleu(max_order=2, effective_order=True)",
        "chrf(eps_smoothing=True, whitespace=True)",
        "chrf(word_order=2)",
        "meteor(compat=jar)",
    ),
    *(
        "rouge(rouge_types=['rouge1', 'rouge4', 'rougeL', 'rougeLsum'], stem=True, tokenizer=google)",
        "meteor(task=adequacy)",
    ),
    *(
        "meteor(version='2005', compat=nltk)",
        "ter(normalized=True, asian_support=True)",
        "ter(no_punct=True, lowercase=False)",
    ),
    *(
        "eed(compat=python)",
        "rouge155(references=best, stop_words=True)",
        "rouge155(stem=True, jackknife=True)",
        "moverscore(n_gram=2)",
    ),
    *(
        "js_divergence(order=2, smoothing=0.1)",
        "bertscore(idf=True, rescale=True)",
        "gemba(variant=SQM)",
        "summac(variant=conv)",
    ),
]


def read_cases(models: Path) -> dict[str, Any]:
    """Return metric and parameters of each case; the first call writes them and the models to a directory."""
    file, place = models / "cases.json", f'"{models.resolve()}/'
    if not file.exists():
        models.mkdir(parents=True, exist_ok=True)
        file.write_text(
            json.dumps(new_cases(models), indent=1, ensure_ascii=False).replace(place, '"MODELS/'), "utf-8"
        )
    return json.loads(file.read_text("utf-8").replace('"MODELS/', place))


# --- Saving and comparing. ---

VIEWS = {
    **{
        "statistics": statistics_of,
        "scores": scores_of,
        "segments": segments_of,
        "explanations": explanations_of,
    },
    **{"intervals": intervals_of, "tests": tests_of, "ranks": ranks_of},
}
MAY_CHANGE = ("intervals", "tests", "ranks", "meta intervals and tests")
META_MAY_CHANGE = (
    *(
        "low",
        "high",
        "classical_low",
        "classical_high",
        "undefined_resamples",
        "p",
        "p_error",
        "p_adjusted",
        "better",
    ),
    *("cluster", "letters", "not_beaten", "average_cluster"),
)


def picked(row: Any, columns: str) -> dict[str, Any]:
    return {name: exact(row[name]) for name in columns.split()}


def exact(values: Any) -> Any:
    """Return an array as its type and plain values; JSON keeps every bit of a float."""
    return {"type": str(values.dtype), "values": values.tolist()} if hasattr(values, "dtype") else values


def save(file: Path, models: Path) -> None:
    saved: dict[str, Any] = {kind: {} for kind in VIEWS}
    for name, case in read_cases(models).items():
        start = time.perf_counter()
        for corpus, texts in (("three systems", THREE), ("one system", SINGLE)):
            add_views(saved, f"{name}, {corpus}", run(case, texts))
        print(f"{time.perf_counter() - start:6.1f} s  {name}", file=sys.stderr, flush=True)
    for name, result in run_together(THREE).items():
        add_views(saved, f"together, {name}", result)
    saved |= meta_rows()
    with gzip.open(file, "wt", encoding="utf-8") as opened:
        json.dump(saved, opened, ensure_ascii=False)


def add_views(saved: dict[str, Any], name: str, result: Any) -> None:
    for kind, view in VIEWS.items():
        saved[kind][name] = view(result)


def meta_rows() -> dict[str, Any]:
    """Return the rows of the meta-evaluations, values apart from intervals and tests."""
    import numpy as np

    rng = np.random.RandomState(1)
    truth = rng.normal(size=(8, 1)) + rng.normal(size=(8, 15))
    human = np.round(truth + rng.normal(size=truth.shape), 1)
    human[0, 3] = human[5, 7] = np.nan
    ratings = np.round(np.clip(truth[:, :, None] + rng.normal(size=(*truth.shape, 3)), -2, 2))
    noises = {"chrf": 0.5, "bleu": 2.0, "comet": 0.4, "rounded": 1.0}
    metrics = {name: truth + noise * rng.normal(size=truth.shape) for name, noise in noises.items()}
    metrics |= {"ter": -metrics["bleu"] + 0.2 * truth, "rounded": np.round(metrics["rounded"])}
    rows = {
        name: [dict(row) for row in analysis()]
        for name, analysis in meta_analyses(human, ratings, metrics).items()
    }

    return {
        kind: {
            name: [{key: row[key] for key in row if (key in META_MAY_CHANGE) == change} for row in many]
            for name, many in rows.items()
        }
        for kind, change in (("meta values", False), ("meta intervals and tests", True))
    }


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the path and the exact text of every value; an empty list or dictionary is a value."""
    items = list(
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    if not items:
        yield path, repr(RENAMED.get(value, value) if isinstance(value, str) else value)
    for key, item in items:
        yield from leaves(item, (*path, " ".join(RENAMED.get(word, word) for word in str(key).split(" "))))


def compare(before: Path, after: Path) -> int:
    saved = [json.loads(gzip.decompress(file.read_bytes())) for file in (before, after)]
    counts, differences = Counter[str](), Counter[str]()
    kinds = list(dict.fromkeys([*saved[0], *saved[1]]))
    for kind in kinds:
        first, second = (dict(leaves(version.get(kind, {}))) for version in saved)
        for path in dict.fromkeys([*first, *second]):
            counts[kind] += 1
            values = first.get(path, "absent"), second.get(path, "absent")
            if values[0] != values[1]:
                differences[kind] += 1
                print(f"{kind}: {' > '.join(path)}: {values[0]:.200} -> {values[1]:.200}")
    print(f"\n{'kind':26}{'values':>10}{'different':>11}")
    for kind in kinds:
        print(
            f"{kind:26}{counts[kind]:10}{differences[kind]:11}  {'may change' if kind in MAY_CHANGE else 'must be equal'}"
        )
    return int(any(differences[kind] for kind in kinds if kind not in MAY_CHANGE))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    saving = commands.add_parser("save", help="run every metric and save the numbers")
    saving.add_argument("file", type=Path)
    saving.add_argument(
        "--models", type=Path, required=True, help="the directory that keeps the tiny models between versions"
    )
    comparing = commands.add_parser("compare", help="list the differences between two saved files")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "compare":
        return compare(arguments.before, arguments.after)
    warnings.simplefilter("ignore")
    save(arguments.file, arguments.models)
    return 0


if __name__ == "__main__":
    sys.exit(main())
