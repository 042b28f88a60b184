"""Configuration of the documentation site."""

import importlib.util
import sys
from pathlib import Path

import graycube

sys.path.insert(0, str(Path(__file__).parent))
import generate

generate.draw()
generate.write()

project = "graycube"
author = "The graycube developers"
copyright = "2026, the graycube developers"
version = release = graycube.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
autosummary_generate = False  # tables of names alone: the pages beside them have the rest
html_theme = "furo"
html_title = "graycube"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
autodoc_mock_imports = [] if importlib.util.find_spec("jaxlib") else ["jax"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
