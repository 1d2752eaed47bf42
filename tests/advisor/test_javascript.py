"""The page of the documentation gives the answers of `nlgauge.choose`: both run on the same 960 questions."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

import nlgauge
from nlgauge.advisor import settings
from nlgauge.advisor.evidence import evidence_record

SCRIPT = Path(__file__).parents[2] / "docs" / "_static" / "choose.js"
HAVE = ([], ["references"], ["source"], ["references", "source"])
BUDGETS = (1.0, 60.0)
RUN = """
const advisor = require(process.argv[1]);
const data = JSON.parse(require("fs").readFileSync(0, "utf8"));
const prepared = advisor.prepare(data);
process.stdout.write(JSON.stringify(data.questions.map(question => advisor.choose(prepared, question))));
"""


def test_both_give_the_same_answers():
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    questions = [
        {"task": task, "want": want, "level": level, "have": have, "budget": budget}
        for task, want, level, have, budget in product(
            settings.TASKS, settings.QUALITIES, settings.LEVELS, HAVE, BUDGETS
        )
    ]
    assert len(questions) == 960
    questions += [
        {"task": task, "lang": lang, "labels": labels}
        for task, lang, labels in product(settings.TASKS[:5], ("de", "ja", "th", "bo", "sw"), (0, 40, 200))
    ]
    answers = [nlgauge.choose(**question).record() for question in questions]
    data = {
        "evidence": evidence_record(),
        "settings": settings.as_record(),
        "questions": [answer["question"] for answer in answers],
    }
    command = [node, "-e", RUN, str(SCRIPT)]
    done = subprocess.run(command, input=json.dumps(data), capture_output=True, text=True, check=True)
    differences = [
        (answer["question"], key, answer[key], other[key])
        for answer, other in zip(answers, json.loads(done.stdout), strict=True)
        for key in answer
        if answer[key] != other[key]
    ]
    assert differences == []


def test_every_setting_of_the_script_exists():
    names = set(re.findall(r"\bS\.([A-Z_]+)", SCRIPT.read_text("utf-8")))
    assert names <= set(settings.as_record())
    assert len(names) > 25
