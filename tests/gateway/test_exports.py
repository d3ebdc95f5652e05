"""The files of several processes without a common folder: a client that returns reaches the process with its file."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

from aiohttp import ClientSession

from tests.gateway.harness import Gateway, Upstream, make_part, running_gateway

ADDRESSES = [f"/api/collections/places/export?f=parquet&limit={number}" for number in range(30)]


async def _who_answers(session: ClientSession, gateway: Gateway) -> list[str]:
    found = []
    for address in ADDRESSES:
        async with session.get(gateway.url + address) as response:
            assert response.status == 200
            found.append((await response.json())["name"])
    return found


async def test_the_same_address_is_asked_of_the_same_process(tmp_path: Path, session: ClientSession) -> None:
    processes = [Upstream("features", name, part=make_part("features")) for name in "abc"]
    settings = {"DAMS_FEATURES_UPSTREAM": ",".join(f"127.0.0.1:{process.port}" for process in processes)}
    async with AsyncExitStack() as running:
        for process in processes:
            await process.start()
            running.push_async_callback(process.stop)
        one = await running.enter_async_context(running_gateway(tmp_path / "one", **settings))
        other = await running.enter_async_context(running_gateway(tmp_path / "other", **settings))
        for gateway in (one, other):
            await gateway.published()
        before = await _who_answers(session, one)
        assert set(before) == {"a", "b", "c"}
        assert await _who_answers(session, one) == await _who_answers(session, other) == before
        await processes[0].stop()
        # the other processes still serve their files
        after = await _who_answers(session, one)
        assert [name for name, was in zip(after, before, strict=True) if was != "a"] == [n for n in before if n != "a"]
        assert "a" not in after
