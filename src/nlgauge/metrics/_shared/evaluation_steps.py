"""Steps that the judge writes: G-Eval's form has the steps that a careful reader takes, and the judge itself
can write them.
"""

from __future__ import annotations

from dataclasses import replace

from nlgauge.corpus.texts import Texts
from nlgauge.errors import JudgeError
from nlgauge.features import Features, RunOptions
from nlgauge.judges.asking import Ask, ChatReplies, decoded
from nlgauge.judges.reading import AnyText
from nlgauge.judges.requests import text_of
from nlgauge.metrics.g_eval import GEval, filled_form


def written(metric: GEval) -> str:
    """Return the steps that the metric's judge writes for its criterion, at temperature 0; they are cached
    like every reply.

    Give them to the metric, so that its signature has them: `replace(metric, steps=written(metric))`.
    """
    metric.require(
        bool(metric.definition), "definition", "set, because built-in criteria have their steps already"
    )
    prompt = filled_form("g_eval_steps", replace(metric, steps=""))
    ask = Ask(AnyText(), prompt.max_tokens, prompt.before, seed=metric.seed)
    features = Features(Texts(), RunOptions())
    column, places = features.get(ChatReplies(metric.judge, ask), features.ids_of([(prompt.text,)]))
    replies = decoded(column, int(places[0]))
    found = next(
        (text_of(reply).strip() for reply in replies if "failure" not in reply and text_of(reply).strip()), ""
    )
    if not found:
        why = next((reply["why"] for reply in replies if "failure" in reply), "its reply is empty")
        raise JudgeError(
            f"{metric.judge.name} wrote no steps ({why.rstrip('.')}); set steps, or choose another judge."
        )
    return found
