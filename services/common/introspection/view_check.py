"""Views that fail whenever they are asked: found out before a client does, reported in the log and left out."""

import logging
import time
from collections.abc import Set

from libs.catalogue.model import Collection
from libs.pg.errors import Locked
from libs.pg.pool import Database
from libs.pg.sql import ident, sql

_LOG = logging.getLogger("dams.catalogue")


class ViewCheck:
    """Plans a query of each view without reading a row: that meets rights that the view's owner lost, and the like.

    A new view and a broken one are looked at each time, one that was fine every `trusted_seconds`.
    """

    def __init__(self, database: Database, *, trusted_seconds: float = 60.0) -> None:
        self._database = database
        self._trusted_seconds = trusted_seconds
        self._fine: dict[tuple[int, str], float] = {}
        self._broken: dict[str, str] = {}

    async def usable(
        self, collections: tuple[Collection, ...], locked: Set[str] = frozenset()
    ) -> tuple[Collection, ...]:
        """The collections without the broken views. Raises Unavailable where the database cannot be reached.

        Those whose ids are among `locked` cannot be looked at, and are what they were.
        """
        causes = {
            collection.id: cause
            for collection in collections
            if collection.kind == "view"
            and (cause := self._broken.get(collection.id) if collection.id in locked else await self._wrong(collection))
            is not None
        }
        for identifier, cause in causes.items():
            if self._broken.get(identifier) != cause:
                _LOG.warning("view left out", extra={"fields": {"collection": identifier, "cause": cause}})
        self._broken = causes
        return tuple(collection for collection in collections if collection.id not in causes)

    async def _wrong(self, view: Collection) -> str | None:
        identity = (view.oid, view.shape)
        if time.monotonic() - self._fine.get(identity, float("-inf")) < self._trusted_seconds:
            return None
        self._fine.pop(identity, None)
        try:
            await self._database.fetch(sql("SELECT * FROM {view} LIMIT 0", view=ident(view.schema, view.name)))
        except Locked:
            return self._broken.get(view.id)
        except Exception as error:
            if await self._database.passes(error):
                raise
            return f"{type(error).__name__}: {error.__cause__ or error}"
        self._fine[identity] = time.monotonic()
        return None
