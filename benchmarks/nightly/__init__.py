"""The nightly truth: peers, differential fuzzing, closed forms, error rates and coverage, as one page of figures.

    python -m benchmarks.nightly [PART...] [--full] [--again] [--page]

Each part is a program of its own. Its figures are kept in .cache/verify until the sources change, so that a stopped run
continues with the parts that are missing. A part that fails does not keep the others from running; the exit code is 1 if any
figure is out of its bound or a part could not run. The page is docs/statistics/nightly.md, and its data nightly.json.
"""
