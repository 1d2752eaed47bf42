"""python -m benchmarks.nightly.golden: run the tests that compare with golden values and with other programs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Tests whose expected values are those of other programs, run by them or printed by them.
GROUPS = {
    "sacreBLEU": "tests/metrics/test_bleu.py tests/metrics/test_chrf.py tests/metrics/test_ter.py"
    " tests/metrics/test_sentence_bleu.py tests/results/test_legacy.py",
    "NLTK, METEOR 1.5": "tests/metrics/test_meteor.py tests/metrics/test_gleu.py tests/metrics/test_nist.py"
    " tests/metrics/test_ribes.py",
    "rouge-score, ROUGE-1.5.5": "tests/metrics/test_rouge.py tests/metrics/test_rouge155.py",
    "jiwer, RapidFuzz, EED": "tests/metrics/test_cer.py tests/metrics/test_levenshtein.py tests/metrics/test_eed.py",
    "pycocoevalcap": "tests/metrics/test_cider.py",
    "evaluate, TorchMetrics": "tests/compat/test_compat_evaluate.py tests/compat/test_torchmetrics.py",
    "nlpstats, mt-metrics-eval": "tests/stats/test_nlpstats.py tests/stats/test_coefficients.py tests/stats/test_agreement.py",
}


def main() -> None:
    """Print a table with one row per group of programs."""
    print("| golden values of | passed | failed | skipped |\n|---|---|---|---|", flush=True)
    for name, files in GROUPS.items():
        words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files.split()]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else ""
        counts = {
            word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped|error)", last)
        }
        failed = counts.get("failed", 0) + counts.get("error", 0)
        # Without a summary nothing ran.
        failed += not counts or (done.returncode not in (0, 1))
        print(f"| {name} | {counts.get('passed', 0)} | {failed} | {counts.get('skipped', 0)} |", flush=True)
        if failed:
            print(done.stdout[-3000:], file=sys.stderr)


if __name__ == "__main__":
    main()
