"""The order in which the test processes begin."""

# The files that take longest, the longest first, from about fifty CPU seconds down to eight, and a folder whose files
# follow each other, so that each test process starts Chromium once. Other files come later, by the number of their slow
# tests. A long file that begins late runs alone at the end.
LONGEST = (
    "engine/test_ray.py",
    "show/web",
    "metric/test_contract.py",
    "show/web/test_rate_page.py",
    "show/web/test_rate_study.py",
    "metrics/test_cosmic.py",
    "docs/test_site.py",
    "kernels/test_twins_sequences.py",
    "reproduce/test_kept_reproductions.py",
    "show/plots/test_every_plot.py",
    "stats/permutation/test_permutation.py",
    "metric/test_cards.py",
    "judges/test_judge_endpoint.py",
    "judges/test_judge_hostile.py",
    "io/test_streamed.py",
    "engine/test_executors.py",
    "results/storage/test_extend.py",
    "results/test_inference.py",
    "kernels/test_twins_tokens.py",
    "metrics/test_ter.py",
    "results/storage/test_resume.py",
    "meta/benchmarks/test_published.py",
    "models/test_models.py",
    "test_docs.py",
    "meta/papers/test_analysis_cosmic.py",
    "engine/test_cache.py",
    "cli/test_cli.py",
    "docs/test_examples.py",
    "judges/test_judge_local.py",
)
