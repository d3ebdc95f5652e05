"""The parts of the services become one document, and stay one when a service goes or contradicts another."""

from __future__ import annotations

import copy
import gzip
import json
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from prometheus_client import REGISTRY

from gateway.folder import PUBLISHED
from gateway.parts.fetch import PartsFetcher
from gateway.parts.merge import MergeError
from gateway.parts.publish import Published, Publisher, merge_parts
from gateway.settings import SERVICES
from libs.ogc.service_part import ServicePart
from tests.eventually import eventually
from tests.gateway.harness import Gateway, Upstream, make_part, make_path, running_gateway

OPENAPI = "application/vnd.oai.openapi+json;version=3.0"


async def document(session: ClientSession, url: str, **headers: str) -> tuple[str, Any]:
    async with session.get(f"{url}/api/openapi.json", headers=headers) as response:
        assert response.status == 200
        return response.headers["Content-Type"], json.loads(await response.read())


async def test_document_names_the_address_that_the_client_used(gateway: Gateway, session: ClientSession) -> None:
    kind, found = await document(session, gateway.url)
    assert kind == OPENAPI
    assert found["servers"] == [{"url": f"{gateway.url}/api"}]
    parts = [gateway.upstreams[service].part for service in SERVICES]
    assert list(found["paths"]) == [path for part in parts for path in part["openapi"]["paths"]]
    _, elsewhere = await document(session, gateway.url, Host="data.example.org")
    assert elsewhere["servers"] == [{"url": "http://data.example.org/api"}]


async def test_document_is_asked_about_by_etag_and_date(gateway: Gateway, session: ClientSession) -> None:
    url = f"{gateway.url}/api/openapi.json"
    async with session.get(url) as response:
        etag, modified = response.headers["ETag"], response.headers["Last-Modified"]
    assert etag.startswith("W/")
    for headers in ({"If-None-Match": etag}, {"If-Modified-Since": modified}):
        async with session.get(url, headers=headers) as response:
            assert (response.status, await response.read()) == (304, b"")
    async with session.get(url, headers={"If-None-Match": 'W/"another"'}) as response:
        assert response.status == 200


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        (OPENAPI, OPENAPI),
        ("*/*", OPENAPI),
        ("application/json", "application/json"),
        ("text/html,application/xhtml+xml,*/*;q=0.8", "application/json"),
        (f"application/json;q=0.5, {OPENAPI}", OPENAPI),
    ],
)
async def test_media_type(gateway: Gateway, session: ClientSession, accept: str, kind: str) -> None:
    assert (await document(session, gateway.url, Accept=accept))[0] == kind


async def test_document_headers(gateway: Gateway, session: ClientSession) -> None:
    async with session.get(f"{gateway.url}/api/openapi.json", headers={"Accept-Encoding": "gzip"}) as response:
        assert response.headers["Content-Encoding"] == "gzip"
        assert f"{gateway.url}/api" in gzip.decompress(await response.read()).decode()
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert "Accept" in ", ".join(response.headers.getall("Vary"))


async def test_parts_for_common(gateway: Gateway, session: ClientSession) -> None:
    async with session.get(f"{gateway.internal_url}/internal/parts") as response:
        whole = await response.json()
        tag = response.headers["ETag"]
    assert [part["name"] for part in whole["parts"]] == list(SERVICES)
    assert not any("openapi" in part for part in whole["parts"])
    assert whole["conformsTo"] == [
        "http://example.org/conf/core",
        *(f"http://example.org/conf/{service}" for service in SERVICES),
    ]
    assert [link["rel"] for link in whole["landingLinks"]] == list(SERVICES)
    assert [link["rel"] for link in whole["collectionLinks"]] == list(SERVICES)
    async with session.get(f"{gateway.internal_url}/internal/parts", headers={"If-None-Match": tag}) as response:
        assert response.status == 304
    async with session.get(f"{gateway.internal_url}/internal/health") as response:
        health = await response.json()
        assert {name: health[name] for name in ("status", "absent")} == {"status": "ok", "absent": []}
        assert health["upstreams"] == {
            service: [f"127.0.0.1:{upstream.port}"] for service, upstream in gateway.upstreams.items()
        }
    async with session.get(f"{gateway.internal_url}/internal/metrics") as response:
        assert "dams_gateway_published_services 4.0" in await response.text()


async def test_an_unchanged_part_is_not_sent_again(gateway: Gateway) -> None:
    upstream = gateway.upstreams["common"]

    async def asked_again() -> bool:
        return 304 in upstream.part_status

    await eventually(asked_again)


