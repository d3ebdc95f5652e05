"""Streaming replicas of the private cluster, for `DAMS_REPLICAS`: copies that follow it, each on its own port.

A replica is created again at each start: after a long time, the primary may have deleted data that an old copy needs.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from deploy.local.postgresql import OWNER, find_programs, run_as, server_user
from deploy.local.settings import StackError, StackSettings


def replica_names(settings: StackSettings) -> list[str]:
    """Return the programs: `replica_0`, `replica_1`, …; none if the database is not the stack's own."""
    return [f"replica_{number}" for number in range(settings.replicas)]


def replica_folder(cluster: Path, name: str) -> Path:
    """Return the folder of the cluster's copy: beside the cluster."""
    return cluster.with_name(name)


def make_replica(cluster: Path, name: str, ports: Mapping[str, int], password: str) -> None:
    """Copy the running cluster over an earlier copy, with the settings to follow it; starts nothing.

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
