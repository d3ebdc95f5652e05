"""Tiles wait for the next reading of the versions to be marked: which of them are marked, and which are dropped."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersion
from services.tiles.store.sealing import Sealing
from tests.services.tiles.store.points import POINTS

HALF = 16 * 1024 * 1024


class Versions:
    """Looked at when a test says so."""

    def __init__(self) -> None:
        self.now: dict[str, DataVersion | None] = {"points": self.known("1"), "others": self.known("1")}
        self.looks: list[asyncio.Future[bool]] = []
        self.marked: list[tuple[str, bytes]] = []
        cache = SimpleNamespace(replace=lambda name, content: self.marked.append((name, content)))
        parts: tuple[Any, ...] = (cache, self)
        self.sealing = Sealing(*parts)

    @staticmethod
    def known(token: str, *, exact: bool = True) -> DataVersion:
        return DataVersion(token, datetime.now(UTC), exact=exact)

    def version(self, collection: Collection) -> DataVersion | None:
        return self.now[collection.id]

    async def look_again(self) -> bool:
        self.looks.append(asyncio.get_running_loop().create_future())
        return await self.looks[-1]

    async def look(self, *, well: bool = True) -> None:
        await asyncio.sleep(0)
        self.looks[-1].set_result(well)
        for _ in range(3):
            await asyncio.sleep(0)


async def test_what_waited_for_a_look_is_marked_after_it() -> None:
    versions = Versions()
    sealing = versions.sealing
    sealing.add(POINTS, "1", "t:a", b"A")
    sealing.add(replace(POINTS, id="others"), "1", "t:b", b"B")
    # the same tile again adds nothing
    sealing.add(POINTS, "1", "t:a", b"again")
    await asyncio.sleep(0)
    assert versions.marked == []
    # this one waits for the next
    sealing.add(POINTS, "1", "t:c", b"C")
    await versions.look()
    assert versions.marked == [("t:a", b"A"), ("t:b", b"B")]
    await versions.look()
    assert versions.marked[2:] == [("t:c", b"C")]
    # and a tile that arrives when no other waits starts again
    sealing.add(POINTS, "1", "t:a", b"A")
    await versions.look()
    assert versions.marked[3:] == [("t:a", b"A")]
    await sealing.close()


async def test_what_has_changed_or_was_not_looked_at_is_not_marked() -> None:
    versions = Versions()
    sealing = versions.sealing
    for token, now in (("1", versions.known("2")), ("1", None), ("1", versions.known("1", exact=False))):
        sealing.add(POINTS, token, "t:a", b"A")
        versions.now["points"] = now
        assert not sealing.lasts(POINTS, token)
        await versions.look()
    versions.now["points"] = versions.known("1")
    assert sealing.lasts(POINTS, "1")
    sealing.add(POINTS, "1", "t:a", b"A")
    await versions.look(well=False)
    assert versions.marked == []
    await sealing.close()


async def test_so_much_waits_and_no_more() -> None:
    versions = Versions()
    sealing, half = versions.sealing, bytes(HALF)
    # as much again after each look
    for _ in range(2):
        for name, content in (("t:a", half), ("t:b", half), ("t:c", b"C")):
            sealing.add(POINTS, "1", name, content)
        await versions.look()
    assert [name for name, _ in versions.marked] == ["t:a", "t:b"] * 2
    sealing.add(POINTS, "1", "t:c", b"C")
    await versions.look()
    assert versions.marked[4:] == [("t:c", b"C")]
    await sealing.close()


async def test_at_the_end_what_waits_is_given_up() -> None:
    versions = Versions()
    await versions.sealing.close()
    versions.sealing.add(POINTS, "1", "t:a", b"A")
    await asyncio.sleep(0)
    await versions.sealing.close()
    assert versions.looks[0].cancelled()
    assert versions.marked == []
