"""The collections that a process knows."""

from collections.abc import Mapping

from libs.catalogue.model import Collection
from libs.ogc.errors import NotFound, Unavailable

UNKNOWN = "The list of collections is not known yet; try again in a moment."


class Catalogue:
    """Looks up collections for handlers; derived classes keep it up to date."""

    def __init__(self) -> None:
        # None before the first catalogue is loaded
        self._collections: Mapping[str, Collection] | None = None

    @property
    def known(self) -> Mapping[str, Collection] | None:
        """All collections by id, the same object until the next catalogue; None before the first."""
        return self._collections

    @property
    def collections(self) -> Mapping[str, Collection]:
        """All collections by id. Raises Unavailable before the first catalogue."""
        if self._collections is None:
            raise Unavailable(UNKNOWN, cause="catalogue")
        return self._collections

    def collection(self, collection_id: str) -> Collection:
        """Return the collection of that id. Raises NotFound, or Unavailable before the first catalogue."""
        found = self.collections.get(collection_id)
        if found is None:
            raise NotFound(f"There is no collection '{collection_id}'.")
        return found

    async def health(self) -> str | None:
        """Return a description of the fault, or None."""
        return "catalogue: none yet" if self._collections is None else None
