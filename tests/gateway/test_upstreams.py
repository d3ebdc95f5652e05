"""From names of services to addresses."""

from __future__ import annotations

from gateway.settings import Endpoint, UnixSocket, Upstreams
from gateway.upstreams import backups, resolve


async def test_addresses_are_in_order_and_in_the_words_of_nginx() -> None:
    upstreams: Upstreams = {
        "common": (UnixSocket("/run/b.sock"), Endpoint("127.0.0.2", 80), Endpoint("127.0.0.1", 80)),
        "tiles": (Endpoint("0:0:0:0:0:0:0:1", 81), Endpoint("127.0.0.1", 80), Endpoint("127.0.0.1", 80)),
        "viewer": (Endpoint("localhost", 82),),
    }
    found = await resolve(upstreams, {})
    assert found["common"] == ("127.0.0.1:80", "127.0.0.2:80", "unix:/run/b.sock")
    assert found["tiles"] == ("127.0.0.1:80", "[::1]:81")
    assert set(found["viewer"]) & {"127.0.0.1:82", "[::1]:82"}


async def test_the_order_is_always_the_same() -> None:
    """So that nginx is not reloaded for nothing."""
    many = [f"10.0.0.{number}" for number in range(10, 40)]
    found = await resolve({"tiles": tuple(Endpoint(host, 80) for host in reversed(many))}, {})
    assert found["tiles"] == tuple(f"{host}:80" for host in many)


async def test_a_name_that_nobody_knows_keeps_what_was_known_of_it() -> None:
    lost: Upstreams = {"tiles": (Endpoint("no-host.invalid", 80),), "viewer": (Endpoint("no-host.invalid", 80),)}
    assert await resolve(lost, {"tiles": ("10.0.0.1:80",)}) == {"tiles": ("10.0.0.1:80",), "viewer": ()}


def test_backups_are_those_of_all_services() -> None:
    upstreams: Upstreams = {
        "common": (Endpoint("10.0.0.1", 80), Endpoint("::1", 80, backup=True)),
        "tiles": (UnixSocket("/a"), UnixSocket("/b", backup=True)),
    }
    assert backups(upstreams) == {"[::1]:80", "unix:/b"}
