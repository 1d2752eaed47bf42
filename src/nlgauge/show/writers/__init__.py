"""Writers: a page of plain values as text, Markdown, LaTeX, HTML or CSV."""
