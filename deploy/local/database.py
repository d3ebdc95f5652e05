"""Creates the stack's database and fills it, by the tools in `deploy/database`."""

from __future__ import annotations

import asyncio
import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from deploy.local.postgresql import DATABASE, READER, make_database, owner_url
from deploy.local.settings import REPOSITORY, StackError
from deploy.local.state import StackState, StateFolder

TOOLS = REPOSITORY / "deploy" / "database"


def fill_database(folder: StateFolder, state: StackState) -> None:
    """Schema, roles and demo data, unless exactly these were loaded completely before.

    Raises StackError when a tool fails; it has said why.
    """
    password, port = folder.secret("owner-password"), state.ports["postgresql"]
    asyncio.run(make_database(owner_url(port, password, "postgres"), DATABASE))
    version = content_version(TOOLS)
    if state.loaded == version:
        return
    environment = {"DATABASE_OWNER_URL": owner_url(port, password)}
    reader = ["--reader-user", READER, "--reader-password-file", str(folder.secret_file("reader-password"))]
    _run_tool(["apply", *reader], environment)
    _run_tool(["demo"], environment)
    state.loaded = version
    folder.save(state)


def content_version(root: Path) -> str:
    """A digest of all source files below a folder, by name and content."""
    digest = hashlib.sha256()
    for file, content in sorted(source_files(root).items()):
        digest.update(str(file.relative_to(root)).encode() + b"\0" + content + b"\0")
    return digest.hexdigest()


def source_files(root: Path) -> Mapping[Path, bytes]:
    """Source files below a folder with their contents; not what is installed or built there."""
    built = {"node_modules", "__pycache__", "dist"}
    return {
        file: file.read_bytes()
        for file in root.rglob("*")
        if file.is_file() and not built.intersection(file.relative_to(root).parts)
    }


def _run_tool(arguments: list[str], environment: Mapping[str, str]) -> None:
    command = [sys.executable, "-m", "deploy.database", *arguments]
    result = subprocess.run(command, check=False, cwd=REPOSITORY, env=os.environ | dict(environment))
    if result.returncode != 0:
        raise StackError(f"`python -m deploy.database {arguments[0]}` failed")
