"""The whole product as `make up` starts it: all parts through one address, each able to fail alone."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import socket
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest

from tests.eventually import eventually_true
from tests.running_stack import RunningStack

pytestmark = pytest.mark.system

PROBES = {
    "common": "/collections",
    "features": "/collections/hazard.hazard_eq_events/items?limit=1",
    "viewer": "/docs",
}
FRESH = itertools.count(1)
TILE = "/collections/hazard.hazard_eq_events/tiles/WebMercatorQuad/0/0/0"


def get(url: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the stack's own address
    try:
        with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310
            return response.status, dict(response.headers), response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


def get_json(url: str, **headers: str) -> Any:
    status, _, body = get(url, **headers)
    assert status == 200, body
    return json.loads(body)


def probe(stack: RunningStack, service: str) -> tuple[int, dict[str, str], bytes]:
    """A request that nginx cannot answer with what it holds from an earlier one (stale-if-error)."""
    return get(stack.base_url + PROBES[service], Host=f"probe-{next(FRESH)}.example.org")


def test_eighteen_collections_with_data_in_each(stack: RunningStack) -> None:
    collections = get_json(f"{stack.base_url}/collections?limit=1000")["collections"]
    assert len(collections) == 18
    for collection in collections:
        items = get_json(f"{stack.base_url}/collections/{collection['id']}/items?limit=1")
        assert items["numberReturned"] == 1, collection["id"]
        assert items["numberMatched"] > 10, collection["id"]


def test_document_describes_all_services(stack: RunningStack) -> None:
    document = get_json(f"{stack.base_url}/openapi.json")
    assert document["servers"] == [{"url": stack.base_url}]
    assert {tag["name"] for tag in document["tags"]} == {
        "OGC Common",
        "OGC Features API",
        "OGC Tiles API",
        "Map Viewer",
    }
    operations = {tag for item in document["paths"].values() for tag in (item.get("get") or item["post"])["tags"]}
    assert operations == {tag["name"] for tag in document["tags"]}


def test_landing_page_gathers_the_links_of_all(stack: RunningStack) -> None:
    landing = get_json(f"{stack.base_url}/", Accept="application/json")
    relations = {link["rel"] for link in landing["links"]}
    assert {"self", "service-desc", "service-doc", "conformance", "data"} <= relations
    for link in landing["links"]:
        assert link["href"].startswith(stack.base_url), link
        if not link.get("templated"):
            assert get(link["href"], Accept=link.get("type", "*/*"))[0] == 200, link


def test_links_carry_the_address_that_the_client_used(stack: RunningStack) -> None:
    landing = get_json(f"{stack.base_url}/?f=json", Host="data.example.org")
    assert all(link["href"].startswith("http://data.example.org/api") for link in landing["links"])


def test_internal_resources_are_not_reachable(stack: RunningStack) -> None:
    for path in ("/internal/health", "/internal/part", "/internal/catalogue", "/%69nternal/catalogue"):
        assert get(stack.base_url + path)[0] == 404


def test_a_long_filter_passes_all_the_way(stack: RunningStack) -> None:
    terms = "%20OR%20".join(f"magnitude%3E{number}" for number in range(1, 200))
    padding = "%20" * (5000 - len(terms) // 3)
    url = f"{stack.base_url}/collections/hazard.hazard_eq_events/items?limit=1&filter={terms}{padding}"
    assert len(url) > 14_000
    assert get(url)[0] == 200


def test_a_large_page_over_http_1_0_has_its_length(stack: RunningStack) -> None:
    address = urlsplit(stack.base_url)
    path = f"{address.path}/collections/hazard.hazard_eq_events/items?f=csv&limit=10000"
    with socket.create_connection((address.hostname or "", address.port or 80), timeout=30) as connection:
        connection.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
        with connection.makefile("rb") as answer:
            head, _, body = answer.read().partition(b"\r\n\r\n")
    assert b" 200 " in head.splitlines()[0]
    assert f"content-length: {len(body)}" in head.decode().lower()
    assert body == get(f"{stack.base_url}{path.removeprefix(address.path)}")[2]


def test_metrics_and_health_of_every_process(stack: RunningStack) -> None:
    for program, url in stack.service_urls.items():
        for path in ("health", "health/ready", "health/live"):
            assert get(f"{url}/internal/{path}")[0] == 200, program
        assert b"process_cpu_seconds_total" in get(f"{url}/internal/metrics")[2], program


@pytest.mark.parametrize("down", ["common", "features", "viewer"])
def test_one_service_down_leaves_the_others(stack: RunningStack, down: str) -> None:
    stack.stop(down)
    try:
        status, headers, body = probe(stack, down)
        assert (status, headers["Retry-After"]) == (503, "2")
        assert list(json.loads(body)) == ["detail"]
        for service in PROBES.keys() - {down}:
            assert probe(stack, service)[0] == 200, service
        assert get(stack.base_url + TILE)[0] == 200
    finally:
        stack.start(down)
        eventually_true(lambda: probe(stack, down)[0] == 200)


def test_one_process_of_two_is_enough(stack: RunningStack) -> None:
    stack.stop("tiles_0")
    try:
        for column in range(4):
            path = TILE.replace("/0/0/0", f"/2/{column}/1")
            assert get(stack.base_url + path)[0] == 200
    finally:
        stack.start("tiles_0")
        eventually_true(lambda: get(f"{stack.service_urls['tiles_0']}/internal/health")[0] == 200)


def test_both_tiles_processes_get_requests(stack: RunningStack) -> None:
    limits = itertools.count(100)

    def both_have_answered() -> bool:
        # nginx leaves a process alone for two seconds after it failed: it has just been stopped.
        for _ in range(4):
            get(f"{stack.base_url}{TILE}?limit={next(limits)}")
        metrics = (get(f"{stack.service_urls[name]}/internal/metrics")[2].decode() for name in ("tiles_0", "tiles_1"))
        return all('route="/collections/{collectionId}/tiles/' in text for text in metrics)

    eventually_true(both_have_answered)


@pytest.mark.faults
def test_killed_processes_are_back_in_the_documented_time(stack: RunningStack) -> None:
    """`docs/faults.md` says how long requests are 503 where all processes of a service are killed at once."""
    page = (Path(__file__).parents[2] / "docs/faults.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"\| All processes of a service are killed \| 503 [^|]* at most (\d+) s", page)
    programs = [name for name in stack.service_urls if name.startswith("features_") and not name.endswith("_spare")]
    killed = {name: stack.pid(name) for name in programs}
    for pid in killed.values():
        os.kill(pid, signal.SIGKILL)
    begun = time.monotonic()
    while True:
        status, headers, _ = probe(stack, "features")
        if status == 200:
            break
        assert (status, bool(headers["Retry-After"])) == (503, True)
        assert time.monotonic() - begun < int(told)
        time.sleep(0.2)
    assert all(stack.pid(name) != killed[name] for name in programs)
    eventually_true(lambda: all(get(f"{stack.service_urls[name]}/internal/health")[0] == 200 for name in programs))


@pytest.mark.parametrize("program", ["features_0", "gateway"])
def test_a_killed_process_is_started_again(stack: RunningStack, program: str) -> None:
    before = stack.pid(program)
    os.kill(before, signal.SIGKILL)

    def back() -> bool:
        pid = stack.pid(program)
        if pid in {0, before}:
            return False
        # the nginx of the gateway that was killed serves on until the new one has taken its place
        started = [child.name() for child in psutil.Process(pid).children()]
        return ("nginx" in started or program != "gateway") and probe(stack, "features")[0] == 200

    eventually_true(back)
    if program == "gateway":
        time.sleep(1)
        eventually_true(back)
