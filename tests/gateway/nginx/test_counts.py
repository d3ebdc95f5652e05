"""Each line that nginx logs about a response is counted exactly once, also if the file is rotated or cut."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from aiohttp import ClientSession
from prometheus_client import REGISTRY

from gateway.nginx.counts import Counts
from tests.eventually import eventually
from tests.gateway.harness import Gateway

LABELS = [("tiles", "hit", "200"), ("tiles", "none", "200"), ("gateway", "none", "404"), ("gateway", "miss", "302")]


def counted() -> list[float]:
    found = [
        REGISTRY.get_sample_value("dams_gateway_requests_total", {"service": service, "cache": cache, "status": status})
        for service, cache, status in LABELS
    ]
    return [number or 0 for number in found]


async def growth(counts: Counts) -> list[float]:
    before = counted()
    await counts.count()
    return [now - then for now, then in zip(counted(), before, strict=True)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "counts.log"


def add(file: Path, text: str) -> None:
    with file.open("a") as lines:
        lines.write(text)


def size(file: Path) -> int:
    return file.stat().st_size


async def test_each_line_counts_once_and_when_it_is_whole(file: Path) -> None:
    add(file, "tiles HIT 200\n")
    counts = Counts(file)
    # earlier lines are from another process
    assert await growth(counts) == [0, 0, 0, 0]
    add(file, "tiles HIT 200\ntiles - 200\ntiles HIT 200\n- - 404\n MISS 302\ntiles HIT")
    assert await growth(counts) == [2, 1, 1, 1]
    assert await growth(counts) == [0, 0, 0, 0]
    add(file, " 200\nno line of ours\n\n")
    assert await growth(counts) == [1, 0, 0, 0]


async def test_a_file_that_is_gone_or_begins_anew_is_read_from_its_beginning(file: Path) -> None:
    counts = Counts(file)
    assert await growth(counts) == [0, 0, 0, 0]
    add(file, "tiles HIT 200\n" * 3)
    assert await growth(counts) == [3, 0, 0, 0]
    os.truncate(file, 0)
    add(file, "tiles HIT 200\n")
    assert await growth(counts) == [1, 0, 0, 0]
    os.unlink(file)  # noqa: PTH108 - at once
    assert await growth(counts) == [0, 0, 0, 0]
    add(file, "tiles HIT 200\n" * 2)
    assert await growth(counts) == [2, 0, 0, 0]


async def test_a_long_file_begins_anew_once_all_of_it_is_counted(file: Path) -> None:
    counts = Counts(file)
    line, number = "tiles HIT 200\n", 320_000
    add(file, line * (number - 100_000))
    assert await growth(counts) == [number - 100_000, 0, 0, 0]
    assert size(file) == (number - 100_000) * len(line)
    # a line that is not whole stays
    add(file, line * 100_000 + "tiles")
    assert await growth(counts) == [100_000, 0, 0, 0]
    assert size(file) == number * len(line) + 5
    add(file, " HIT 200\n")
    assert await growth(counts) == [1, 0, 0, 0]
    assert size(file) == 0
    add(file, line)
    assert await growth(counts) == [1, 0, 0, 0]


async def test_a_running_gateway_counts_what_its_nginx_answers(gateway: Gateway, session: ClientSession) -> None:
    async def number() -> float:
        async with session.get(f"{gateway.internal_url}/internal/metrics") as response:
            lines = (await response.text()).splitlines()
        wanted = 'dams_gateway_requests_total{cache="none",service="gateway",status="404"} '
        return sum(float(line.removeprefix(wanted)) for line in lines if line.startswith(wanted))

    before = await number()
    for _ in range(3):
        async with session.get(f"{gateway.url}/nothing") as response:
            assert response.status == 404

    async def counted() -> bool:
        return await number() >= before + 3

    await eventually(counted)


async def test_nobody_has_to_ask_for_what_is_answered_to_be_counted(gateway: Gateway) -> None:
    lines = gateway.folder / "counts.log"
    # more lines than the file may keep
    add(lines, "no line of ours\n" * 300_000)

    async def begun_anew() -> bool:
        return size(lines) < 1_000_000

    await eventually(begun_anew)
