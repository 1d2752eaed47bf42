"""Reader of HELM run directories: `per_instance_stats.json` with `run_spec.json`, `scenario_state.json`, `stats.json`."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from nlgauge._core.numbers import counted
from nlgauge.errors import InputError
from nlgauge.io.logs.columns import ScoreTable
from nlgauge.io.logs.decoding import decoded_file
from nlgauge.io.logs.rows import Log, LogFacts, LogOptions, LogRow, Reason, ScoreColumn
from nlgauge.io.logs.sources import Source
from nlgauge.io.logs.versions import Tested

TESTED = Tested("helm", "0.5")
DEPTH = 1
STATISTICS = "per_instance_stats.json"
# Other statistics are bookkeeping, such as num_prompt_tokens and inference_runtime.
_DEFAULT = re.compile(r"(quasi_)?(prefix_)?exact_match|f1_score|rouge_.*|bleu_.*|math_equiv.*")
_CORRECT = "correct"
# Arguments of a run's name that are not part of its task.
_MODEL_ARGUMENTS = ("model", "model_deployment")
Key = tuple[str, int]


class _Name(msgspec.Struct):
    name: str
    split: str = ""
    sub_split: str = ""
    perturbation: Any = None


class _Statistic(msgspec.Struct):
    name: _Name
    count: int = 0
    mean: float | None = None


class _Instance(msgspec.Struct):
    instance_id: str
    stats: list[_Statistic]
    train_trial_index: int = 0
    perturbation: Any = None


class _Adapter(msgspec.Struct):
    model: str = ""
    model_deployment: str = ""
    method: str = ""
    temperature: float | None = None
    max_train_instances: int | None = None
    instructions: str = ""


class _Run(msgspec.Struct):
    name: str
    adapter_spec: _Adapter


class _Text(msgspec.Struct):
    text: str = ""


class _Reference(msgspec.Struct):
    output: _Text
    tags: list[str] = []


class _Input(msgspec.Struct):
    id: str
    input: _Text
    references: list[_Reference] = []
    split: str | None = None
    perturbation: Any = None


class _Completions(msgspec.Struct):
    success: bool = True
    completions: list[_Text] = []
    error: str | None = None
    request_time: float | None = None


class _Request(msgspec.Struct):
    instance: _Input
    train_trial_index: int = 0
    reference_index: int | None = None
    result: _Completions | None = None


class _State(msgspec.Struct):
    request_states: list[_Request]


_INSTANCES = msgspec.json.Decoder(list[_Instance])
_RUN = msgspec.json.Decoder(_Run)
_STATE = msgspec.json.Decoder(_State)
_TOTALS = msgspec.json.Decoder(list[_Statistic])


def recognizes(source: Source) -> bool:
    """Return True if a directory is a run of HELM."""
    return source.kind == "directory" and (Path(source.path) / STATISTICS).is_file()


def read(source: Source, options: LogOptions) -> list[Log]:
    """Return the run of a directory."""
    directory = Path(source.path)
    instances = decoded_file(directory / STATISTICS, _INSTANCES, TESTED)
    if instances is None:
        raise InputError(f"{source.path} has no {STATISTICS}; name the directory of a run of HELM.")
    run = decoded_file(directory / "run_spec.json", _RUN, TESTED)
    state = decoded_file(directory / "scenario_state.json", _STATE, TESTED)
    facts = LogFacts(tool="helm", file=source.path, system=source.name, task=source.name)
    if run is not None:
        facts.system = run.adapter_spec.model or source.name
        facts.task = _task_of(run.name)
        facts.details = _details(run.adapter_spec)
    if state is None:
        facts.notes.append(f"{source.path} has no scenario_state.json, so the rows have no texts.")
    rows = _rows(instances, state, facts, options)
    _add_own_scores(facts, decoded_file(directory / "stats.json", _TOTALS, TESTED), rows)
    return [Log(facts, list(rows.values()))]


def _task_of(name: str) -> str:
    """Return the name of a run without its model.

    >>> _task_of("mmlu:subject=philosophy,model=openai_gpt2"), _task_of("narrative_qa:model=openai_gpt2")
    ('mmlu:subject=philosophy', 'narrative_qa')
    """
    scenario, _, arguments = name.partition(":")
    rest = [word for word in arguments.split(",") if word and word.partition("=")[0] not in _MODEL_ARGUMENTS]
    return f"{scenario}:{','.join(rest)}" if rest else scenario


def _details(adapter: _Adapter) -> dict[str, str]:
    return {
        name: str(value)
        for name in ("method", "max_train_instances", "temperature", "model_deployment", "instructions")
        if (value := getattr(adapter, name)) not in (None, "")
    }


def _rows(
    instances: list[_Instance], state: _State | None, facts: LogFacts, options: LogOptions
) -> dict[Key, LogRow]:
    """Return the rows by instance and trial; perturbed instances are left out."""
    requests = {
        (request.instance.id, request.train_trial_index): request
        for request in reversed(state.request_states if state else [])
        if request.instance.perturbation is None
    }
    rows: dict[Key, LogRow] = {}
    table = ScoreTable()
    perturbed, further = 0, set()
    for instance in instances:
        if instance.perturbation is not None:
            perturbed += 1
            continue
        key = instance.instance_id, instance.train_trial_index
        if key not in rows:
            rows[key] = _row(key, requests.get(key), facts.task)
        for statistic in instance.stats:
            name = statistic.name.name
            if statistic.name.perturbation is not None or not statistic.count:
                continue
            if not _DEFAULT.fullmatch(name) and name not in options.scores:
                further.add(name)
            elif "error" not in rows[key].fields:
                table.declare(
                    ScoreColumn(name, low=0, high=1) if _DEFAULT.fullmatch(name) else ScoreColumn(name)
                )
                table.add(rows[key], name, statistic.mean)
    table.finish(facts, rows.values(), _reason)
    if perturbed:
        facts.notes.append(f"{counted(perturbed, 'perturbed instance')} of HELM are not read.")
    if further:
        facts.notes.append(f"These statistics of HELM are not read by default: {', '.join(sorted(further))}.")
    return rows


def _row(key: Key, request: _Request | None, task: str) -> LogRow:
    """Return the row of an instance, without scores."""
    item, trial = key
    row = LogRow(item=item, repeat=trial + 1, task=task)
    if request is None:
        return row
    row.source = request.instance.input.text
    row.references = [each.output.text for each in request.instance.references if _CORRECT in each.tags]
    fields: dict[str, Any] = {"split": request.instance.split}
    result = request.result
    if result is not None:
        if result.completions and request.reference_index is None:
            row.prediction = result.completions[0].text
        fields |= {"seconds": result.request_time} if result.request_time is not None else {}
        fields |= {} if result.success else {"error": result.error or "The request failed."}
    row.fields = {name: value for name, value in fields.items() if value is not None}
    return row


def _reason(row: LogRow, name: str) -> Reason:
    return "error" if "error" in row.fields else "absent"


def _add_own_scores(facts: LogFacts, totals: list[_Statistic] | None, rows: dict[Key, LogRow]) -> None:
    """Add HELM's means; HELM has a mean for each split, which counts as many times as it has segments."""
    sizes = Counter({item: str(row.fields.get("split", "")) for (item, _), row in rows.items()}.values())
    for name in facts.columns:
        means = {
            each.name.split: each.mean
            for each in totals or []
            if each.name.name == name
            and each.name.perturbation is None
            and not each.name.sub_split
            and each.count
        }
        if len(means) == 1 and len(sizes) <= 1:
            sizes = Counter(dict.fromkeys(means, 1))
        if means.keys() == sizes.keys() and None not in means.values():
            total = sum(sizes[split] * float(mean or 0) for split, mean in means.items())
            facts.own_scores[name] = total / sizes.total()
