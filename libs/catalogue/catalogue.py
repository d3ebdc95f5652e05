"""The collections that a process knows."""

from collections.abc import Mapping

from libs.catalogue.model import Collection
from libs.ogc.errors import NotFound, Unavailable

UNKNOWN = "The list of collections is not known yet; try again in a moment."


class Catalogue:
    """Where handlers look collections up; classes derived from it keep it up to date."""

    def __init__(self) -> None:
        # None before the first catalogue
        self._collections: Mapping[str, Collection] | None = None

    @property
    def known(self) -> Mapping[str, Collection] | None:
        """All collections by id, the same object until another catalogue has come; None before the first."""
        return self._collections

    @property
    def collections(self) -> Mapping[str, Collection]:
        """All collections by id. Raises Unavailable before the first catalogue."""
        if self._collections is None:
            raise Unavailable(UNKNOWN, cause="catalogue")
        return self._collections

    def collection(self, collection_id: str) -> Collection:
        """The collection of that id. Raises NotFound, or Unavailable before the first catalogue."""
        found = self.collections.get(collection_id)
        if found is None:
            raise NotFound(f"There is no collection '{collection_id}'.")
        return found

    async def health(self) -> str | None:
        """None, or what is missing."""
        return "catalogue: none yet" if self._collections is None else None
