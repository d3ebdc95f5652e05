"""Settings: environment variables, read once at start and checked together into a frozen value.

A program declares its variables as the fields of a model. The variable of a field is `DAMS_` and its name in capitals,
unless its `validation_alias` says otherwise. Secrets are declared with `repr=False`, and appear in no message either.
"""

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from libs.web import setting_names
from libs.web.accept_language import mark
from libs.web.networks import Networks

CHECK_CONFIG = "--check-config"
"""The argument that makes a program check its settings and exit."""


SettingsError = setting_names.SettingsError


def _variable(field: str) -> str:
    return setting_names.PREFIX + field.upper()


class EnvironmentSettings(BaseModel):
    """The variables of a program; others in the environment are ignored."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        alias_generator=_variable,
        populate_by_name=True,
        validate_default=True,
        arbitrary_types_allowed=True,
    )

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Self:
        """Read the settings; an empty value counts as unset. Raises SettingsError with all faults."""
        given = setting_names.resolve(env)
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            # without the error itself, which repeats values
            raise SettingsError("; ".join(cls._sentence(fault) for fault in error.errors())) from None

    @classmethod
    def variables(cls) -> Mapping[str, Any]:
        """Return the names of all variables, with their defaults."""
        return {str(field.validation_alias): field.default for field in cls.model_fields.values()}

    @classmethod
    def _sentence(cls, fault: ErrorDetails) -> str:
        # a fault of several variables names them itself
        name = str(fault["loc"][0]) if fault["loc"] else ""
        if fault["type"] == "missing":
            return f"{name} is not set"
        said = str(fault["ctx"]["error"]) if fault["type"] == "value_error" else fault["msg"].removeprefix("Input ")
        shown = {str(field.validation_alias) for field in cls.model_fields.values() if field.repr}
        given = f"={fault['input']!r}" if name in shown else ""
        return f"{name}{given} {said}".strip()


def as_written(default: str) -> Any:
    """Return a default in the form of the variable's value; it is parsed and checked like one."""
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
    """Return the text if it is the address of a PostgreSQL database. Raises ValueError."""
    try:
        parts = urlsplit(text)
        # each of several hosts may have its own port
        hosts = parts.netloc.rpartition("@")[2].split(",")
        ports = [host.rpartition("]")[2].partition(":")[2] for host in hosts]
        found = parts.scheme in ("postgresql", "postgres") and text.partition(":")[2].startswith("//")
        # an unescaped character in the password has ended the host name
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
    """Return the names in a comma-separated list. Raises ValueError if it is empty."""
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
"""An absolute http or https address, without a trailing slash."""

PublicAddress = Annotated[str, AfterValidator(_public_address)]
"""The base address of the service as clients know it, without a slash at its end."""

PostgresqlAddress = Annotated[str, AfterValidator(postgresql_address), Field(repr=False)]
"""The address of a PostgreSQL database, which may contain a password."""

PostgresqlAddresses = Annotated[tuple[str, ...] | None, BeforeValidator(_postgresql_addresses), Field(repr=False)]
"""Addresses of several database servers."""

Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
"""A comma-separated list without blanks around names; a name with a comma is in double quotes, as in SQL."""

Paths = Annotated[tuple[Path, ...], BeforeValidator(_names)]
"""A list of paths in the same form."""

Port = Annotated[int, Field(ge=1, le=65535)]


DEFAULT_TITLE = "Disaster Analysis and Mapping Service"
_OF_HAZARDS = mark(
    "Earthquakes, floods and tropical storms as OGC API Features and OGC API Tiles. "
    "Public and read-only; no key is needed."
)
_OF_COLLECTIONS = mark("Collections as OGC API Features and OGC API Tiles. Public and read-only; no key is needed.")


class LogSettings(EnvironmentSettings):
    """Settings of a program's logs."""

    log_format: Literal["json", "text"] = "json"
    log_level: Literal["INFO", "DEBUG", "WARNING", "ERROR"] = "INFO"


class PageSettings(LogSettings):
    """Settings of the head of pages."""

    site_title: str = DEFAULT_TITLE


class WebSettings(PageSettings):
    """Settings of a service's HTTP server. See docs/operations.md for the variables."""

    host: str = "127.0.0.1"
    port: Port
    socket: Path | None = None
    public_url: PublicAddress | None = None
    own_description: str | None = Field(default=None, validation_alias="DAMS_SITE_DESCRIPTION")
    trusted_gateways: Annotated[Networks, BeforeValidator(_networks)] = as_written("127.0.0.1,::1,unix")
    """Addresses whose forwarded headers are trusted."""
    request_timeout_seconds: float = Field(default=8.7, gt=0, le=600)
    """Seconds from the arrival of a request to the start of its response, including all waiting."""
    cdn_max_age_seconds: int = Field(default=0, ge=0, le=31_536_000)
    """Time for which a CDN may cache data if the service purges changes; 0: as long as other caches."""
    traces_endpoint: HttpAddress | None = Field(default=None, validation_alias="OTEL_EXPORTER_OTLP_ENDPOINT")
    """Address of the collector of traces; None: traces are disabled."""
    traces_headers: str | None = Field(default=None, validation_alias="OTEL_EXPORTER_OTLP_HEADERS", repr=False)
    traces_share: float = Field(default=1.0, ge=0, le=1, validation_alias="OTEL_TRACES_SAMPLER_ARG")
    """Fraction of traces to send."""
    invalid_parameter_status: Annotated[Literal[422, 400], BeforeValidator(_number)] = 422

    @property
    def site_description(self) -> str:
        """The description of the service; under another title it does not name hazards."""
        return self.describe_site(has_hazards=True)

    def describe_site(self, *, has_hazards: bool) -> str:
        """Return the description; without collections of hazards it does not name them."""
        default = _OF_HAZARDS if has_hazards and self.site_title == DEFAULT_TITLE else _OF_COLLECTIONS
        return self.own_description or default


class DatabaseSettings(WebSettings):
    """Settings of a service that reads collections from the database."""

    database_url: PostgresqlAddress
    database_read_urls: PostgresqlAddresses = None
    """Addresses of streaming replicas."""
    pool_size: int = Field(default=10, ge=1, le=200)
    collection_share_percent: int = Field(default=50, ge=1, le=100)
    """Maximum part of the connections that requests for one collection may use, in per cent."""

    @property
    def collection_connections(self) -> int:
        """The same as a number of connections, at least one."""
        return max(1, self.pool_size * self.collection_share_percent // 100)
