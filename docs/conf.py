"""Configuration of the documentation site."""

import graycube

project = "graycube"
author = "The graycube developers"
copyright = "2026, the graycube developers"
version = release = graycube.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = "graycube"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
exclude_patterns = ["_build"]
