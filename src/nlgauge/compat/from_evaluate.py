"""Metrics of Hugging Face evaluate, computed by evaluate: scripts of other people, which run only where
the caller allowed it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nlgauge._core.paths import is_file
from nlgauge.compat.custom import MetricForNLG
from nlgauge.corpus import Corpus
from nlgauge.errors import MetricError, ParameterError, UnknownMetricError
from nlgauge.metric import Takes

_HUB = "evaluate-metric"
_MOST_PARTS = 2
_OFFLINE = ("NLGAUGE_OFFLINE", "HF_HUB_OFFLINE")


class FromEvaluate(MetricForNLG):
    """A metric of Hugging Face evaluate, computed by evaluate: corpus scores alone, without intervals or
    tests.
    """

    resulting_name: str = "evaluate"
    path: str = ""
    variant: str | None = None
    script: str = ""
    module: Any = None

    # A colon is in no name of the registry, so that nothing else is ever restored in the place of a saved
    # one.
    @property
    def name(self) -> str:  # type: ignore[override]
        return f"evaluate:{_label(self.path)}"

    @property
    def takes(self) -> Takes:  # type: ignore[override]
        return "pair" if "references" in _inputs(self.module) else "alone"

    def facts(self, corpus: Corpus) -> dict[str, str]:
        variant = {} if self.variant is None else {"config_name": str(self.variant)}
        return {
            **super().facts(corpus),
            "metric": self.name.replace(":", " "),
            **variant,
            "script": self.script,
        }

    def libraries(self) -> tuple[str, ...]:
        return ("evaluate",)

    def _compute_single_pred_single_ref(
        self, preds: Any, refs: Any, reduce_fn: Any = None, **kwargs: Any
    ) -> Any:
        given = {
            name: texts
            for name, texts in (("predictions", preds), ("references", refs))
            if name in _inputs(self.module)
        }
        try:
            found = self.module.compute(**given, **kwargs)
        except Exception as error:  # whatever somebody else's script does
            raise MetricError(
                f"evaluate's {self.path} fails on these texts: {type(error).__name__}: {error!s:.300}"
            ) from error
        return found if isinstance(found, Mapping) else {"score": found}

    _compute_single_pred_multi_ref = _compute_single_pred_single_ref

    def __str__(self) -> str:
        given = {**({} if self.variant is None else {"config_name": self.variant}), **self.compute_kwargs}
        arguments = ", ".join(f"{name}={value!r}" for name, value in given.items())
        return f"{self.name}({arguments})" if arguments else self.name


def from_evaluate(
    name: str, arguments: Mapping[str, Any], unknown: UnknownMetricError, resulting_name: str | None = None
) -> FromEvaluate:
    """The metric of a script's path or a name on the hub, which runs the script; a warning says so before.

    `arguments` go to its `compute`, but for `config_name`, which chooses a variant of the metric. `unknown`
    is the error of nlgauge, to which why evaluate does not give it either is added.
    """
    if importlib.util.find_spec("evaluate") is None:
        raise UnknownMetricError(
            f"{unknown} Hugging Face evaluate, which may have it, is not installed; run: pip install evaluate"
        )
    local = local_script(name)
    if local is None and _not_on_the_hub(name):
        raise UnknownMetricError(f"{unknown} Hugging Face evaluate has no script at that path either.")
    if local is None and (
        offline := next(
            (variable for variable in _OFFLINE if os.environ.get(variable, "") not in ("", "0")), ""
        )
    ):
        raise UnknownMetricError(
            f"{unknown} The Hugging Face hub was not searched, because {offline} is set; pass the path of the"
            " script."
        )
    place = (
        str(local.resolve())
        if local
        else f"{name if '/' in name else f'{_HUB}/{name}'} of the Hugging Face hub"
    )
    warnings.warn(
        f"{name!r} is not a metric of nlgauge; Hugging Face evaluate runs the code of {place}. The score has"
        " no intervals and no significance tests.",
        stacklevel=_caller(),
    )
    own = dict(arguments)
    variant = own.pop("config_name", None)
    try:
        module = importlib.import_module("evaluate").load(
            str(local) if local else name, variant, keep_in_memory=True
        )
        _inputs(module)
    except Exception as error:  # whatever a download or somebody else's script does
        raise UnknownMetricError(
            f"{unknown} Hugging Face evaluate cannot load it either: {type(error).__name__}: {error!s:.300}"
        ) from None
    metric = FromEvaluate(resulting_name or _label(name), own)
    metric.path, metric.module, metric.variant = name, module, variant
    metric.script = hashlib.sha256(Path(inspect.getfile(type(module))).read_bytes()).hexdigest()[:12]
    return metric


def looks_like_one(name: str) -> bool:
    """Whether evaluate may have a metric of this name: a script of this path, or one that it is known to
    have and nlgauge has not.
    """
    from nlgauge.compat.evaluate.names import MISSING

    return local_script(name) is not None or name.strip().lower() in MISSING


def local_script(name: str) -> Path | None:
    """The script of a path, which is a file NAME.py or a directory NAME that holds NAME.py, as evaluate
    looks for it.
    """
    path = Path(name)
    found = path if path.suffix == ".py" else path / f"{path.name}.py"
    return found if is_file(found) else None


def _not_on_the_hub(name: str) -> bool:
    return (
        name.endswith(".py")
        or Path(name).is_absolute()
        or name.startswith(".")
        or name.count("/") >= _MOST_PARTS
    )


def _label(name: str) -> str:
    return Path(name).name.removesuffix(".py")


def _inputs(module: Any) -> list[str]:
    """The names of what a metric takes: predictions, references or others."""
    features = module.features
    found = list(features[0] if isinstance(features, list) else features)
    if "predictions" not in found:
        raise ParameterError(f"it takes {', '.join(map(str, found))}, and not predictions")
    return found


def _caller() -> int:
    """The stack level of the first line outside of nlgauge, for a warning of the function that asks."""
    level, frame = 1, inspect.currentframe()
    frame = None if frame is None else frame.f_back
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "nlgauge":
        level, frame = level + 1, frame.f_back
    return level
