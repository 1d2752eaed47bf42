"""Sphinx configuration: Markdown pages, API reference, executed tutorials. Nothing is downloaded by a build.

`python -m tools.site build/docs` copies this directory and adds the generated pages; Sphinx reads the copy.
NLGAUGE_SITE_VERSION=dev builds the pages of the main branch, which link to the stable version.
"""

import os
from pathlib import Path

import nlgauge

project = "nlgauge"
author = copyright = "The nlgauge developers"
release = version = os.environ.get("NLGAUGE_SITE_VERSION", nlgauge.__version__)

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["scripts", "_extra", "_templates"]
templates_path = ["_templates"]
smartquotes = False  # texts contain code
# Docstrings have code in single backticks.
default_role = "code"
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath", "fieldlist"]
myst_heading_anchors = 4
# The configuration of the gallery contains functions, which Sphinx cannot compare between builds.
suppress_warnings = ["config.cache"]

autosummary_generate = True
autodoc_typehints = "none"  # the Parameters section of a docstring has the types
numpydoc_show_class_members = False

mathjax_path = "mathjax/tex-svg.js"  # vendored by tools/vendor.py, so that pages work offline
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".linenos, .go"

# Every script of docs/tutorials whose name starts with plot_ is executed and becomes a page and a notebook.
sphinx_gallery_conf = {
    "examples_dirs": "scripts",  # docs/tutorials, copied by tools/site
    "gallery_dirs": "tutorials",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 3600,  # times depend on the machine
    "write_computation_times": False,
    "capture_repr": (),
    "image_scrapers": ("matplotlib", "tools.site.gallery.plots_of_nlgauge"),
}

html_theme = "pydata_sphinx_theme"
html_title = "nlgauge"
html_static_path = ["_static"]
html_extra_path = ["_extra"]
html_css_files = ["nlgauge.css"]
html_js_files = ["tables.js"]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))  # becomes part of the script of the search
html_show_sourcelink = False
html_copy_source = False
# A list of all metrics or all names next to each of their pages would take a third of the build.
_WITHOUT = ("index", "leaderboard", "choose", "glossary", "faq", "metrics/*", "reference/api/generated/*")
html_sidebars = {pages: [] for pages in _WITHOUT}
html_theme_options = {
    "navbar_align": "left",
    "navbar_end": ["version-switcher", "theme-switcher"],
    # The list of versions is a file of the site, so that pages load nothing from other hosts.
    "switcher": {"json_url": "_static/switcher.json", "version_match": release},
    "show_version_warning_banner": True,
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "navigation_depth": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "search_as_you_type": True,
    "use_edit_page_button": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
