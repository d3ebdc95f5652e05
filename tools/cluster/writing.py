"""A row that is written all the time, and the age of the service's responses about it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from contextlib import suppress
from http.client import HTTPException
from itertools import pairwise
from typing import Self

import asyncpg

from tests.system.asking import Asking
from tests.system.keeping import Client
from tools.cluster.kubectl import wait_for_response

COLLECTION = "hazard.trial_writes"
OLDEST_SECONDS = 10.0
"""Maximum age in seconds: without a primary, a process reads replicas as they are; it finds the new one within seconds.
"""
_ROW = f"/collections/{COLLECTION}/items/1"
_TABLE = f"""
CREATE TABLE IF NOT EXISTS {COLLECTION} (id integer PRIMARY KEY, n bigint NOT NULL, geom geometry(Point, 4326));
INSERT INTO {COLLECTION} VALUES (1, 0, 'SRID=4326;POINT(0 0)') ON CONFLICT DO NOTHING;
GRANT SELECT ON {COLLECTION} TO dams_reader;
SELECT dams.watch('{COLLECTION}');
"""
_ERRORS = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)


class Writing:
    """Commits several times a second, on the current primary, and requests the row from the service."""

    def __init__(self, owner_url: str, base_url: str) -> None:
        self._owner_url = owner_url
        self._base_url = base_url
        self._client = Client(base_url)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._write()))
        self._asking = Asking([self._ask], pause=0.05)
        # time and number
        self._committed: list[tuple[float, int]] = []
        self._seen: list[tuple[float, int]] = []
        self.lost_commits = 0
        """Commits that the server confirmed, but its successor lost."""
        self.refused: Counter[str] = Counter()
        """Failed responses."""

    def __enter__(self) -> Self:
        asyncio.run(self._make_table())
        wait_for_response(self._base_url, _ROW)
        self._thread.start()
        self._asking.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._asking.__exit__(*error)
        self._stop.set()
        self._thread.join()
        self._client.close()

    @property
    def committed(self) -> int:
        """Number of commits that were confirmed and not lost."""
        return len(self._committed)

    @property
    def pause(self) -> float:
        """Longest time without a possible commit, in seconds."""
        times = [when for when, _ in self._committed]
        return max((after - before for before, after in pairwise(times)), default=0.0)

    @property
    def oldest(self) -> float:
        """Maximum seconds between a commit and a later request whose response still lacked it."""
        return max((self._age(asked, number) for asked, number in self._seen), default=0.0)

    def _age(self, asked: float, number: int) -> float:
        return max(0.0, asked - next((when for when, one in self._committed if one > number), asked))

    def _ask(self) -> None:
        asked = time.monotonic()
        try:
            answer = self._client.get(_ROW)
        except (OSError, HTTPException) as error:
            self._client.close()
            self.refused[f"{type(error).__name__}: {error}"] += 1
            return
        if answer.status == 200:
            self._seen.append((asked, int(answer.body.split(b'"n":')[1].split(b"}")[0].split(b",")[0])))
        else:
            self.refused[str(answer.status)] += 1

    async def _make_table(self) -> None:
        connection = await asyncpg.connect(self._owner_url)
        await connection.execute(_TABLE)
        await connection.close()

    async def _write(self) -> None:
        while not self._stop.is_set():
            with suppress(*_ERRORS):
                await self._write_to_one()
            await asyncio.sleep(0.1)

    async def _write_to_one(self) -> None:
        connection = await asyncpg.connect(self._owner_url, timeout=2, command_timeout=2)
        try:
            had = await connection.fetchval(f"SELECT n FROM {COLLECTION} WHERE NOT pg_is_in_recovery()")
            while had is not None and self._committed and self._committed[-1][1] > had:
                self._committed.pop()
                self.lost_commits += 1
            while had is not None and not self._stop.is_set():
                number = await connection.fetchval(f"UPDATE {COLLECTION} SET n = n + 1 RETURNING n")
                self._committed.append((time.monotonic(), number))
                await asyncio.sleep(0.1)
        finally:
            connection.terminate()
