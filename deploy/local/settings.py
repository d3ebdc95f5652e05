"""Settings of the local stack, read once from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


PROCESSES = min(4, os.cpu_count() or 1)
"""Of features and of tiles, each of which keeps one processor busy at the most."""


class StackError(Exception):
    """The stack cannot be brought up or down; the message is for the person at the terminal."""


@dataclass(frozen=True)
class StackSettings:
    """What the person who starts a stack may choose; `make` passes the same names."""

    state_dir: Path
    gateway_port: int = 8080
    features_processes: int = PROCESSES
    tiles_processes: int = PROCESSES
    collection_schemas: str = "hazard"
    database_url: str | None = None
    redis_url: str | None = None


def read_settings(environment: Mapping[str, str]) -> StackSettings:
    """Settings from environment variables; empty values count as not given.

    Raises StackError naming the variable that does not fit.
    """

    def text(name: str, default: str) -> str:
        return environment.get(name, "").strip() or default

    def whole_number(name: str, default: int, lowest: int, highest: int) -> int:
        given = text(name, str(default))
        if not given.isdecimal() or not lowest <= int(given) <= highest:
            raise StackError(f"{name} must be a whole number from {lowest} to {highest}, not {given!r}")
        return int(given)

    return StackSettings(
        state_dir=(REPOSITORY / Path(text("STATE_DIR", ".local")).expanduser()).resolve(),
        gateway_port=whole_number("GATEWAY_PORT", 8080, 1, 65535),
        features_processes=whole_number("FEATURES", PROCESSES, 1, 64),
        tiles_processes=whole_number("TILES", PROCESSES, 1, 64),
        collection_schemas=text("COLLECTION_SCHEMAS", "hazard"),
        database_url=text("DATABASE_URL", "") or None,
        redis_url=text("REDIS_URL", "") or None,
    )
