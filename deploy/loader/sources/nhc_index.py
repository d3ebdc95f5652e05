"""The active storms and their newest products: CurrentStorms.json of the National Hurricane Center.

Source: NHC, Tropical Cyclone Status JSON File Reference.
"""

from collections.abc import Iterator
from typing import NamedTuple

from pydantic import BaseModel, Field, ValidationError

from deploy.loader.documents.faults import reason
from deploy.loader.documents.reading import json_of
from deploy.loader.source import Document, DocumentError, Rejected
from deploy.loader.storms.atcf import is_number

ADDRESS = "https://www.nhc.noaa.gov/CurrentStorms.json"


class _Text(BaseModel):
    url: str | None = None


class _Drawing(BaseModel):
    zipFile: str | None = None  # noqa: N815 - as it is published


class _Storm(BaseModel):
    """Products are missing until they are made."""

    id: str = Field(pattern=r"(?i)^[a-z]{2}\d{6}$")
    forecastAdvisory: _Text | None = None  # noqa: N815 - as it is published
    forecastTrack: _Drawing | None = None  # noqa: N815 - as it is published


class Index(NamedTuple):
    """The content of a list of active storms.

    active: their ATCF numbers; None if one of them is invalid, because that storm may be any. storms: the valid ones.
    rejected: the invalid ones, with their reason.
    """

    active: frozenset[str] | None
    storms: list[_Storm]
    rejected: list[Rejected]


def is_index(document: Document) -> bool:
    """Return whether the document may be the list of active storms: a JSON object."""
    with document.path.open("rb") as file:
        return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")


def products(document: Document) -> Iterator[str]:
    """Yield the addresses of the forecast/advisory of each storm, as text and as shapefiles. Raises DocumentError."""
    if not is_index(document):
        return
    for storm in index_of(document).storms:
        if storm.forecastAdvisory and storm.forecastAdvisory.url:
            yield storm.forecastAdvisory.url
        if storm.forecastTrack and storm.forecastTrack.zipFile:
            yield storm.forecastTrack.zipFile


def index_of(document: Document) -> Index:
    """Read a list of active storms. Raise DocumentError if it is another document, or if all its storms are invalid."""
    content = json_of(document)
    storms = content.get("activeStorms") if isinstance(content, dict) else None
    if not isinstance(storms, list):
        raise DocumentError(f"{document.address} is no list of active storms: activeStorms is missing")
    found: list[_Storm] = []
    rejected: list[Rejected] = []
    numbers: list[str | None] = []
    for place, each in enumerate(storms, start=1):
        number = each.get("id") if isinstance(each, dict) else None
        numbers.append(number.upper() if isinstance(number, str) and is_number(number.upper()) else None)
        try:
            found.append(_Storm.model_validate(each))
        except ValidationError as error:
            rejected.append(Rejected(str(number or f"storm {place}"), reason(error)))
    if storms and not found:
        raise DocumentError(f"{document.address} is no list of active storms: {rejected[0].reason}")
    known = frozenset(number for number in numbers if number)
    return Index(known if None not in numbers else None, found, rejected)
