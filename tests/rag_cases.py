"""Records of a chat application, and a judge for tests that looks up claims and passages word by word."""

from __future__ import annotations

from typing import Any

from judge_cases import choice, client

from nlgauge.judges import Client, Request

RECORDS = [
    {
        "id": 0,
        "question": "When is the shop open?",
        "contexts": ["It is painted red", "The shop opens at nine", "It closes at five"],
        "answer": "The shop opens at nine. It has a cat",
        "ground_truth": "The shop opens at nine. It closes at five. It is big. It is old",
    },
    {"id": 1, "question": "Who?", "contexts": [], "answer": "A. B", "ground_truth": "C"},
    {"id": 2, "question": "Where?", "contexts": ["here"], "answer": " ", "ground_truth": "here"},
    {"id": 3, "question": "What?", "contexts": ["this"], "answer": "unknown", "ground_truth": "this"},
]


def looking_up(**changes: str) -> Client:
    """Return a judge whose claims are sentences, supported with probability 0.9 or 0.1; `changes` replace replies.

    Keys of `changes` are "claims" and "verdict".
    """

    def answer(request: Request, number: int) -> dict[str, Any]:
        words = request.messages[-1][1]
        if words.startswith("List the claims"):
            text = words.rpartition("\nText:\n")[2].removesuffix("\n\nClaims:")
            listed = "\n".join(f"- {claim}" for claim in text.split(". "))
            return choice(changes.get("claims", "no claims" if text == "unknown" else f"Claims:\n{listed}"))
        if "Claim:\n" in words:
            evidence, _, rest = words.partition("Claim:\n")
            return _verdict(rest.partition("\n")[0] in evidence, changes)
        answer_text, _, rest = words.partition("\n\nPassage:\n")
        return _verdict(rest.partition("\n")[0] in answer_text, changes)

    return client(answer)


def _verdict(is_true: bool, changes: dict[str, str]) -> dict[str, Any]:
    yes = 0.9 if is_true else 0.1
    text = changes.get("verdict", "Yes" if is_true else "No")
    return choice(text, [{"Yes": yes, "No": 1 - yes}])
