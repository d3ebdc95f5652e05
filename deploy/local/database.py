"""Create the stack's database and fill it, with the tools in `deploy/database`."""

from __future__ import annotations

import asyncio
import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

from deploy.local.heartbeat import beating
from deploy.local.postgresql import DATABASE, LOADER, READER, make_database, owner_url, write_checkpoint
from deploy.local.settings import REPOSITORY, StackError
from deploy.local.state import StackState, StateFolder

TOOLS = REPOSITORY / "deploy" / "database"
ROW_MAKERS = REPOSITORY / "deploy" / "loader"
"""Code that makes rows of the demo data: places, shapes."""

WITHOUT_DEMO = "without"
"""Stored instead of the day if no demo data were wanted."""


def fill_database(folder: StateFolder, state: StackState, *, demo_data: bool = True) -> None:
    """Load schema, roles and, if wanted, today's demo data, unless exactly these were loaded completely before.

    Raises StackError when a tool fails; the tool has printed why.
    """
    password, port = folder.secret("owner-password"), state.ports["postgresql"]
    asyncio.run(make_database(owner_url(port, password, "postgres"), DATABASE))
    content, day = f"{content_version(TOOLS)} {content_version(ROW_MAKERS)}", demo_day() if demo_data else WITHOUT_DEMO
    loaded_content, _, loaded_day = (state.loaded or "").rpartition(" ")
    if (loaded_content, loaded_day) == (content, day):
        return
    environment = {"DAMS_DATABASE_OWNER_URL": owner_url(port, password), "DAMS_DEMO_TODAY": day}
    if loaded_content == content and WITHOUT_DEMO not in (day, loaded_day):
        # even if live data were loaded since: only the day has changed
        _run_tool(["demo", "--move"], environment)
        state.loaded = f"{content} {day}"
        folder.save(state)
        return
    reader = ["--reader-user", READER, "--reader-password-file", str(folder.secret_file("reader-password"))]
    loader = ["--loader-user", LOADER, "--loader-password-file", str(folder.secret_file("loader-password"))]
    _run_tool(["apply", "--own-server", *reader, *loader], environment)
    if demo_data:
        # rows that the user has added must not keep a newer release from starting
        _run_tool(["demo", "--keep"], environment)
        asyncio.run(write_checkpoint(owner_url(port, password)))
    elif loaded_day not in ("", WITHOUT_DEMO):
        print("The demo data that are there stay; another DAMS_STATE_DIR begins without", flush=True)
    state.loaded = f"{content} {day}"
    folder.save(state)


def demo_day() -> str:
    """Return the last day of simulated floods, which `make up` sets to today: YYYY-MM-DD, UTC."""
    return os.environ.get("DAMS_DEMO_TODAY") or f"{datetime.now(UTC):%Y-%m-%d}"


def content_version(root: Path) -> str:
    """Return a digest of all source files below a folder, by name and content."""
    digest = hashlib.sha256()
    for file, content in sorted(source_files(root).items()):
        digest.update(str(file.relative_to(root)).encode() + b"\0" + content + b"\0")
    return digest.hexdigest()


def source_files(root: Path) -> Mapping[Path, bytes]:
    """Return source files below a folder with their contents, without installed or built files."""
    # dist.new is being built
    built = {"node_modules", "__pycache__", "dist", "dist.new"}
    return {
        file: file.read_bytes()
        for file in root.rglob("*")
        if file.is_file() and not built.intersection(file.relative_to(root).parts)
    }


def _run_tool(arguments: list[str], environment: Mapping[str, str]) -> None:
    command = [sys.executable, "-m", "deploy.database", *arguments]
    # on a terminal the tool shows a bar
    with nullcontext() if sys.stderr.isatty() else beating():
        result = subprocess.run(command, check=False, cwd=REPOSITORY, env=os.environ | dict(environment))
    if result.returncode != 0:
        raise StackError(f"`python -m deploy.database {arguments[0]}` failed")
