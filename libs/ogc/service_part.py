"""What one service adds to the whole (its part), and what the parts of all services add up to (the whole).

The one place that knows the shape of both: services and gateway exchange them as JSON.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from libs.ogc.link import Link

_MEMBERS = {"name": str, "openapi": dict, "conformsTo": list, "landingLinks": list, "collectionLinks": list}


@dataclass(frozen=True, slots=True)
class CollectionLink:
    """A link of every collection, or of every one with a geometry column."""

    link: Link
    needs_geometry: bool = False

    def to_json(self) -> dict[str, Any]:
        """The link's members and `needsGeometry`."""
        return {**self.link.members(), "needsGeometry": self.needs_geometry}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`. Raises TypeError where it is not one."""
        members = {name: entry for name, entry in value.items() if name != "needsGeometry"}
        return cls(Link(**members), bool(value.get("needsGeometry", False)))


@dataclass(frozen=True, slots=True)
class ServicePart:
    """One service's part. Link addresses start with `/` and are relative to the base address.

    `collection_links` belong to every collection; `{collectionId}` in them is filled in by `common`. Links with
    `needs_geometry` are left out for collections without a geometry column. `assets` are the beginnings of paths,
    such as `/assets/`, below which the service answers with files that the OpenAPI document does not name.
    """

    name: str
    openapi: Mapping[str, Any]
    conforms_to: tuple[str, ...]
    landing_links: tuple[Link, ...] = ()
    collection_links: tuple[CollectionLink, ...] = ()
    assets: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As served at `/internal/part`."""
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
        """The inverse of `to_json`; a part of a release that did not know `assets` has none.

        Raises ValueError for what is not a part at all. What its document says is the merge's business.
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
    """What the parts add up to, beside their OpenAPI documents."""

    conforms_to: tuple[str, ...]
    landing_links: tuple[Link, ...]
    collection_links: tuple[CollectionLink, ...]

    @classmethod
    def of(cls, parts: Iterable[ServicePart]) -> Self:
        """In the order of the parts; a conformance class that several declare is there once."""
        parts = list(parts)
        return cls(
            tuple(dict.fromkeys(uri for part in parts for uri in part.conforms_to)),
            tuple(link for part in parts for link in part.landing_links),
            tuple(entry for part in parts for entry in part.collection_links),
        )

    def to_json(self) -> dict[str, Any]:
        """As the gateway serves it at `/internal/parts`."""
        return {
            "conformsTo": list(self.conforms_to),
            "landingLinks": [link.members() for link in self.landing_links],
            "collectionLinks": [entry.to_json() for entry in self.collection_links],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`. Raises KeyError or TypeError where it is not one."""
        return cls(
            tuple(value["conformsTo"]),
            tuple(Link(**entry) for entry in value["landingLinks"]),
            tuple(CollectionLink.from_json(entry) for entry in value["collectionLinks"]),
        )
