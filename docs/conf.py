"""Configuration of the documentation site."""

import importlib.util
import re
import sys
import tomllib
from pathlib import Path

from sphinx.application import Sphinx

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
html_search_scorer = str(Path(__file__).with_name("search.js"))

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


def with_words(_app: Sphinx, page: str, source: list[str]) -> None:
    """Put entries of the index before the sections that answer what people search for."""
    for heading, words in WORDS.get(page, {}).items():
        entries = ", ".join(f"! {word}" for word in words)
        before = rf"(?m)^(?=##+ {re.escape(heading)}$)" if heading else r"(?<=\n\n)"
        source[0] = re.sub(before, f"```{{index}} {entries}\n```\n\n", source[0], count=1)


def setup(app: Sphinx) -> None:
    """Connect it with the builder, which reads all pages again where the words have changed."""
    app.add_config_value("words", WORDS, "env")
    app.connect("source-read", with_words)
