"""Lookup of metrics: by name, by "bertscore(layer=9)", by the taxonomy, from other packages (entry
points).
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import warnings
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from nlgauge.errors import ParameterError, UnknownMetricError, did_you_mean
from nlgauge.metric import REGISTERED, AnyMetric

ENTRY_POINT_GROUP = "nlgauge.metrics"
# End of the name of a metric that reads the source as its only reference (`nlgauge.metric.on_source`).
SUFFIX = "@source"
# Metrics that are not in `nlgauge.metrics`, because they score no texts.
_UNLISTED = {"imported": "nlgauge.metric.imported"}
# A string, which stays unchanged, or a word without quotes as a value: shells make quotes inside quotes
# tedious.
_BARE = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(?<=[=,(\[])\s*(?P<word>[\w./:\\~@+-]+)\s*(?=[,)\]])"""
_FACTUAL = (
    "faithfulness checks the claims of an answer with its contexts; summac, alignscore, factcc and"
    " g_eval(criterion=consistency) measure whether a text is true to its source"
)
_RELEVANT = (
    "answer_relevance asks a judge whether an answer addresses its question, g_eval(criterion=relevance) whether a"
    " summary has the important content of its source, and yes_no asks a custom question"
)
_RETRIEVAL = "context_precision and context_recall measure retrieved passages"
_ASKED = "judge, yes_no and rubric send a custom prompt to a language model"
# Qualities and metrics of other programs that users name, each with its replacement.
_CONCEPTS = {
    **dict.fromkeys(
        ("factuality", "groundedness", "hallucination", "consistency", "factual_consistency"),
        _FACTUAL,
    ),
    **dict.fromkeys(("relevance", "relevancy"), _RELEVANT),
    **dict.fromkeys(
        ("context_relevancy", "context_relevance", "contextual_precision", "contextual_recall"), _RETRIEVAL
    ),
    **dict.fromkeys(("toxicity", "safety", "helpfulness"), _ASKED),
    "answer_similarity": "f1, squad and embedding_similarity compare an answer with a reference",
    **dict.fromkeys(("coherence", "fluency"), "g_eval and unieval measure it"),
    "spice": "it needs a scene-graph parser that nlgauge does not have; cider and meteor compare captions",
}


@cache
def load_own() -> None:
    """Import every built-in metric."""
    import pkgutil

    package = importlib.import_module("nlgauge.metrics")
    for module in pkgutil.iter_modules(package.__path__):
        if not module.ispkg:
            importlib.import_module(f"nlgauge.metrics.{module.name}")
    for name in _UNLISTED.values():
        importlib.import_module(name)


@cache
def _load_one(name: str) -> bool:
    """Import only the module of the built-in metric with this name; return False if no such metric exists."""
    module = _UNLISTED.get(name, f"nlgauge.metrics.{name}")
    if not name.isidentifier() or importlib.util.find_spec(module) is None:
        return False
    importlib.import_module(module)
    return True


@cache
def _load_all() -> None:
    """Import the built-in metrics and the metrics of installed packages with entry points.

    A package that cannot be imported is left out, with all that it has registered; one warning names all of
    them.
    """
    from importlib.metadata import entry_points

    load_own()
    broken = []
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        classes, aliases = dict(REGISTERED.classes), dict(REGISTERED.aliases)
        try:
            entry.load()
        except (Exception, SystemExit) as error:  # the module of another package may raise anything
            REGISTERED.classes, REGISTERED.aliases = classes, aliases
            package = entry.dist.name if entry.dist is not None else "an unknown package"
            broken.append(f"{entry.name!r} ({entry.value} of {package}): {type(error).__name__}: {error}")
    if broken:
        warnings.warn(
            f"plug-ins that cannot be imported are left out; repair or remove them. {'; '.join(broken)}",
            stacklevel=3,
        )


def metric_classes() -> dict[str, type[AnyMetric]]:
    """Return every registered metric class that can score texts, by name in alphabetical order."""
    _load_all()
    return {name: metric for name, metric in sorted(REGISTERED.classes.items()) if metric.listed}


def home_of(metric: AnyMetric) -> str:
    """Return the module that defines the class of the metric."""
    return type(metric.unwrapped).__module__


def is_built_in(metric: AnyMetric) -> bool:
    """Return True if every installation of nlgauge has the class of the metric."""
    module = home_of(metric)
    return module.startswith("nlgauge.metrics.") or module in _UNLISTED.values()


def is_importable(metric: AnyMetric) -> bool:
    """Return True if another process can import the metric by name: it is built in or from an installed
    package, not from the calling script.
    """
    from importlib.metadata import entry_points

    module = home_of(metric)
    return is_built_in(metric) or any(
        module == entry.module for entry in entry_points(group=ENTRY_POINT_GROUP)
    )


def find(name: str) -> type[AnyMetric]:
    """Return the metric class of a name or alias, or raise an error with the nearest names; @source is ignored."""
    return _class_and_preset(name.strip().removesuffix(SUFFIX))[0]


def _class_and_preset(name: str) -> tuple[type[AnyMetric], Mapping[str, Any]]:
    """Return the metric class of a name or alias with the parameters that the alias stands for;
    rouge.rouge1 is the alias rouge1 of rouge.
    """
    key = name.strip().lower().replace("-", "_")
    metric, dot, alias = key.partition(".")
    if not _load_one(metric):
        _load_all()
    if dot and REGISTERED.aliases.get(alias, ("", {}))[0] == metric:
        key = alias
    key, preset = REGISTERED.aliases.get(key, (key, {}))
    if key in REGISTERED.classes:
        return REGISTERED.classes[key], preset
    if key in _CONCEPTS:
        raise UnknownMetricError(
            f"unknown metric {name!r}; {_CONCEPTS[key]}. `nlgauge list` shows all metrics."
        )
    near = did_you_mean(name, REGISTERED.classes) or did_you_mean(name, REGISTERED.aliases)
    raise UnknownMetricError(f"unknown metric {name!r}{near}; `nlgauge list` shows all metrics.")


