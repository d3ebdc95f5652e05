"""Read a server's statements and their values from PostgreSQL's own log."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg

_ENTRY = re.compile(r"^[\d-]+ [\d:.]+ \w+ \[(?P<pid>\d+)\] (?P<user>[^@ ]*)@\S* (?P<level>LOG|DETAIL):  (?P<text>.*)$")
_EXECUTED = re.compile(r"^execute [^:]*: (.*)$", re.DOTALL)
_VALUE = re.compile(r"\$\d+ = (?:NULL|'((?:[^']|'')*)')")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with `$1`, `$2`… and the text of its values."""

    text: str
    values: tuple[str | None, ...] = ()


class Recording:
    """The log of PostgreSQL since recording started."""

    def __init__(self, log: Path, user: str) -> None:
        self._log = log
        self._user = user
        self._read_up_to = log.stat().st_size

    async def new(self, table: str) -> list[Statement]:
        """Return the statements about a table (`schema.name`) since the last call."""
        await asyncio.sleep(0.5)  # the log passes through a pipe
        if self._log.stat().st_size < self._read_up_to:
            self._read_up_to = 0
        with self._log.open("rb") as file:
            file.seek(self._read_up_to)
            content = file.read()
        self._read_up_to += len(content)
        schema, _, name = table.partition(".")
        about = re.compile(rf'"?{schema}"?\."?{name}"?\s')
        return [found for found in parse(content.decode(errors="replace"), self._user) if about.search(found.text)]


@asynccontextmanager
async def record_statements(owner_url: str, log: Path, user: str) -> AsyncIterator[Recording]:
    """Make PostgreSQL log every statement of every session for a while."""
    connection = await asyncpg.connect(owner_url)
    try:
        await connection.execute("ALTER SYSTEM SET log_statement = 'all'")
        await connection.execute("SELECT pg_reload_conf()")
        await asyncio.sleep(0.5)
        try:
            yield Recording(log, user)
        finally:
            await connection.execute("ALTER SYSTEM RESET log_statement")
            await connection.execute("SELECT pg_reload_conf()")
            await asyncio.sleep(0.5)
    finally:
        await connection.close()


def parse(log: str, user: str) -> list[Statement]:
    """Return the prepared statements that a user executed, in order."""
    found: list[Statement] = []
    latest: dict[str, int] = {}
    for pid, of_user, level, text in _entries(log):
        if of_user != user:
            continue
        # PostgreSQL 16 and newer begin the word with a capital letter
        if level == "DETAIL" and text.lower().startswith("parameters: ") and pid in latest:
            values = tuple(None if match[1] is None else match[1].replace("''", "'") for match in _VALUE.finditer(text))
            found[latest[pid]] = Statement(found[latest[pid]].text, values)
        elif executed := _EXECUTED.match(text):
            latest[pid] = len(found)
            found.append(Statement(executed[1]))
    return found


def _entries(log: str) -> list[tuple[str, str, str, str]]:
    """Return process, user, level and text; lines that begin with a tab continue the previous one."""
    entries: list[tuple[str, str, str, str]] = []
    for line in log.splitlines():
        if line.startswith("\t") and entries:
            pid, user, level, text = entries[-1]
            entries[-1] = (pid, user, level, f"{text}\n{line[1:]}")
        elif match := _ENTRY.match(line):
            entries.append((match["pid"], match["user"], match["level"], match["text"]))
    return entries
