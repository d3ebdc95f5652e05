"""Settings of the local stack, read once from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from libs.cache.links import redis_address
from libs.web.settings import EnvironmentSettings, Port, SettingsError, as_written, postgresql_address

REPOSITORY = Path(__file__).resolve().parents[2]


PROCESSES = min(4, os.cpu_count() or 1)
"""Default number of processes of features and of tiles, each of which uses at most one processor."""

Processes = Annotated[int, Field(ge=1, le=64)]


class StackError(Exception):
    """The stack cannot start or stop; the message is for the person at the terminal."""


def _in_checkout(folder: Path) -> Path:
    return (REPOSITORY / folder.expanduser()).resolve()


class StackSettings(EnvironmentSettings):
    """The settings of a stack; `make` passes the same names."""

    state_dir: Annotated[Path, AfterValidator(_in_checkout)] = as_written(".local")
    gateway_host: Literal["127.0.0.1", "0.0.0.0"] = "127.0.0.1"  # noqa: S104 an explicit choice
    gateway_port: Port = 8080
    features_processes: Processes = Field(default=PROCESSES, validation_alias="DAMS_FEATURES_PROCESSES")
    tiles_processes: Processes = Field(default=PROCESSES, validation_alias="DAMS_TILES_PROCESSES")
    collection_schemas: str = "hazard"
    demo_data: bool = True
    impacts: bool = True
    live: bool = False
    notifier_config: Annotated[Path, AfterValidator(_in_checkout)] | None = None
    replicas: Annotated[int, Field(ge=0, le=8)] = 0
    database_url: Annotated[str, AfterValidator(postgresql_address)] | None = Field(default=None, repr=False)
    redis_url: Annotated[str, AfterValidator(redis_address)] | None = Field(default=None, repr=False)

    @model_validator(mode="after")
    def _own_database(self) -> Self:
        if self.replicas and self.database_url:
            raise ValueError("DAMS_REPLICAS are of the stack's own database; name others in DAMS_DATABASE_READ_URLS")
        if self.live and self.database_url:
            raise ValueError("DAMS_LIVE fills the stack's own database; run the loader for that of DAMS_DATABASE_URL")
        return self


def read_settings(environment: Mapping[str, str]) -> StackSettings:
    """Return settings from environment variables; empty values count as unset.

    Raises StackError with every invalid variable.
    """
    try:
        return StackSettings.from_env(environment)
    except SettingsError as error:
        raise StackError(str(error)) from None
