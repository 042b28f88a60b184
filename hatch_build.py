"""The long description of the package: the README, for those who only see the package.

An index cannot follow links to files. If pyproject.toml says where the files are on the web,
links and pictures lead there:

    [tool.hatch.metadata.hooks.custom]
    files = "https://example.org/graycube/blob/main/"

Otherwise links become the names of files, and pictures go.
"""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

FILE = (
    r"\((?![a-z]+:|#)([^)]*)\)"  # neither on the web, nor a mail, nor a heading of the README
)
PICTURE = re.compile(rf"!\[([^]]*)\]{FILE}\n*")
LINK = re.compile(rf"\[([^]]*)\]{FILE}")


def without_relative_links(text: str, files: str | None = None) -> str:
    """The text with links to files on the web, or with the names of files."""
    if files is None:
        return LINK.sub(_named, PICTURE.sub("", text))
    return LINK.sub(rf"[\1]({files}\2)", PICTURE.sub(rf"![\1]({files}\2?raw=true)\n\n", text))


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
            "text": without_relative_links(text, self.config.get("files")),
        }
