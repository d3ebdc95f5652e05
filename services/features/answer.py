"""A response as one frozen value, before it is sent: status, headers and body."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from typing import Self

from libs.catalogue.model import Collection
from libs.ogc.media_type import with_charset
from libs.web.conditional import incomplete
from libs.web.respond import vary
from services.features.exporting.exports import Export
from services.features.formats.format import FeatureFormat, FileFormat, PageLinks
from services.features.formats.names import attachment
from services.features.request.items_query import GeometryOptions, ItemsQuery

PAGING = "DAMS-Paging"


@dataclass(frozen=True, slots=True)
class Pieces:
    """A body that is written while it is sent."""

    pieces: AsyncIterator[bytes | memoryview]
    page_limit: int | None = None
    """Number of requested features. A page is compressed, and collected for clients that cannot read chunks."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A response; `sending.send` sends it. Each method returns a new answer with more headers."""

    headers: Mapping[str, str]
    body: bytes | Pieces | Export | None = None
    status: int = 200

    @classmethod
    def redirect(cls, address: str) -> Self:
        """Return a permanent redirection; clients revalidate it, because the target may be merged into another."""
        return cls({"Location": address, "Cache-Control": "no-cache"}, status=308)

    def with_headers(self, headers: Mapping[str, str]) -> Self:
        """Add headers."""
        return replace(self, headers={**self.headers, **headers})

    def with_links(self, header: str) -> Self:
        """Add links to those that the answer has."""
        links = [each for each in (header, self.headers.get("Link")) if each]
        return self.with_headers({"Link": ", ".join(links)})

    def with_body(self, body: bytes | Pieces | Export, media_type: str | None = None) -> Self:
        """Set the body, and its Content-Type if it is not set yet."""
        typed = {} if media_type is None else {"Content-Type": with_charset(media_type)}
        return replace(self, headers={**self.headers, **typed}, body=body)

    def with_failing(self, number: int) -> Self:
        """Add the number of rows that were left out because a condition fails on them."""
        return self.with_headers({"DAMS-Features-Omitted": str(number)} if number else {})

    def as_incomplete(self) -> Self:
        """Let no client revalidate the answer: a later one with the same data has more."""
        return replace(self, headers=incomplete(self.headers))

    def of_numbers(self, matched: int | None, returned: int | None = None, omitted: int = 0) -> Self:
        """Add the known numbers of features, and of geometries left out."""
        numbers = {
            "OGC-NumberMatched": matched,
            "OGC-NumberReturned": returned,
            "DAMS-Geometries-Omitted": omitted or None,
        }
        return self.with_headers({name: str(number) for name, number in numbers.items() if number is not None})

    def of_page(self, query: ItemsQuery, matched: int | None, returned: int | None, omitted: int = 0) -> Self:
        """Add the numbers of a page, and warnings of unstable paging and of rows on which the filter fails.

        Without the requested count the answer is never revalidated: a later one with the same data has the count.
        """
        is_counted = matched is not None or not query.counted
        answer = self if is_counted else self.as_incomplete()
        answer = answer.with_headers({} if query.resumable else {PAGING: "offset"})
        answer = answer.with_failing(query.selection.failing)
        return answer.of_numbers(matched, returned, omitted)

    def of_features(
        self, format_: FeatureFormat | FileFormat, media_type: str, options: GeometryOptions, links: PageLinks
    ) -> Self:
        """Add the headers of features in this format: Content-Type, CRS (/req/crs/ogc-crs-header) and links."""
        headers = {
            "Content-Type": with_charset(media_type),
            "Vary": self.headers.get("Vary", vary(media_type)),
            "Content-Crs": f"<{options.crs.uri}>",
        }
        return self.with_headers(headers).with_links(format_.link_header(links))

    def save_as(
        self, collection: Collection, format_: FeatureFormat | FileFormat, given: Mapping[str, str] | None = None
    ) -> Self:
        """Add the file name under which a browser saves the body, if the format is for that."""
        if format_.extension is None:
            return self
        return self.with_headers(attachment(collection.id, format_.extension, given or {}))
