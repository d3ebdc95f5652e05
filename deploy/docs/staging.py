"""Copy the pages and the files that they link to into one folder, where MkDocs reads them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LINK = re.compile(r"\]\(([^()\s]+)\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def linked_files(page: Path) -> set[Path]:
    """Return the existing local files that a page links to, as absolute paths."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    addresses = [urlsplit(link) for link in _LINK.findall(text)]
    targets = {
        (page.parent / unquote(address.path)).resolve()
        for address in addresses
        if address.path and not address.scheme and not address.netloc
    }
    return {target for target in targets if target.is_file()}


def reachable_files(start: Path) -> set[Path]:
    """Return the start page, all pages that links lead to from it, and the files that these pages link to."""
    found: set[Path] = set()
    ahead = {start.resolve()}
    while ahead:
        file = ahead.pop()
        found.add(file)
        if file.suffix == ".md":
            ahead |= linked_files(file) - found
    return found


def stage(repository: Path, folder: Path) -> int:
    """Copy the reachable files of the repository into an empty folder; returns the number of pages.

    Paths stay as they are in the repository, so relative links lead to the same files.
    """
    shutil.rmtree(folder, ignore_errors=True)
    root = repository.resolve()
    files = {file for file in reachable_files(root / "README.md") if file.is_relative_to(root)}
    for file in files:
        target = folder / file.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    return sum(file.suffix == ".md" for file in files)
