"""Stilted phrases are found where people read, and may not become more."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tools.plain_words import RATCHET, areas, main, read, worse

CLEAN = '''"""Return the number of rows."""

text = """
whoever asks for it
"""
count = 1  # rows that match
'''


def phrases(path: str, text: str) -> list[tuple[int, str]]:
    return [(hit.line, hit.phrase) for hit in read(path, text)[0]]


def test_a_phrase_is_found_in_comments_docstrings_and_documents() -> None:
    assert phrases("a.py", "x = 1  # made anew\n# of whoever asks\n") == [(1, "anew"), (2, "whoever")]
    assert phrases("a.py", 'def f():\n    """Rows.\n\n    Nobody waits.\n    """\n') == [(4, "Nobody")]
    assert phrases("a.md", "# Tiles\n\n```\nanew\n```\nIt is told.\n") == [(6, "is told")]
    assert phrases("a.js", "// at the most ten\nlet x = 1;\n") == [(1, "at the most")]


def test_a_clean_text_and_the_strings_of_a_program_have_none() -> None:
    hits, words = read("a.py", CLEAN)
    assert (hits, words) == ([], 8)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one stilted phrase in 100 words, which its ratchet allows."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text(" ".join(["word"] * 99) + "\nanew\n")
    (tmp_path / RATCHET).parent.mkdir()
    (tmp_path / RATCHET).write_text(json.dumps({"docs": 10.0}))
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-q", "-m", "Start"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_ratchet_fails_only_when_an_area_gets_worse(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    with (repository / "docs" / "page.md").open("a") as page:
        page.write("It is told to nobody.\n")
    assert main([]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("docs: 28.6 ")
    assert lines[1:] == ["  docs/page.md:3: is told", "  docs/page.md:3: nobody"]
    assert main(["--write"]) == 0
    assert main([]) == 0


def test_an_area_without_a_ratchet_may_have_no_phrase(repository: Path) -> None:
    (repository / "README.md").write_text("Made anew.\n")
    assert set(worse(areas(repository), {"docs": 10.0})) == {"."}


def test_the_phrases_of_a_folder_are_listed(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs"]) == 0
    assert capsys.readouterr().out == "docs/page.md:2: anew\n"
