"""The long description of the package: the README, for those who only see the package.

An index cannot follow links to files. Links and pictures lead to the repository on the web, if
pyproject.toml says where that is:

    [project.urls]
    Repository = "https://github.com/someone/graycube"

Otherwise links become the names of files, which the source distribution has, and pictures go.
"""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

FILE = (
    r"\((?![a-z]+:|#)([^)]*)\)"  # neither on the web, nor a mail, nor a heading of the README
)
PICTURE = re.compile(rf"!\[([^]]*)\]{FILE}\n*")
LINK = re.compile(rf"\[([^]]*)\]{FILE}")
WHERE = "*The source distribution has the files that are named here.*"


def without_relative_links(text: str, repository: str | None = None) -> str:
    """The text with links to files on the web, or with the names of files."""
    if repository is None:
        return LINK.sub(_named, PICTURE.sub("", text))
    files = f"{repository.rstrip('/')}/blob/HEAD/"
    return LINK.sub(rf"[\1]({files}\2)", PICTURE.sub(rf"![\1]({files}\2?raw=true)\n\n", text))


def _named(link: re.Match[str]) -> str:
    words, file = link.groups()
    return words if words == file else f"{words} (`{file}`)"


class CustomMetadataHook(MetadataHookInterface):
    """Gives the package its long description."""

    def update(self, metadata: dict) -> None:
        """Put it in."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        repository = metadata.get("urls", {}).get("Repository")
        made = without_relative_links(text, repository)
        if repository is None:
            made = f"{made.rstrip()}\n\n{WHERE}\n"
        metadata["readme"] = {"content-type": "text/markdown", "text": made}
