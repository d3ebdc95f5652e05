"""Parts are fetched from whoever answers, and only from the service that was meant."""

from __future__ import annotations

import logging

import pytest
from aiohttp import ClientSession

from gateway.parts.fetch import PartsFetcher
from tests.gateway.harness import Upstream, make_part


async def test_the_next_address_is_asked_for_the_part(session: ClientSession) -> None:
    upstream = Upstream("tiles", part=make_part("tiles"))
    await upstream.start()
    try:
        fetcher = PartsFetcher(session)
        await fetcher.refresh({"tiles": ("127.0.0.1:9", f"127.0.0.1:{upstream.port}")})
        assert [part.name for part in fetcher.present()] == ["tiles"]
    finally:
        await upstream.stop()


async def test_the_part_of_another_service_is_none(session: ClientSession, caplog: pytest.LogCaptureFixture) -> None:
    """Such as where the address of one service is written under the name of another."""
    upstream = Upstream("features", part=make_part("features"))
    await upstream.start()
    try:
        fetcher = PartsFetcher(session)
        addresses = (f"127.0.0.1:{upstream.port}",)
        with caplog.at_level(logging.WARNING, "dams.parts"):
            for _ in range(3):
                await fetcher.refresh({"tiles": addresses, "features": addresses})
        assert [part.name for part in fetcher.present()] == ["features"]
        assert len(caplog.records) == 1
        assert "this is the part of features" in str(caplog.records[0].__dict__["fields"])
    finally:
        await upstream.stop()
