"""Metrics that Hugging Face evaluate computes with scripts of third parties.

Such scripts run only with permission of the caller.
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
from nlgauge.errors import MetricError, UnknownMetricError
from nlgauge.metric import Takes

_HUB = "evaluate-metric"
_MOST_PARTS = 2
_OFFLINE = ("NLGAUGE_OFFLINE", "HF_HUB_OFFLINE")


class FromEvaluate(MetricForNLG):
    """Metric that Hugging Face evaluate computes; it has only corpus scores, no intervals and no tests."""

    resulting_name: str = "evaluate"
    path: str = ""
    variant: str | None = None
    script: str = ""
    module: Any = None

    # Names in the registry have no colon, so a saved result with this name never restores another metric.
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
        columns = {
            name: texts
            for name, texts in (("predictions", preds), ("references", refs))
            if name in _inputs(self.module)
        }
        try:
            outputs = self.module.compute(**columns, **kwargs)
        except Exception as error:  # a script of a third party may raise any exception
            raise MetricError(
                f"evaluate's {self.path} fails on these texts: {type(error).__name__}: {error!s:.300}"
            ) from error
        return outputs if isinstance(outputs, Mapping) else {"score": outputs}

    _compute_single_pred_multi_ref = _compute_single_pred_single_ref

    def __str__(self) -> str:
        variant = {} if self.variant is None else {"config_name": self.variant}
        arguments = ", ".join(
            f"{name}={value!r}" for name, value in {**variant, **self.compute_kwargs}.items()
        )
        return f"{self.name}({arguments})" if arguments else self.name


def from_evaluate(
    name: str, arguments: Mapping[str, Any], unknown: UnknownMetricError, resulting_name: str | None = None
) -> FromEvaluate:
    """Load the metric of a script, by path or by name on the hub; this runs the script, after a warning.

    `arguments` are passed to `compute` of the metric, except `config_name`, which selects a variant of the metric.
    `unknown` is the error of nlgauge for this name. If evaluate cannot load the metric either, the error that is
    raised also contains the reason.
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
            f"{unknown} The Hugging Face hub was not searched, because {offline} is set; unset it, or pass the"
            " path of the script."
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
    parameters = dict(arguments)
    variant = parameters.pop("config_name", None)
    try:
        module = importlib.import_module("evaluate").load(
            str(local) if local else name, variant, keep_in_memory=True
        )
    except Exception as error:  # a download or a script of a third party may raise any exception
        raise UnknownMetricError(
            f"{unknown} Hugging Face evaluate cannot load it either: {type(error).__name__}: {error!s:.300}"
        ) from None
    if "predictions" not in (inputs := _inputs(module)):
        raise UnknownMetricError(
            f"{unknown} The metric of Hugging Face evaluate takes {', '.join(inputs)} instead of predictions; choose"
            " another metric."
        )
    metric = FromEvaluate(resulting_name or _label(name), parameters)
    metric.path, metric.module, metric.variant = name, module, variant
    metric.script = hashlib.sha256(Path(inspect.getfile(type(module))).read_bytes()).hexdigest()[:12]
    return metric


def looks_like_one(name: str) -> bool:
    """Return True if evaluate may have a metric of this name.

    This is so if the name is the path of a script, or a metric that evaluate has but nlgauge does not.
    """
    from nlgauge.compat.evaluate.names import MISSING

    return local_script(name) is not None or name.strip().lower() in MISSING


def local_script(name: str) -> Path | None:
    """Return the script at a path, which is a file NAME.py or a directory NAME with NAME.py, else None.

    These are the rules of evaluate.
    """
    path = Path(name)
    script = path if path.suffix == ".py" else path / f"{path.name}.py"
    return script if is_file(script) else None


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
    """Return the names of the inputs of a metric."""
    features = module.features
    return list(map(str, features[0] if isinstance(features, list) else features))


def _caller() -> int:
    """Return the stack level of the first frame outside nlgauge, for a warning in the calling function."""
    level, frame = 1, inspect.currentframe()
    frame = None if frame is None else frame.f_back
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "nlgauge":
        level, frame = level + 1, frame.f_back
    return level
