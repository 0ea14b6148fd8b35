"""Sphinx's settings of the documentation site; `make docs` builds it."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

import cladebench  # noqa: E402

project = "cladebench"
author = "the cladebench authors"
copyright = "the cladebench authors, BSD-3-Clause"
version = release = cladebench.__version__
language = "en"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "repository_links",
]
root_doc = "index"
exclude_patterns = ["gallery/*.py", "gallery/*.ipynb", "gallery/*.json"]
suppress_warnings = ["config.cache"]

# Markdown: what GitHub shows.
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4

# Reference. Sections that numpydoc does not know are warnings, and so errors.
autosummary_generate = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_validation_checks = {"GL06", "GL07", "PR02", "PR03", "PR10", "GL08"}
default_role = "literal"

# Gallery.
sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "doc_module": ("cladebench",),
    "reference_url": {"cladebench": None},
    "backreferences_dir": "gallery/uses",
    "inspect_global_variables": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "download_all_examples": False,
    "write_computation_times": False,
    "plot_gallery": "True",
}

# Pages: no address of another host, and a search that works from disk.
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = f"cladebench {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # it would be fetched, which browsers refuse from disk
html_show_sphinx = False
html_theme_options = {
    "navbar_align": "left",
    "navbar_persistent": ["search-button-field"],
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": False,
    "navigation_with_keys": False,
    "back_to_top_button": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def _is_ours(app, what, name, obj, skip, options):
    """Leave out what estimators inherit from scikit-learn; its own documentation has it."""
    return True if (getattr(obj, "__module__", None) or "").startswith("sklearn") else None


def setup(app):
    """Connect what Sphinx asks."""
    app.connect("autodoc-skip-member", _is_ours)
