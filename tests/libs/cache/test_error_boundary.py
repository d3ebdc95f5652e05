"""Every error class of redis, and every reply of another shape, is a cache that has nothing: never an error."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from redis import exceptions

from libs.cache import commands
from libs.cache.commands import CacheAway
from libs.cache.links import Command
from libs.cache.tile_cache import TileCache


def _classes(kind: type[Exception]) -> Iterator[type[Exception]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _classes(below)


ERRORS = sorted({*_classes(exceptions.RedisError), OSError, TimeoutError, asyncio.IncompleteReadError}, key=str)


def _error(kind: type[Exception]) -> Exception:
    for arguments in (("broken",), (b"", 1), ("broken", "more"), ("MOVED 1 127.0.0.1:1",), ("1 127.0.0.1:1",), ()):
        try:
            return kind(*arguments)
        except (TypeError, ValueError, IndexError):
            continue
    raise AssertionError(kind)


class Broken:
    """A link that connects, and then does what it was made for."""

    def __init__(self, result: object, *, at_connect: bool = False) -> None:
        self._result, self._at_connect = result, at_connect

    async def connect(self) -> None:
        if self._at_connect and isinstance(self._result, Exception):
            raise self._result

    async def exchange(self, sent: Sequence[Command]) -> list[Any]:
        if isinstance(self._result, Exception):
            raise self._result
        return self._result(sent) if callable(self._result) else [self._result] * len(sent)

    async def close(self) -> None:
        return None


async def _assert_nothing_found(monkeypatch: pytest.MonkeyPatch, link: Broken) -> None:
    monkeypatch.setattr(commands, "link_to", lambda _: link)
    async with TileCache("redis://nowhere") as cache:
        async with asyncio.timeout(10):
            assert await cache.get("a", "b") == [None, None]
            assert await cache.claim("c", seconds=1) in (None, True)
            cache.put("a", b"x")
            cache.put_some("b", b"x")
            cache.release("c")
            with pytest.raises(CacheAway):
                await cache.delete(["a"])
            with pytest.raises(CacheAway):
                async for _ in cache.entries("*"):
                    pass


@pytest.mark.parametrize("at_connect", [False, True])
@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
async def test_error_of_redis_is_a_cache_without_entries(
    monkeypatch: pytest.MonkeyPatch, kind: type[Exception], at_connect: bool
) -> None:
    await _assert_nothing_found(monkeypatch, Broken(_error(kind), at_connect=at_connect))


@pytest.mark.parametrize(
    "reply",
    [
        [b"one"],
        [b"one", b"two", b"three"],
        [],
        b"text",
        [None, exceptions.ResponseError("WRONGTYPE")],
        exceptions.ResponseError("OOM"),
        lambda _: [],
        lambda sent: [None] * (len(sent) + 1),
    ],
    ids=["short", "long", "empty", "text", "part refused", "refused", "no reply", "a reply more"],
)
async def test_reply_of_another_shape_is_a_cache_without_entries(
    monkeypatch: pytest.MonkeyPatch, reply: object
) -> None:
    # a refusal is a reply of Redis, not an error of the link
    result = reply if callable(reply) else lambda sent: [reply] * len(sent)
    await _assert_nothing_found(monkeypatch, Broken(result))
