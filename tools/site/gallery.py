"""Pictures of tutorials: plots of nlgauge do not use pyplot, so the gallery would not see them."""

from __future__ import annotations

from typing import Any


def plots_of_nlgauge(
    block: tuple[str, str, int], block_vars: dict[str, Any], gallery_conf: dict[str, Any]
) -> str:
    """Return a picture of the plot that is the last value of a code block, in reStructuredText."""
    from sphinx_gallery.scrapers import figure_rst

    from nlgauge import plots

    value = block_vars["example_globals"].get("___")
    if not hasattr(value, "_repr_png_"):
        return ""
    path = next(block_vars["image_path_iterator"])
    plots.save(value, path)
    block_vars["example_globals"]["___"] = None
    text: str = figure_rst([path], gallery_conf["src_dir"], plots.alt(value))
    return text
