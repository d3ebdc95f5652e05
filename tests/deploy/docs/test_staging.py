"""The documentation site has every page, and every link of a page leads to a file of the site."""

from __future__ import annotations

import re
from pathlib import Path

from deploy.docs.reference import API_PAGE, SETTINGS_PAGE
from deploy.docs.staging import linked_files, reachable_files, stage
from tests.architecture.documents import REPOSITORY, pages

CONFIGURATION = REPOSITORY / "deploy" / "docs" / "mkdocs.yml"


def test_stage_copies_every_page_and_its_links(tmp_path: Path) -> None:
    folder = tmp_path / "source"
    (folder / "old").mkdir(parents=True)
    assert stage(REPOSITORY, folder) == len(pages())
    assert not (folder / "old").exists()
    for page in pages():
        names = {file.relative_to(REPOSITORY) for file in linked_files(REPOSITORY / page.path)}
        assert {file.relative_to(folder) for file in linked_files(folder / page.path)} == names


def test_linked_files_ignore_code_anchors_and_other_servers(tmp_path: Path) -> None:
    for name in ("a b.md", "picture.png", "code.md"):
        (tmp_path / name).touch()
    start = tmp_path / "start.md"
    start.write_text(
        "[a](a%20b.md#part) ![p](picture.png) [here](#part) [w](https://example.org/x.md) [gone](gone.md)\n"
        "```\n[c](code.md)\n```\n"
    )
    assert {file.name for file in reachable_files(start)} == {"start.md", "a b.md", "picture.png"}


def test_navigation_lists_every_page_once() -> None:
    navigation = CONFIGURATION.read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"(?:- |: )(\S+\.md)(?: #.*)?$", navigation, re.MULTILINE)
    decisions = re.compile(r"docs/decisions/\d{4}-")
    expected = [str(page.path) for page in pages() if not decisions.match(str(page.path))]
    assert sorted(listed) == sorted([*expected, API_PAGE, SETTINGS_PAGE])
