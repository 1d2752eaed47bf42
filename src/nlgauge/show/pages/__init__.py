"""What is shown of results: each table described once, in plain values, and one writer per medium: text,
Markdown, LaTeX, CSV, HTML.
"""
