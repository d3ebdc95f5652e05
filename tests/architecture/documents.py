"""The pages of the repository as data: their headings, links, code and tables."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Page:
    """One Markdown file; `path` is relative to the repository."""

    path: Path

    @cached_property
    def tokens(self) -> list[Token]:
        text = (REPOSITORY / self.path).read_text(encoding="utf-8")
        return MarkdownIt("commonmark").enable("table").parse(text)

    @property
    def inline(self) -> Iterator[Token]:
        """Every piece of text, code, link or picture in a paragraph, a heading or a cell."""
        for token in self.tokens:
            yield from token.children or []

    @cached_property
    def anchors(self) -> set[str]:
        """The fragments after `#` in links to the page's headings, as GitHub makes them from the text."""
        found: list[str] = []
        for before, token in zip(self.tokens, self.tokens[1:], strict=False):
            if before.type == "heading_open":
                text = "".join(child.content for child in token.children or [])
                slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
                times = sum(
                    other == slug or re.fullmatch(rf"{re.escape(slug)}-\d+", other) is not None for other in found
                )
                found.append(f"{slug}-{times}" if times else slug)
        return set(found)

    @cached_property
    def links(self) -> list[str]:
        """Addresses of links and pictures, as written."""
        targets = (token.attrGet("href") or token.attrGet("src") for token in self.inline)
        return [str(target) for target in targets if target]

    @cached_property
    def code_spans(self) -> list[str]:
        """Code within text."""
        return [token.content for token in self.inline if token.type == "code_inline"]

    @cached_property
    def fences(self) -> list[Token]:
        """Blocks of code; `info` is their language."""
        return [token for token in self.tokens if token.type in ("fence", "code_block")]

    @cached_property
    def tables(self) -> list[list[list[Token]]]:
        """Tables as rows of cells, the head first."""
        tables: list[list[list[Token]]] = []
        for before, token in zip(self.tokens, self.tokens[1:], strict=False):
            if before.type == "table_open":
                tables.append([])
            elif before.type == "tr_open":
                tables[-1].append([])
            if before.type in ("th_open", "td_open"):
                tables[-1][-1].append(token)
        return tables

    def table(self, *head: str) -> list[list[Token]]:
        """The rows below the head of the one table that has this head."""
        [found] = [rows for rows in self.tables if tuple(cell.content for cell in rows[0]) == head]
        return found[1:]


def code_in(cell: Token) -> list[str]:
    """The code spans of a cell."""
    return [child.content for child in cell.children or [] if child.type == "code_inline"]


@cache
def page(path: str) -> Page:
    """The page at that path."""
    return Page(Path(path))


@cache
def pages() -> tuple[Page, ...]:
    """Every page that is in the repository, or would be with the next commit."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.md"]
    found = subprocess.run(listing, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    return tuple(page(path) for path in sorted(found.stdout.split("\0")) if path and (REPOSITORY / path).is_file())
