"""Settings: environment variables, read once at start and checked together into a frozen value.

A program declares its variables as the fields of a model. The variable of a field is its name in upper case, unless its
`validation_alias` says otherwise. What is secret is declared with `repr=False`, and is in no message either.
"""

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from libs.web.networks import Networks

CHECK_CONFIG = "--check-config"
"""The argument with which a program says whether its settings fit, and ends."""


class SettingsError(ValueError):
    """Settings are missing or malformed; the message names each."""


class EnvironmentSettings(BaseModel):
    """The variables of a program; of the environment's others it knows nothing."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=str.upper,
        populate_by_name=True,
        validate_default=True,
        arbitrary_types_allowed=True,
    )

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Self:
        """Read the settings; an empty value counts as none. Raises SettingsError with all faults."""
        try:
            return cls.model_validate({name: text for name, text in env.items() if text.strip()})
        except ValidationError as error:
            # without the error itself, which repeats values
            raise SettingsError("; ".join(cls._sentence(fault) for fault in error.errors())) from None

    @classmethod
    def variables(cls) -> Mapping[str, Any]:
        """The names of all variables, with their defaults."""
        return {str(field.validation_alias): field.default for field in cls.model_fields.values()}

    @classmethod
    def _sentence(cls, fault: ErrorDetails) -> str:
        # a fault of several variables together says itself which they are
        name = str(fault["loc"][0]) if fault["loc"] else ""
        if fault["type"] == "missing":
            return f"{name} is not set"
        said = str(fault["ctx"]["error"]) if fault["type"] == "value_error" else fault["msg"].removeprefix("Input ")
        shown = {str(field.validation_alias) for field in cls.model_fields.values() if field.repr}
        given = f"={fault['input']!r}" if name in shown else ""
        return f"{name}{given} {said}".strip()


def as_written(default: str) -> Any:
    """A default as the variable's value would be written; it is read and checked like one."""
    return default


def _http_address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("is not an http or https address")
    return text.rstrip("/")


_PUBLIC = re.compile(r"https?://(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~%-]+)*/?")


def _public_address(text: str) -> str:
    """A base address that stands in links, headers and nginx's configuration: no credentials, no query, no quotes."""
    if not _PUBLIC.fullmatch(text):
        raise ValueError("is not an http or https address of a host and a path, such as https://maps.example.org/api")
    return _http_address(text)


def postgresql_address(text: str) -> str:
    """The text, which must be the address of a PostgreSQL database. Raises ValueError."""
    try:
        parts = urlsplit(text)
        # of several hosts each may have a port
        hosts = parts.netloc.rpartition("@")[2].split(",")
        ports = [host.rpartition("]")[2].partition(":")[2] for host in hosts]
        found = parts.scheme in ("postgresql", "postgres") and text.partition(":")[2].startswith("//")
        # what ends the name of a host has ended a password
        cut = found and "@" in parts.path + parts.query + parts.fragment
    except ValueError:
        found, cut, ports = False, False, []
    if not found or not all(port.isdecimal() or not port for port in ports):
        hint = "; a password has %2F for /, %3F for ? and %23 for #" if cut else ""
        raise ValueError(f"is not an address like postgresql://user@host:5432/database{hint}")
    return text


def _postgresql_addresses(text: object) -> object:
    return tuple(postgresql_address(part.strip()) for part in text.split(",")) if isinstance(text, str) else text


def names_of(text: str) -> tuple[str, ...]:
    """The names in a comma-separated list. Raises ValueError where there are none."""
    names = tuple(name for part in next(csv.reader([text], skipinitialspace=True)) if (name := part.strip()))
    if not names:
        raise ValueError("names nothing")
    return names


def _names(text: object) -> object:
    return names_of(text) if isinstance(text, str) else text


def _number(text: object) -> object:
    return int(text) if isinstance(text, str) and text.isdecimal() else text


def _networks(text: object) -> object:
    try:
        return Networks.parse(text) if isinstance(text, str) else text
    except ValueError as error:
        raise ValueError(f"is not a list of addresses and networks: {error}") from None


HttpAddress = Annotated[str, AfterValidator(_http_address)]
"""An absolute http or https address, without a slash at its end."""

PublicAddress = Annotated[str, AfterValidator(_public_address)]
"""The base address of the service as clients know it, without a slash at its end."""

PostgresqlAddress = Annotated[str, AfterValidator(postgresql_address), Field(repr=False)]
"""The address of a PostgreSQL database, which may hold a password."""

PostgresqlAddresses = Annotated[tuple[str, ...] | None, BeforeValidator(_postgresql_addresses), Field(repr=False)]
"""Several of them, of one server each."""

Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
"""A comma-separated list, blanks around names removed; a name with a comma stands in double quotes, as in SQL."""

Paths = Annotated[tuple[Path, ...], BeforeValidator(_names)]
"""The same with paths."""

Port = Annotated[int, Field(ge=1, le=65535)]


class LogSettings(EnvironmentSettings):
    """How a program writes its logs."""

    log_format: Literal["json", "text"] = "json"
    log_level: Literal["INFO", "DEBUG", "WARNING", "ERROR"] = "INFO"


class PageSettings(LogSettings):
    """What pages for people say at their head."""

    site_title: str = "Disaster Analysis and Mapping Service"


class WebSettings(PageSettings):
    """How a service listens and speaks. See docs/operations.md for the variables' meaning."""

    host: str = "127.0.0.1"
    port: Port
    socket: Path | None = None
    public_url: PublicAddress | None = None
    site_description: str = (
        "Earthquakes, floods and tropical storms as OGC API Features and OGC API Tiles. "
        "Public and read-only; no key is needed."
    )
    trusted_proxies: Annotated[Networks, BeforeValidator(_networks)] = as_written("127.0.0.1,::1,unix")
    request_timeout_seconds: float = Field(default=8.7, gt=0, le=600)
    """From the arrival of a request to the beginning of its answer, whatever it waits for meanwhile."""
    cdn_max_age: int = Field(default=0, ge=0, le=31_536_000)
    """Seconds for which a CDN may keep what follows from data, as it is told of their changes; 0: as long as others."""
    traces_endpoint: HttpAddress | None = Field(default=None, validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT")
    """Of the collector to which traces are sent; None: there are none."""
    traces_headers: str | None = Field(default=None, validation_alias="OTEL_EXPORTER_OTLP_HEADERS", repr=False)
    traces_share: float = Field(default=1.0, ge=0, le=1, validation_alias="OTEL_TRACES_SAMPLER_ARG")
    """The part of all traces that is sent."""
    invalid_parameter_status: Annotated[Literal[422, 400], BeforeValidator(_number)] = 422


class DatabaseSettings(WebSettings):
    """How a service asks the database for collections."""

    database_url: PostgresqlAddress
    database_read_urls: PostgresqlAddresses = None
    """Of streaming replicas."""
    pool_size: int = Field(default=10, ge=1, le=200)
    collection_share: int = Field(default=50, ge=1, le=100)
    """Of the connections that requests for one collection may have at once, in per cent."""

    @property
    def collection_connections(self) -> int:
        """How many these are: one at the least."""
        return max(1, self.pool_size * self.collection_share // 100)