async def test_pinned_address(tmp_path: Path, session: ClientSession) -> None:
    said = {
        "DAMS_PUBLIC_URL": "https://example.org/hazards/",
        "DAMS_SITE_TITLE": "Ours & theirs",
        "DAMS_LOG_FORMAT": "text",
    }
    said["DAMS_LOG_LEVEL"] = "ERROR"
    async with running_gateway(tmp_path / "gateway", **said) as gateway:
        await gateway.published()
        _, found = await document(session, gateway.url, Host="other.example")
        assert found["servers"] == [{"url": "https://example.org/hazards"}]
        async with session.get(f"{gateway.url}/api/openapi.json", headers={"Accept-Encoding": "gzip"}) as response:
            assert json.loads(gzip.decompress(await response.read())) == found
        async with session.get(f"{gateway.url}/nowhere", headers={"Accept": "text/html"}) as response:
            page = await response.text()
            assert ('href="https://example.org/hazards/?f=html"' in page, "Ours &amp; theirs" in page) == (True, True)
        # as when a user stops it at a terminal
        assert await gateway.stop(signal.SIGINT) == 0
        # the program's own lines and those of nginx
        assert not [line for line in gateway.log.read_text().splitlines() if line.startswith("{")]
        assert "listening" not in gateway.log.read_text()


async def test_nothing_published_yet(tmp_path: Path, session: ClientSession) -> None:
    async with running_gateway(tmp_path / "gateway") as gateway:
        for upstream in gateway.upstreams.values():
            upstream.part = {"broken": True}
            upstream.part_tag += 1
        await gateway.stop()
        for file in (gateway.folder / "published").iterdir():
            file.unlink()
        await gateway.start()
        async with session.get(f"{gateway.url}/api/openapi.json") as response:
            assert (response.status, response.headers["Retry-After"]) == (503, "2")
        async with session.get(f"{gateway.internal_url}/internal/health") as response:
            assert response.status == 503
        for service, upstream in gateway.upstreams.items():
            upstream.part = make_part(service)
        await gateway.published()
        await document(session, gateway.url)


async def test_a_contradiction_keeps_the_last_good_document(own_gateway: Gateway, session: ClientSession) -> None:
    before = await document(session, own_gateway.url)
    tiles = own_gateway.upstreams["tiles"]
    good = copy.deepcopy(tiles.part)
    tiles.part["openapi"]["components"]["schemas"]["Shared"] = {"type": "string"}
    tiles.part_tag += 1

    async def refused() -> bool:
        async with session.get(f"{own_gateway.internal_url}/internal/metrics") as response:
            return "dams_gateway_refused_parts_total 1.0" in await response.text()

    await eventually(refused)
    assert await document(session, own_gateway.url) == before
    (told,) = (json.loads(line) for line in own_gateway.log.read_text().splitlines() if "CONTRADICT" in line)
    assert "Shared" in told["conflicts"][0]
    assert sorted(told["published"]) == sorted(own_gateway.upstreams)
    good["openapi"]["paths"]["/new"] = good["openapi"]["paths"].pop("/of-tiles")
    tiles.part = good
    tiles.part_tag += 1

    async def renewed() -> bool:
        return "/new" in (await document(session, own_gateway.url))[1]["paths"]

    await eventually(renewed)


async def test_parts_that_contradict_each_other_are_counted(tmp_path: Path) -> None:
    publisher, (one, other) = Publisher(tmp_path, None), (make_part("common"), make_part("tiles"))
    publisher.published = Published(("viewer",), b"", b"")
    other["openapi"]["components"]["schemas"]["Shared"] = {"type": "string"}
    before = REGISTRY.get_sample_value("dams_gateway_refused_parts_total") or 0
    parts = [ServicePart.from_json(part) for part in (one, other)]
    for _ in range(2):
        assert await publisher.merge(parts) is None
    assert await publisher.merge([]) is None
    # once, not at each look
    assert REGISTRY.get_sample_value("dams_gateway_refused_parts_total") == before + 1
    assert await publisher.merge([ServicePart.from_json(part) for part in (one, make_part("tiles"))]) is not None


