"""Commands to Redis: together, in order, in time, and with an end where it hangs."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest
from redis.exceptions import ResponseError

from libs.cache.commands import CacheAway, Commands
from tests.eventually import eventually
from tests.services.tiles.cache import OwnRedis


async def test_each_gets_the_reply_to_its_own_command(commands: Commands) -> None:
    replies = await asyncio.gather(*(commands.run("ECHO", str(number)) for number in range(1000)))
    assert replies == [str(number).encode() for number in range(1000)]


async def test_commands_of_many_requests_share_round_trips(commands: Commands, server: OwnRedis) -> None:
    async with server.client() as client:
        before = (await client.info("stats"))["total_reads_processed"]
        await asyncio.gather(*(commands.run("ECHO", str(number)) for number in range(640)))
        reads = (await client.info("stats"))["total_reads_processed"] - before
    assert reads <= 640 / 64 + 5


async def test_what_nobody_waits_for_goes_with_what_comes_next(commands: Commands, server: OwnRedis) -> None:
    async with server.client() as client:
        before = (await client.info("stats"))["total_reads_processed"]
        for number in range(20):
            commands.post("SET", str(number), "x")
            # one by one they would be read one by one
            await asyncio.sleep(0)
        assert await commands.run("GET", "19") == b"x"
        reads = (await client.info("stats"))["total_reads_processed"] - before
    assert reads <= 5


async def test_a_refused_command_spoils_no_other(commands: Commands) -> None:
    commands.post("LPUSH", "list", "x")
    good, bad, other = await asyncio.gather(
        commands.run("ECHO", "a"), commands.run("GET", "list"), commands.run("ECHO", "b")
    )
    assert (good, other) == (b"a", b"b")
    assert isinstance(bad, ResponseError)


async def test_a_connection_that_the_server_closed_is_made_again(commands: Commands, server: OwnRedis) -> None:
    assert await commands.run("ECHO", "a") == b"a"
    async with server.client() as client:
        await client.client_kill_filter(_type="normal", skipme=True)
    assert await commands.run("ECHO", "b") == b"b"


async def test_a_server_that_hangs_costs_half_a_second_once(
    commands: Commands, server: OwnRedis, caplog: pytest.LogCaptureFixture
) -> None:
    await commands.run("ECHO", "a")
    os.kill(server.pid, signal.SIGSTOP)
    try:
        with pytest.raises(CacheAway, match="Timeout"):
            await commands.run("ECHO", "b")
        # the others are not sent at all: a timeout for each would take most of a minute
        async with asyncio.timeout(20):
            for _ in range(100):
                with pytest.raises(CacheAway):
                    await commands.run("ECHO", "c")
    finally:
        os.kill(server.pid, signal.SIGCONT)
    await asyncio.sleep(2)
    # nothing of the reply that came too late
    assert await commands.run("ECHO", "d") == b"d"
    async with server.client() as client:
        # the first, the one that was not answered in time, and the last
        assert (await client.info("commandstats"))["cmdstat_echo"]["calls"] <= 3
    # the time limits of round trips have ended with them
    assert not [record for record in caplog.records if record.name == "asyncio"]


async def test_what_waits_behind_a_command_that_hangs_fails_with_it(commands: Commands, server: OwnRedis) -> None:
    await commands.run("ECHO", "a")
    os.kill(server.pid, signal.SIGSTOP)
    try:
        sent = asyncio.create_task(commands.run("ECHO", "b"))
        await asyncio.sleep(0.01)
        behind = asyncio.create_task(commands.run("ECHO", "c"))
        async with asyncio.timeout(20):
            for each in (sent, behind):
                with pytest.raises(CacheAway, match=r"^TimeoutError: "):
                    await each
    finally:
        os.kill(server.pid, signal.SIGCONT)


async def test_attempts_to_connect_are_further_and_further_apart() -> None:
    attempts: list[float] = []

    async def refuse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        attempts.append(asyncio.get_running_loop().time())
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server, Commands(f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}"):

        async def four() -> None:
            assert len(attempts) >= 4

        await eventually(four)
    # the first two follow each other at once
    assert attempts[2] - attempts[1] > 0.09
    assert attempts[3] - attempts[2] > 0.19


async def test_no_more_wait_than_can_be_answered_soon(commands: Commands) -> None:
    replies = await asyncio.gather(*(commands.run("PING") for _ in range(10_010)), return_exceptions=True)
    assert [reply for reply in replies if not isinstance(reply, CacheAway)] == [b"PONG"] * 10_000
    for _ in range(10_010):
        commands.post("INCR", "posted")
    with pytest.raises(CacheAway):
        await commands.run("PING")

    async def all_are_sent() -> None:
        try:
            assert await commands.run("GET", "posted") == b"10000"
        except CacheAway as full:
            raise AssertionError from full

    await eventually(all_are_sent)


async def test_what_is_large_has_more_time(server: OwnRedis, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that is still running when the time of others is over gets its answer."""
    monkeypatch.setattr("libs.cache.commands._BYTES_A_SECOND", 500_000)
    async with Commands(server.url, deadline=0.05) as commands:
        os.kill(server.pid, signal.SIGSTOP)
        try:
            # ten seconds for this number of bytes
            large = asyncio.create_task(commands.run("SET", "large", b"x" * 5_000_000))
            await asyncio.sleep(0.5)
            assert not large.done()
        finally:
            os.kill(server.pid, signal.SIGCONT)
        assert await large == b"OK"


async def test_one_who_gave_up_keeps_nobody_else_waiting(commands: Commands, server: OwnRedis) -> None:
    await commands.run("ECHO", "a")
    os.kill(server.pid, signal.SIGSTOP)
    try:
        gone, other = (asyncio.create_task(commands.run("ECHO", text)) for text in "bc")
        # both have asked
        await asyncio.sleep(0)
        gone.cancel()
        async with asyncio.timeout(20):
            with pytest.raises(CacheAway):
                await other
    finally:
        os.kill(server.pid, signal.SIGCONT)


async def test_one_who_gave_up_leaves_the_replies_to_the_others(commands: Commands) -> None:
    gone, other = (asyncio.create_task(commands.run("ECHO", text)) for text in "ab")
    # both have asked, and go in one round trip
    await asyncio.sleep(0)
    gone.cancel()
    async with asyncio.timeout(20):
        assert await other == b"b"
        assert await commands.run("ECHO", "c") == b"c"


async def test_an_end_beside_a_server_that_hangs_is_no_error(server: OwnRedis) -> None:
    try:
        async with asyncio.timeout(20), Commands(server.url, deadline=60) as commands:
            assert await commands.run("ECHO", "a") == b"a"
            os.kill(server.pid, signal.SIGSTOP)
            sent = asyncio.create_task(commands.run("ECHO", "b"))
            await asyncio.sleep(0.05)
            unsent = asyncio.create_task(commands.run("ECHO", "c"))
            await asyncio.sleep(0)
    finally:
        os.kill(server.pid, signal.SIGCONT)
    assert commands.away
    for waiting in (sent, unsent):
        with pytest.raises(CacheAway):
            await asyncio.wait_for(waiting, 5)
