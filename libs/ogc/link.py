"""Links (RFC 8288) of all resources of the service."""

import re
from dataclasses import dataclass
from urllib.parse import quote

REL_CONFORMANCE = "http://www.opengis.net/def/rel/ogc/1.0/conformance"
REL_DATA = "http://www.opengis.net/def/rel/ogc/1.0/data"
REL_FUNCTIONS = "http://www.opengis.net/def/rel/ogc/1.0/functions"
REL_QUERYABLES = "http://www.opengis.net/def/rel/ogc/1.0/queryables"
REL_SCHEMA = "http://www.opengis.net/def/rel/ogc/1.0/schema"
REL_SORTABLES = "http://www.opengis.net/def/rel/ogc/1.0/sortables"
REL_TILESETS_VECTOR = "http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector"
REL_TILING_SCHEMES = "http://www.opengis.net/def/rel/ogc/1.0/tiling-schemes"
REL_TILING_SCHEME = "http://www.opengis.net/def/rel/ogc/1.0/tiling-scheme"

_WEB = re.compile(r"https?://[^\s/?#@\\]+(?:[/?#]\S*)?", re.IGNORECASE)


def is_web_address(text: str) -> bool:
    """Return whether pages may link the text: an http or https address without credentials (`user:password@`).

    A link would publish the password, and a browser that follows it would send it.
    """
    return _WEB.fullmatch(text) is not None


LINK_TYPES = frozenset(
    {
        "application/xml",
        "application/json",
        "application/ndjson",
        "application/geo+json",
        "application/geo+json-seq",
        "application/schema+json",
        "text/html",
        "text/plain",
        "text/csv",
        "application/vnd.oai.openapi+json;version=3.0",
        "application/vnd.oai.openapi;version=3.0",
        "application/x-protobuf",
        "application/vnd.mapbox-vector-tile",
    }
)
"""Media types that `type` may have in a link of a JSON body. Clients written from the contract reject any other."""


@dataclass(frozen=True, slots=True)
class Link:
    """One link; `href` is absolute, or starts with `/` and is relative to the base address."""

    href: str
    rel: str
    type: str | None = None
    title: str | None = None
    templated: bool | None = None

    def to_json(self) -> dict[str, object]:
        """Return the members of a JSON body.

        A type that is not among LINK_TYPES is left out. An `alternate` link without it becomes `related`: links to
        alternate encodings have a type (Features Part 1, requirement /req/core/fc-links).
        """
        members = self.members()
        if self.type not in LINK_TYPES:
            members.pop("type", None)
            if self.rel == "alternate":
                members["rel"] = "related"
        return members

    def members(self) -> dict[str, object]:
        """Return all members that are set, in the contract's spelling."""
        members = {
            "href": self.href,
            "rel": self.rel,
            "type": self.type,
            "title": self.title,
            "templated": self.templated,
        }
        return {name: value for name, value in members.items() if value is not None}

    def to_header(self) -> str:
        """Return one value of the HTTP `Link` header, without the title: header text is not UTF-8."""
        kind = f'; type="{self.type}"' if self.type else ""
        return f'<{self.href}>; rel="{self.rel}"{kind}'


def path_segment(text: str) -> str:
    """Return `text` as one path segment, everything but unreserved characters escaped."""
    return quote(text, safe="")