@pytest.mark.parametrize("program", ["nowhere", "false", "sleeper"])
async def test_parts_that_could_not_be_validated_are_tried_again(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher, parts = Publisher(tmp_path, None), [ServicePart.from_json(make_part("common"))]
    # wherever the gateway was started
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sleeper").write_text("#!/bin/sh\nexec sleep 20\n")
    (tmp_path / "sleeper").chmod(0o755)
    with monkeypatch.context() as broken:
        broken.setattr("gateway.parts.publish.VALIDATION_SECONDS", 0.05 if program == "sleeper" else 60)
        broken.setattr(sys, "executable", shutil.which(program) or str(tmp_path / program))
        for _ in range(2):
            assert await publisher.merge(parts) is None
    found = await publisher.merge(parts)
    assert found is not None
    assert found.services == ("common",)
    # they are the same, now that they are known to be valid
    assert await publisher.merge(parts) is None


def test_an_invalid_document_is_refused() -> None:
    part = make_part("common")
    part["openapi"]["paths"]["/of-common"]["get"]["responses"] = {"200": {"nothing": "described"}}
    with pytest.raises(MergeError) as refused:
        merge_parts([ServicePart.from_json(part)], "http://example.org")
    assert refused.value.conflicts == (
        "the merged document is not valid: paths//of-common/get/responses/200:"
        """ {"nothing":"described"} is not valid under any of the schemas listed in the 'oneOf' keyword""",
    )


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/a b", "no path that can be routed"),
        ("/a/", "no path that can be routed"),
        ("a", "no path that can be routed"),
        ("/a;}", "no path that can be routed"),
        ('/a"', "no path that can be routed"),
        ("/a/{b", "no path that can be routed"),
        ("/internal/health", "never reaches a service"),
        ("/internal", "never reaches a service"),
        ("/openapi.json", "never reaches a service"),
    ],
)
def test_a_path_that_cannot_be_routed_is_refused(path: str, why: str) -> None:
    part = make_part("common")
    part["openapi"]["paths"][path] = make_path("common", "/x")
    with pytest.raises(MergeError, match=why):
        merge_parts([ServicePart.from_json(each) for each in (make_part("tiles"), part)], "http://example.org")


@pytest.mark.parametrize("prefix", ["/assets", "assets/", "/", "/a b/", "/internal/"])
def test_a_folder_of_assets_that_cannot_be_routed_is_refused(prefix: str) -> None:
    part = {**make_part("common"), "assets": [prefix]}
    with pytest.raises(MergeError, match="common declares"):
        merge_parts([ServicePart.from_json(part)], "http://example.org")


async def test_an_absent_service_is_not_advertised(session: ClientSession, tmp_path: Path) -> None:
    upstreams = {service: Upstream(service, part=make_part(service)) for service in SERVICES}
    addresses = {service: (f"127.0.0.1:{upstream.port}",) for service, upstream in upstreams.items()}
    for upstream in upstreams.values():
        await upstream.start()
    try:
        (tmp_path / "published").mkdir()
        publisher, fetcher = Publisher(tmp_path, None), PartsFetcher(session, absent_seconds=0.3)

        async def published(*services: str) -> bool:
            await fetcher.refresh(addresses)
            if merged := await publisher.merge(fetcher.present()):
                publisher.publish(merged)
            return publisher.services == services

        assert await published(*SERVICES)
        await upstreams["features"].stop()
        # A restart is not an absence, although publishing took longer than an absence does here.
        assert await published(*SERVICES)

        async def without_features() -> bool:
            return await published("common", "tiles", "viewer")

        await eventually(without_features)
        paths = json.loads((tmp_path / "published" / "openapi.json").read_bytes())["paths"]
        assert [path for path in paths if path.startswith("/of-")] == ["/of-common", "/of-tiles", "/of-viewer"]
        assert not any(path.endswith("/items") for path in paths)
        await upstreams["features"].start()
        assert await published(*SERVICES)
    finally:
        for upstream in upstreams.values():
            await upstream.stop()


def test_who_is_sent_a_document_has_all_of_it_while_the_next_is_published(tmp_path: Path) -> None:
    (tmp_path / PUBLISHED).parent.mkdir(exist_ok=True)
    publisher = Publisher(tmp_path, None)
    first, second = (merge_parts([ServicePart.from_json(make_part(name))], "http://x") for name in ("common", "tiles"))
    publisher.publish(first)
    with (tmp_path / PUBLISHED).open("rb") as sent, (tmp_path / f"{PUBLISHED}.gz").open("rb") as compressed:
        publisher.publish(second)
        assert (sent.read(), gzip.decompress(compressed.read())) == (first.document, first.document)
    assert (tmp_path / PUBLISHED).read_bytes() == second.document
