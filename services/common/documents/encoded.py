"""Collections as JSON, encoded once per change."""

import secrets
from collections.abc import Iterable, Mapping

from libs.catalogue.model import Collection
from libs.ogc.media_type import MediaType
from libs.ogc.service_part import Whole
from libs.web.respond import json_bytes
from services.common.documents.collection import collection_json

# placeholder for the base address, which differs by client; random, so that no text can contain it
_BASE = f"http://{secrets.token_hex(16)}.invalid"


class EncodedCollections:
    """The Collection resources of the latest catalogue, without the base address."""

    def __init__(self) -> None:
        self._collections: Mapping[str, Collection] = {}
        self._whole: Whole | None = None
        self._encoded: dict[str, tuple[Collection, bytes]] = {}

    def array(self, page: Iterable[Collection], known: Mapping[str, Collection], whole: Whole, base: str) -> bytes:
        """Return a JSON array of some of the `known` collections of the catalogue, with links below `base`."""
        if self._collections is not known or self._whole is not whole:
            self._encoded = {
                identifier: (collection, encoded)
                for identifier, (collection, encoded) in self._encoded.items()
                if known.get(identifier) is collection and self._whole is whole
            }
            self._collections, self._whole = known, whole
        array = b"[" + b",".join([self._resource(collection, whole) for collection in page]) + b"]"
        return array.replace(_BASE.encode(), json_bytes(base)[1:-1])

    def _resource(self, collection: Collection, whole: Whole) -> bytes:
        found = self._encoded.get(collection.id)
        if found is None:
            encoded = json_bytes(collection_json(collection, whole, _BASE, MediaType.JSON))
            found = self._encoded[collection.id] = (collection, encoded)
        return found[1]
