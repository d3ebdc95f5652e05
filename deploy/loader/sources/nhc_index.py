"""Which storms are active, and where their newest products are: CurrentStorms.json of the National Hurricane Center.

Source: NHC, Tropical Cyclone Status JSON File Reference.
"""

from collections.abc import Iterator

from pydantic import BaseModel, Field, ValidationError

from deploy.loader.documents.reading import json_of, reason
from deploy.loader.source import Document, DocumentError

ADDRESS = "https://www.nhc.noaa.gov/CurrentStorms.json"


class _Text(BaseModel):
    url: str


class _Drawing(BaseModel):
    zipFile: str  # noqa: N815 - as it is published


class _Storm(BaseModel):
    """Products are missing until they are made."""

    id: str = Field(pattern=r"(?i)^[a-z]{2}\d{6}$")
    forecastAdvisory: _Text | None = None  # noqa: N815 - as it is published
    forecastTrack: _Drawing | None = None  # noqa: N815 - as it is published


class _Index(BaseModel):
    activeStorms: list[_Storm]  # noqa: N815 - as it is published


def is_index(document: Document) -> bool:
    """Whether it may be the list of active storms: an object of JSON."""
    with document.path.open("rb") as file:
        return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def active_storms(document: Document) -> frozenset[str]:
    """The ATCF numbers of the storms that it names. Raises DocumentError."""
    return frozenset(storm.id.upper() for storm in _index(document).activeStorms)


def products(document: Document) -> Iterator[str]:
    """The addresses of the forecast/advisory of each storm, as text and as shapefiles. Raises DocumentError."""
    if not is_index(document):
        return
    for storm in _index(document).activeStorms:
        if storm.forecastAdvisory:
            yield storm.forecastAdvisory.url
        if storm.forecastTrack:
            yield storm.forecastTrack.zipFile


def _index(document: Document) -> _Index:
    try:
        return _Index.model_validate(json_of(document))
    except ValidationError as error:
        raise DocumentError(f"{document.address} is no list of active storms: {reason(error)}") from None
