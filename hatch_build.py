"""The long description of the package: the README, for those who only see the package."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

PICTURE = re.compile(r"!\[[^]]*\]\((?!https?:)[^)]*\)\n*")
LINK = re.compile(r"\[([^]]*)\]\((?!https?:)([^)]*)\)")


def without_relative_links(text: str) -> str:
    """The text without pictures, and with names of files where an index cannot follow links."""
    return LINK.sub(_named, PICTURE.sub("", text))


def _named(link: re.Match[str]) -> str:
    words, file = link.groups()
    return words if words == file else f"{words} (`{file}`)"


class CustomMetadataHook(MetadataHookInterface):
    """Gives the package its long description."""

    def update(self, metadata: dict) -> None:
        """Put it in."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": without_relative_links(text),
        }
