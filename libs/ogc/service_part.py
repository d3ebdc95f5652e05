"""The part of the API that one service adds, and the whole: the sum of the parts of all services.

Only this module knows the form of both: services and gateway exchange them as JSON.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from libs.ogc.link import Link

_MEMBERS = {"name": str, "openapi": dict, "conformsTo": list, "landingLinks": list, "collectionLinks": list}


@dataclass(frozen=True, slots=True)
class CollectionLink:
    """A link of every collection, or of every collection with a geometry column."""

    link: Link
    needs_geometry: bool = False

    def to_json(self) -> dict[str, Any]:
        """The link's members and `needsGeometry`."""
        return {**self.link.members(), "needsGeometry": self.needs_geometry}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Invert `to_json`. Raises TypeError for other values."""
        members = {name: entry for name, entry in value.items() if name != "needsGeometry"}
        return cls(Link(**members), bool(value.get("needsGeometry", False)))


@dataclass(frozen=True, slots=True)
class ServicePart:
    """One service's part. Link addresses start with `/` and are relative to the base address.

    `collection_links` belong to every collection; `common` fills in their `{collectionId}`. Links with `needs_geometry`
    are left out for collections without a geometry column. `assets` are path prefixes, such as `/assets/`, of files
    that the service has besides the OpenAPI document.
    """

    name: str
    openapi: Mapping[str, Any]
    conforms_to: tuple[str, ...]
    landing_links: tuple[Link, ...] = ()
    collection_links: tuple[CollectionLink, ...] = ()
    assets: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the part as served at `/internal/part`."""
        return {
            "name": self.name,
            "openapi": self.openapi,
            "assets": list(self.assets),
            "conformsTo": list(self.conforms_to),
            "landingLinks": [link.members() for link in self.landing_links],
            "collectionLinks": [entry.to_json() for entry in self.collection_links],
        }

    @classmethod
    def from_json(cls, value: object) -> Self:
        """Invert `to_json`; a part of an older release without `assets` has none.

        Raises ValueError for values that are not a part. The merge checks the content of its document.
        """
        if not isinstance(value, dict):
            raise ValueError("the part is not an object")  # noqa: TRY004 - the value is wrong, not the program
        for name, kind in {**_MEMBERS, **({"assets": list} if "assets" in value else {})}.items():
            if not isinstance(value.get(name), kind):
                raise ValueError(f"the part's {name} is missing or not a {kind.__name__}")  # noqa: TRY004
        if not isinstance(value["openapi"].get("paths"), dict):
            raise ValueError("the part's document has no paths")  # noqa: TRY004
        if not all(isinstance(prefix, str) for prefix in value.get("assets", ())):
            raise ValueError("the part's assets are not all texts")
        try:
            return cls(
                name=value["name"],
                openapi=value["openapi"],
                conforms_to=tuple(value["conformsTo"]),
                landing_links=tuple(Link(**entry) for entry in value["landingLinks"]),
                collection_links=tuple(CollectionLink.from_json(entry) for entry in value["collectionLinks"]),
                assets=tuple(value.get("assets", ())),
            )
        except (TypeError, AttributeError) as error:
            raise ValueError(f"the part has a link that is none: {error}") from None


@dataclass(frozen=True, slots=True)
class Whole:
    """The sum of the parts, without their OpenAPI documents."""

    conforms_to: tuple[str, ...]
    landing_links: tuple[Link, ...]
    collection_links: tuple[CollectionLink, ...]

    @classmethod
    def of(cls, parts: Iterable[ServicePart]) -> Self:
        """Combine the parts in order; a conformance class declared by several parts is listed once."""
        parts = list(parts)
        return cls(
            tuple(dict.fromkeys(uri for part in parts for uri in part.conforms_to)),
            tuple(link for part in parts for link in part.landing_links),
            tuple(entry for part in parts for entry in part.collection_links),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the whole as the gateway serves it at `/internal/parts`."""
        return {
            "conformsTo": list(self.conforms_to),
            "landingLinks": [link.members() for link in self.landing_links],
            "collectionLinks": [entry.to_json() for entry in self.collection_links],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Invert `to_json`. Raises KeyError or TypeError for other values."""
        return cls(
            tuple(value["conformsTo"]),
            tuple(Link(**entry) for entry in value["landingLinks"]),
            tuple(CollectionLink.from_json(entry) for entry in value["collectionLinks"]),
        )
