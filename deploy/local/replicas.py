"""Streaming replicas of the private cluster, for `REPLICAS`: copies that follow it, each on a port of its own.

A replica is made anew at each start: one that was away for long may lack what the primary has thrown away by now.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from deploy.local.postgresql import OWNER, find_programs, run_as, server_user
from deploy.local.settings import StackError, StackSettings


def replica_names(settings: StackSettings) -> list[str]:
    """The programs: `replica_0`, `replica_1`, …; none where the database is not the stack's own."""
    return [f"replica_{number}" for number in range(settings.replicas)]


def replica_folder(cluster: Path, name: str) -> Path:
    """Where the copy of the cluster is: beside it."""
    return cluster.with_name(name)


def make_replica(cluster: Path, name: str, ports: Mapping[str, int], password: str) -> None:
    """Copies the running cluster, in the place of an earlier copy, with what it takes to follow; starts nothing.

    `password` is that of the owner. Raises StackError with the output of `pg_basebackup`.
    """
    folder = replica_folder(cluster, name)
    shutil.rmtree(folder, ignore_errors=True)
    command = [str(find_programs() / "pg_basebackup"), "--pgdata", str(folder), "--write-recovery-conf"]
    command += ["--checkpoint", "fast", "--no-password", "--username", OWNER]
    command += ["--host", "127.0.0.1", "--port", str(ports["postgresql"])]
    made = run_as(server_user(), command, check=False, environment={"PGPASSWORD": password})
    if made.returncode != 0:
        raise StackError(f"pg_basebackup failed:\n{made.stdout}{made.stderr}")