def make(name: str, parameters: dict[str, Any] | None = None) -> AnyMetric:
    """Return the metric of a name (or alias) with these parameters; the name may end with @source."""
    if name.strip().endswith(SUFFIX):
        from nlgauge.metric.on_source import on_source

        return on_source(make(name.strip().removesuffix(SUFFIX), parameters))
    metric, preset = _class_and_preset(name)
    given = {**preset, **spelt(metric, parameters or {})}
    known = [f.name for f in fields(metric)]  # type: ignore[arg-type]
    for parameter in given:
        if parameter not in known:
            takes = f"takes {', '.join(known)}" if known else "takes no parameters"
            raise ParameterError(
                f"{metric.name} has no parameter {parameter!r}{did_you_mean(parameter, known)}; it {takes}."
            )
    hints = get_type_hints(metric) if given else {}
    values = {key: _as_tuple(value, hints[key]) for key, value in given.items()}
    if callable(values.get("tokenizer")):
        from nlgauge.features.tokens.functions import name_of_function

        values["tokenizer"] = name_of_function(values["tokenizer"])
    for parameter, value in values.items():
        if not _fits(value, hints[parameter]):
            raise ParameterError(
                f"{metric.name}: {parameter} must be {_named(hints[parameter])}, got {value!r:.60}."
            )
    return metric(**values)


def _as_tuple(value: Any, hint: Any) -> Any:
    """Return a list as a tuple, and a string as a tuple of one if the parameter is a list of strings."""
    if isinstance(value, str) and get_origin(hint) is tuple and str in get_args(hint):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


def spelt(metric: type[AnyMetric], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters under the names of the metric, from these or any of its `spellings`; raise
    ParameterError for duplicates.

    >>> spelt(find("ter"), {"case_sensitive": True})
    {'lowercase': False}
    """
    known = [f.name for f in fields(metric)]  # type: ignore[arg-type]
    found: dict[str, Any] = {}
    given: dict[str, str] = {}
    for name, value in parameters.items():
        own = metric.spellings.get(name, name).removeprefix("not ")
        own = name if name in known or own not in known else own
        if own in given:
            raise ParameterError(
                f"{metric.name}: {given[own]} and {name} are the same parameter; set it once, as {own}."
            )
        opposite = own != name and metric.spellings[name].startswith("not ")
        if opposite and not isinstance(value, bool):
            raise ParameterError(f"{metric.name}: {name} must be True or False, got {value!r:.60}.")
        given[own], found[own] = name, not value if opposite else value
    return found


def parse(text: str) -> AnyMetric:
    """Return the metric that a text such as "chrf(word_order=2)" describes; it reads only literals and runs
    nothing.

    >>> str(parse("chrf(word_order=2, char_order=6)"))
    'chrf(word_order=2)'
    """
    return make(*name_and_parameters(text))


def without_parameters(printed: str) -> str:
    """Return the name of a printed metric.

    >>> without_parameters("chrf(word_order=2)@source"), without_parameters("chrf(word_order=2)")
    ('chrf@source', 'chrf')
    """
    name, bracket, rest = printed.partition("(")
    return name + SUFFIX if bracket and rest.endswith(SUFFIX) else name


def name_and_parameters(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of a text such as "chrf(word_order=2)", also of an unknown metric;
    words need no quotes.

    >>> name_and_parameters("bertscore(model=./models/bert-base, layer=9)")
    ('bertscore', {'model': './models/bert-base', 'layer': 9})
    """
    if text.strip().endswith(SUFFIX):
        name, parameters = name_and_parameters(text.strip().removesuffix(SUFFIX))
        return name + SUFFIX, parameters
    name, bracket, inside = text.strip().partition("(")
    if not bracket:
        return name, {}
    import ast

    try:
        call = ast.parse(f"_({re.sub(_BARE, _quoted, inside)}", mode="eval").body
        if (
            not isinstance(call, ast.Call)
            or not isinstance(call.func, ast.Name)
            or call.args
            or any(keyword.arg is None for keyword in call.keywords)
        ):
            raise ValueError
        return name, {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (SyntaxError, ValueError):
        form = (
            "write name(parameter=value, ...), for example chrf(word_order=2), with quotes around text that"
            " has spaces or brackets: model='...'"
        )
        raise ParameterError(f"cannot read {text!r}; {form}.") from None


def _fits(value: Any, hint: Any) -> bool:
    """Return True if a value has a parameter's type; a whole number is a number, but True is neither."""
    if get_origin(hint) in (Union, UnionType):
        return any(_fits(value, one) for one in get_args(hint))
    kind = get_origin(hint) or hint
    if kind in (int, float) and isinstance(value, bool):
        return False
    return isinstance(value, (int, float) if kind is float else kind)


def _named(hint: Any) -> str:
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    names = {
        int: "a whole number",
        float: "a number",
        bool: "True or False",
        str: "a string",
        tuple: "a list",
        type(None): "None",
    }
    return " or ".join(
        names.get(get_origin(kind) or kind, getattr(kind, "__name__", str(kind))) for kind in kinds
    )


def _quoted(match: re.Match[str]) -> str:
    """Return a bare word in quotes; return a string, a number, True, False and None unchanged."""
    word = match["word"]
    if word is None:
        return match[0]
    import ast

    try:
        ast.literal_eval(word)
    except (SyntaxError, ValueError):
        return repr(word)
    return match[0]
