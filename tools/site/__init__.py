"""Generator of the documentation site.

    python -m tools.site build/docs
    sphinx-build -W --keep-going -b dirhtml build/docs build/site

The first command copies docs/ and adds the pages that are made from code and data: one page per metric, tables
of metrics and models, the leaderboard, the references of commands, Python names and errors, and llms.txt.
"""
