"""What one service adds to the whole: its paths, conformance classes and links."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from libs.ogc.link import Link


@dataclass(frozen=True, slots=True)
class ServicePart:
    """One service's part. Link addresses start with `/` and are relative to the base address.

    `collection_links` belong to every collection; `{collectionId}` in them is filled in by `common`. Links with
    `needs_geometry` are left out for collections without a geometry column.
    """

    name: str
    openapi: Mapping[str, Any]
    conforms_to: tuple[str, ...]
    landing_links: tuple[Link, ...] = ()
    collection_links: tuple["CollectionLink", ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As served at `/internal/part`."""
        return {
            "name": self.name,
            "openapi": self.openapi,
            "conformsTo": list(self.conforms_to),
            "landingLinks": [link.to_json() for link in self.landing_links],
            "collectionLinks": [entry.to_json() for entry in self.collection_links],
        }


@dataclass(frozen=True, slots=True)
class CollectionLink:
    """A link of every collection, or of every one with a geometry column."""

    link: Link
    needs_geometry: bool = False

    def to_json(self) -> dict[str, Any]:
        """The link's members and `needsGeometry`."""
        return {**self.link.to_json(), "needsGeometry": self.needs_geometry}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`. Raises KeyError or TypeError where it is not one."""
        members = {name: entry for name, entry in value.items() if name != "needsGeometry"}
        return cls(Link(**members), bool(value.get("needsGeometry", False)))
