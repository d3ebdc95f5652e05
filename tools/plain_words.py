"""Find stilted phrases in comments, docstrings and Markdown, and keep their number from rising.

    python -m tools.plain_words           compare each area with tools/plain_words.json; exit status 1 if one got worse
    python -m tools.plain_words --write   write the present numbers to tools/plain_words.json
    python -m tools.plain_words PATH      list the phrases in a file or folder

An area is a top-level folder, or `.` for the files beside them. Its number is phrases per 1,000 words, rounded up to
one decimal. The patterns can be wrong about a sentence: they show where to look.
"""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from math import ceil
from pathlib import Path

RATCHET = "tools/plain_words.json"
PATTERNS = (
    r"\b(?:whoever|nobody|somebody|everybody)\b",
    r"\b(?:those|they|one|others) who\b|(?:^|[.;:,] )who (?:asks|has|is|reads|wants|waits|comes)\b",
    r"(?:^|[.:;] )(?:by which|of which|in which|that which|of what|to what|such as are)\b",
    r"(?:^|\. )What (?!is\b[^.]*\?)\w+",
    r"\bwhat (?:is|was|are|were|has|have|comes|came|goes|lies|stands) (?!\w+\?)",
    r"\b(?:is|are|was|were|be|been) (?:told|held|asked for|come|kept from|taken for|taken back|given up)\b",
    r"\b(?:is|are) none of\b|\b(?:that|which|it|what) (?:is|are) no (?!longer\b|more than\b)\w+",
    r"\b(?:is|are|was|be) away\b|\b(?:comes?|came) (?:back|again|as it is)\b",
    r"\b(?:so many|at the (?:most|least)|anew|alike|likewise|thereof|again and again|be (?:it|they))\b",
    r"\b(?:mend(?:s|ed)?|lacks|makes? anew|no more(?! than)|of a kind|has to be put)\b",
)
PHRASE = re.compile("|".join(f"(?:{pattern})" for pattern in PATTERNS), re.IGNORECASE)
COMMENTS = {
    ".py": re.compile(r"(?:^\s*|  )#\s?(?!\s*(?:noqa|type:))(?P<text>.*)"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".css"), re.compile(r"(?:^|\s)(?://|/\*+|\*)\s(?P<text>.*)")),
    ".sql": re.compile(r"(?:^|\s)--\s(?P<text>.*)"),
    **dict.fromkeys((".yaml", ".yml", ".sh", ".toml"), re.compile(r"(?:^|\s)#\s(?P<text>.*)")),
}
"""Pattern of a comment in one line, by the ending of the file's name."""
LEFT_OUT = ("node_modules", "requirements", "/data/")


@dataclass(frozen=True, slots=True)
class Hit:
    """A stilted phrase in a line of a file."""

    path: str
    line: int
    phrase: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.phrase}"


def prose_of(path: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield number and text of the lines that people read: comments, docstrings, and Markdown outside code."""
    lines = text.splitlines()
    in_strings: set[int] = set()
    if path.endswith(".py"):
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Expr(value=ast.Constant(value=str())):
                    span = range(node.lineno, (node.end_lineno or node.lineno) + 1)
                    yield from ((number, lines[number - 1].strip().strip('"')) for number in span)
                    in_strings.update(span)
                case ast.Constant(value=str()) if (node.end_lineno or node.lineno) > node.lineno:
                    in_strings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    comment, is_code = COMMENTS.get(Path(path).suffix), False
    for number, line in enumerate(lines, 1):
        if path.endswith(".md"):
            is_code ^= line.lstrip().startswith("```")
            if not is_code:
                yield number, line
        elif comment is not None and number not in in_strings and (found := comment.search(line)):
            yield number, found["text"]


def read(path: str, text: str) -> tuple[list[Hit], int]:
    """Return the stilted phrases in a file, and the number of words that were read."""
    prose = list(prose_of(path, text))
    hits = [Hit(path, number, found[0].strip(" .;:,")) for number, line in prose for found in PHRASE.finditer(line)]
    return sorted(hits, key=lambda hit: hit.line), sum(len(line.split()) for _, line in prose)


def areas(folder: Path) -> dict[str, tuple[float, list[Hit]]]:
    """Return for each area the phrases per 1,000 words, and where they are."""
    listed = _git(folder, "ls-files", "--cached", "--others", "--exclude-standard")
    found: dict[str, tuple[list[Hit], int]] = {}
    for path in listed:
        if not path.endswith((".md", *COMMENTS)) or any(part in path for part in LEFT_OUT):
            continue
        if (folder / path).is_file():
            hits, words = read(path, (folder / path).read_text(encoding="utf-8"))
            area = path.partition("/")[0] if "/" in path else "."
            before = found.get(area, ([], 0))
            found[area] = ([*before[0], *hits], before[1] + words)
    return {area: (ceil(10_000 * len(hits) / max(words, 1)) / 10, hits) for area, (hits, words) in found.items()}


def worse(found: Mapping[str, tuple[float, list[Hit]]], ratchet: Mapping[str, float]) -> dict[str, list[Hit]]:
    """Return the areas that got worse, with their phrases."""
    return {area: hits for area, (rate, hits) in found.items() if rate > ratchet.get(area, 0.0)}


def changed_lines(folder: Path) -> Set[tuple[str, int]] | None:
    """Return the lines that differ from the last commit of the ratchet; None if that is unknown."""
    commits = _git(folder, "log", "-1", "--format=%H", "--", RATCHET)
    if not commits:
        return None
    changed, path = set(), ""
    for line in _git(folder, "diff", "-U0", commits[0]):
        if line.startswith("+++ b/"):
            path = line.removeprefix("+++ b/")
        elif found := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, number = int(found[1]), int(found[2] or 1)
            changed |= {(path, each) for each in range(first, first + number)}
    return changed


def _git(folder: Path, *arguments: str) -> list[str]:
    ran = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    return ran.stdout.splitlines()


def main(arguments: list[str]) -> int:
    """Run the command line and return its exit status."""
    folder = Path.cwd()
    if arguments and arguments != ["--write"]:
        hits = [hit for _, each in areas(folder).values() for hit in each if hit.path.startswith(arguments[0])]
        print("\n".join(map(str, hits)) or "no stilted phrases")
        return 0
    found = areas(folder)
    if arguments:
        rates = {area: rate for area, (rate, _) in sorted(found.items())}
        (folder / RATCHET).write_text(json.dumps(rates, indent=2) + "\n", encoding="utf-8")
        return 0
    ratchet = json.loads((folder / RATCHET).read_text(encoding="utf-8"))
    changed = changed_lines(folder)
    for area, hits in (faulty := worse(found, ratchet)).items():
        print(f"{area}: {found[area][0]} stilted phrases per 1,000 words, at most {ratchet.get(area, 0.0)} are allowed")
        print("\n".join(f"  {hit}" for hit in hits if changed is None or (hit.path, hit.line) in changed))
    return bool(faulty)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
