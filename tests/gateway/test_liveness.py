"""The state of a process follows only from its latest answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import nullcontext
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from gateway.liveness import Liveness
from tests.gateway.harness import Upstream, make_part, silent


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[str]:
    """The address of a process that answers."""
    upstream = Upstream("tiles", socket=tmp_path / "there", part=make_part("tiles"))
    await upstream.start()
    yield f"unix:{upstream.socket}"
    await upstream.stop()


async def test_who_answers_again_is_back_and_has_failed_never(tmp_path: Path, there: str) -> None:
    upstream = Upstream("tiles", socket=tmp_path / "back", part=make_part("tiles"))
    both = (f"unix:{upstream.socket}", there)
    liveness = Liveness(absent_seconds=0)
    for _ in range(3):
        await liveness.check({"tiles": both})
        assert liveness.list_alive({"tiles": both}) == {"tiles": (there,)}
    await upstream.start()
    await liveness.check({"tiles": both})
    assert liveness.list_alive({"tiles": both}) == {"tiles": both}
    await upstream.stop()


async def test_a_backup_may_be_absent_for_ever(tmp_path: Path, there: str) -> None:
    both = (f"unix:{tmp_path / 'spare'}", there)
    liveness = Liveness(frozenset(both[:1]), absent_seconds=0)
    for _ in range(3):
        await liveness.check({"tiles": both})
        assert liveness.list_alive({"tiles": both}) == {"tiles": both}


async def test_a_backup_that_hangs_is_out(tmp_path: Path, there: str) -> None:
    both = (f"unix:{tmp_path / 'spare'}", there)
    liveness = Liveness(frozenset(both[:1]))
    with silent(tmp_path / "spare"):
        for _ in range(2):
            assert liveness.list_alive({"tiles": both}) == {"tiles": both}
            await liveness.check({"tiles": both})
    assert liveness.list_alive({"tiles": both}) == {"tiles": (there,)}


async def test_what_is_no_address_any_more_is_forgotten(tmp_path: Path, there: str) -> None:
    both = (f"unix:{tmp_path / 'gone'}", there)
    liveness = Liveness(absent_seconds=0)
    await liveness.check({"tiles": both})
    assert liveness.list_alive({"tiles": both}) == {"tiles": (there,)}
    await liveness.check({"tiles": (there,)})
    # another process, perhaps
    assert liveness.list_alive({"tiles": both}) == {"tiles": both}


async def test_who_is_alone_is_not_asked(tmp_path: Path) -> None:
    alone = Upstream("viewer", socket=tmp_path / "alone", part=make_part("viewer"))
    await alone.start()
    await Liveness().check({"viewer": (f"unix:{alone.socket}",), "tiles": ()})
    await alone.stop()
    assert alone.part_status == []


async def test_where_all_are_gone_all_are_tried(tmp_path: Path) -> None:
    both = (f"unix:{tmp_path / 'a'}", f"unix:{tmp_path / 'b'}")
    liveness = Liveness(absent_seconds=0)
    for _ in range(2):
        await liveness.check({"tiles": both})
    assert liveness.list_alive({"tiles": both}) == {"tiles": both}


async def test_who_refuses_between_two_silences_does_not_hang(tmp_path: Path, there: str) -> None:
    """As a process does that is restarted while it is busy."""
    both = (f"unix:{tmp_path / 'busy'}", there)
    liveness = Liveness()
    for hangs in (True, False, True):
        with silent(tmp_path / "busy") if hangs else nullcontext():
            await liveness.check({"tiles": both})
    assert liveness.list_alive({"tiles": both}) == {"tiles": both}


async def test_it_asks_for_what_is_at_every_service_and_wants_none_of_it(there: str) -> None:
    asked = []

    async def answer(request: web.Request) -> web.StreamResponse:
        asked.append((request.method, request.path, request.headers.get("If-None-Match")))
        return web.Response(status=304)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(app) as server:
        both = (f"127.0.0.1:{server.port}", there)
        liveness = Liveness(absent_seconds=0)
        await liveness.check({"tiles": both})
        assert liveness.list_alive({"tiles": both}) == {"tiles": both}
    assert asked == [("GET", "/internal/part", "*")]
