"""The nginx configuration that follows from the settings: timeouts, limits for clients, the order of processes.

Tests of a running gateway show what nginx does with it. The cases here would take too long there, or need too many
gateways.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gateway.nginx.routes import Routes, routes
from gateway.settings import SERVICES
from tests.gateway.nginx.configuration import (
    ALL,
    API,
    CHANGES,
    EXPORT,
    PARTS,
    TILES,
    read_config,
    read_http,
    read_server,
)


def _seconds(text: str | None) -> float:
    assert text is not None
    assert text.endswith("ms")
    return float(text.removesuffix("ms")) / 1000


def test_the_program_stays_in_the_foreground_and_in_its_folder() -> None:
    config = read_config()
    assert (config.one("daemon"), config.one("working_directory")) == ("off", "'/run/the gateway'")
    assert (config.one("pid"), config.one("error_log"), config.one("user")) == ("nginx.pid", "stderr warn", None)
    assert read_config(user="dams").one("user") == "dams"
    # connections to both sides and files of the cache
    assert int(config.one("worker_rlimit_nofile") or 0) >= 2 * int(
        config.blocks["events"].one("worker_connections") or 0
    )


@pytest.mark.parametrize(("environment", "silence"), [({}, 8.9), ({"DAMS_GATEWAY_TIMEOUT_SECONDS": "4"}, 4.0)])
@pytest.mark.parametrize("place", [API, TILES, "location @uncached", "location @leaving"])
def test_nobody_waits_for_ten_seconds(place: str, environment: dict[str, str], silence: float) -> None:
    """The waits for another request's answer, for a machine that is down and for a process that hangs, and then for the
    next process.
    """
    server = read_server(environment)
    first, again = server.blocks[place], server.blocks["location @again"]
    assert _seconds(first.one("proxy_read_timeout")) == silence
    waits = [
        _seconds(block.one(name))
        for block in (first, again)
        for name in ("proxy_connect_timeout", "proxy_read_timeout")
    ]
    # a machine accepts a connection soon or never; the second process has less time
    assert waits == [0.3, silence, 0.1, 0.35]
    lock = first.one("proxy_cache_lock_timeout")
    assert sum(waits) + (_seconds(lock) if lock else 0) < silence + 1.1
    # another process may answer what one process refused, if there is time for it
    assert first.all("proxy_next_upstream") == [["error", "timeout"]]
    assert _seconds(first.one("proxy_next_upstream_timeout")) == silence / 2
    assert again.all("proxy_next_upstream") == [["error"]]


def test_files_and_streams_may_take_longer() -> None:
    server = read_server()
    export, changes = server.blocks[EXPORT], server.blocks[CHANGES]
    assert _seconds(export.one("proxy_read_timeout")) == 600
    # each listener hears something every 15 seconds
    assert 15 < _seconds(changes.one("proxy_read_timeout")) <= 60
    assert (changes.one("proxy_buffering"), changes.one("gzip")) == ("off", "off")
    # a download has a Content-Length, unless it is a text
    texts = ["text/csv", "application/json", "application/ndjson", "application/geo+json"]
    assert export.all("gzip_types") == [texts]
    assert [_seconds(block.one("proxy_connect_timeout")) for block in (export, changes)] == [0.3, 0.3]
    assert [_seconds(block.one("proxy_next_upstream_timeout")) for block in (export, changes)] == [300, 30]


def test_answers_are_kept_where_they_may_be() -> None:
    keeping = [place for place, block in read_server().blocks.items() if block.one("proxy_cache")]
    assert keeping == [API, TILES, "location @leaving"]
    assert not [place for place, block in read_server(cached=False).blocks.items() if block.one("proxy_cache")]
    block = read_server().blocks[API]
    # nginx keeps answers requested twice, revalidates them by their tags, and serves stale ones during that
    assert block.one("proxy_cache_methods") == "GET HEAD"
    assert block.one("proxy_cache_min_uses") == "2"
    assert [block.one(f"proxy_cache_{name}") for name in ("revalidate", "background_update", "lock")] == ["on"] * 3
    assert block.one("proxy_cache_use_stale") == "http_503"
    assert block.one("if_modified_since") == "before"
    key = block.one("proxy_cache_key") or ""
    assert set(key.strip("'").split()) == {
        "$scheme",
        "$client_host",
        "$service_uri",
        "$negotiated",
        "$wanted_encoding",
        "$wanted_language",
        "$wanted_version",
    }
    # without room the service answers, and another process where one hung
    pages = {code: location for code, _, location in block.all("error_page") if location.startswith("@")}
    assert pages == {"500": "@uncached", "418": "@leaving", "504": "@again"}
    assert read_server().blocks["location @leaving"].one("keepalive_timeout") == "0"


def test_a_long_link_fits_into_the_head_of_an_answer() -> None:
    server = read_server()
    sizes = {place: server.blocks[place].one("proxy_buffer_size") for place in (API, TILES, EXPORT, CHANGES)}
    assert sizes == {API: "64k", TILES: "16k", EXPORT: "64k", CHANGES: "16k"}
    assert server.blocks["location @again"].one("proxy_buffer_size") == "64k"


def test_a_path_that_none_declares_is_unknown_once_all_services_are_known() -> None:
    def status(known: Routes, place: str) -> str | None:
        return read_server(known=known).blocks[place].blocks['if ($service = "")'].one("return")

    for place in (API, TILES, EXPORT, CHANGES):
        assert status(ALL, place) == "404"
        assert status(routes(PARTS[1:]), place) == "503"


def test_each_service_has_its_processes_and_each_of_several_the_others() -> None:
    http = read_http()
    servers = {
        name.removeprefix("upstream "): [words[0] for words in block.all("server")]
        for name, block in http.blocks.items()
        if name.startswith("upstream ")
    }
    tiles = ["10.0.0.1:80", "10.0.0.2:80", "unix:/a.sock"]
    by_address = {name.removeprefix("by_address_"): servers.pop(name) for name in list(servers) if "by_" in name}
    assert by_address == {service: servers[service] for service in SERVICES}
    assert http.blocks["upstream by_address_tiles"].one("hash") == "$request_uri consistent"
    assert servers == {
        "common": ["10.0.0.3:80"],
        "features": ["10.0.0.4:80", "10.0.0.5:80"],
        "features_but_0": ["10.0.0.5:80"],
        "features_but_1": ["10.0.0.4:80"],
        # no process listens there
        "viewer": ["127.0.0.1:9"],
        "tiles": tiles,
        "tiles_but_0": tiles[1:],
        "tiles_but_1": [tiles[0], tiles[2]],
        "tiles_but_2": tiles[:2],
    }
    assert http.blocks["upstream viewer"].all("server") == [["127.0.0.1:9", "down"]]
    # nginx passes over no process for what its predecessor refused
    assert http.blocks["upstream tiles"].all("server")[0] == ["10.0.0.1:80", "max_fails=0"]
    another = http.blocks['map "$service $upstream_addr" $another']
    patterns = [(words[0].strip('"~'), words[1]) for words in another.directives if words[0] != "default"]

    def instead(asked: str) -> str | None:
        return next((name for pattern, name in patterns if re.search(pattern, asked)), None)

    assert instead("tiles 10.0.0.2:80") == "tiles_but_1"
    # the last process that received the request
    assert instead("tiles 10.0.0.2:80, 10.0.0.1:80") == "tiles_but_0"
    assert instead("tiles 10.0.0.2:8080") is None
    assert instead("tiles 10x0.0.2:80") is None
    assert instead("tiles 110.0.0.2:80") is None
    assert instead("common 10.0.0.3:80") is None


def test_backups_are_asked_where_the_others_fail() -> None:
    http = read_http(DAMS_TILES_UPSTREAM="10.0.0.1:80, 10.0.0.2:80 backup, unix:/a.sock backup")
    assert http.blocks["upstream tiles"].all("server") == [
        ["10.0.0.1:80", "max_fails=0"],
        ["10.0.0.2:80", "max_fails=0", "backup"],
        ["unix:/a.sock", "max_fails=0", "backup"],
    ]
    # nginx refuses them in a block with `hash`
    by_address = http.blocks["upstream by_address_tiles"]
    assert (by_address.one("hash"), by_address.all("server")) == (None, http.blocks["upstream tiles"].all("server"))
    assert http.blocks["upstream by_address_viewer"].one("hash") == "$request_uri consistent"
    # of backups alone nginx makes nothing
    assert http.blocks["upstream tiles_but_0"].all("server") == [
        ["10.0.0.2:80", "max_fails=0"],
        ["unix:/a.sock", "max_fails=0"],
    ]


def test_a_client_has_a_bound_unless_its_address_may_be_a_proxy_of_many() -> None:
    http = read_http(DAMS_GATEWAY_REQUESTS_PER_CLIENT="7", DAMS_GATEWAY_REQUESTS_PER_SECOND="50")
    assert http.all("limit_req_zone") == [["$limited_client", "zone=rates:10m", "rate=50r/s"]]
    assert http.all("limit_conn_zone") == [["$limited_client", "zone=clients:10m"]]
    assert (http.one("limit_conn_status"), http.one("limit_req_status")) == ("429", "429")
    for place in (API, TILES, EXPORT, CHANGES, "location @again"):
        block = http.blocks["server"].blocks[place]
        assert block.one("limit_conn") == "clients 7"
        # a map asks for much at once, and then for nothing
        assert block.one("limit_req") == "zone=rates burst=100 nodelay"
    shared = http.blocks["geo $shared_address"]
    assert shared.one("default") == "0"
    assert {words[0] for words in shared.directives if words[1] == "1"} == {
        "127.0.0.0/8",
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "::1/128",
        "fc00::/7",
    }
    limited = http.blocks["map $shared_address $limited_client"]
    assert (limited.one("0"), limited.one("default")) == ("$binary_remote_addr", '""')


def test_without_bounds_there_are_none() -> None:
    http = read_http(DAMS_GATEWAY_REQUESTS_PER_CLIENT="0")
    assert http.all("limit_req_zone") == []
    block = http.blocks["server"].blocks[API]
    assert (block.one("limit_conn"), block.one("limit_req")) == (None, None)


def test_the_address_of_a_client_is_what_a_trusted_proxy_says() -> None:
    http = read_http(DAMS_TRUSTED_PROXIES="10.0.0.1,192.168.0.0/24")
    assert http.all("set_real_ip_from") == [["10.0.0.1/32"], ["192.168.0.0/24"]]
    assert (http.one("real_ip_header"), http.one("real_ip_recursive")) == ("X-Forwarded-For", "on")
    plain = read_http()
    assert (plain.all("set_real_ip_from"), plain.one("real_ip_header")) == ([], None)


def test_a_certificate_brings_a_second_port(tmp_path: Path) -> None:
    assert read_server({"DAMS_GATEWAY_HOST": "::1", "DAMS_GATEWAY_PORT": "81"}).all("listen") == [["[::1]:81"]]
    assert read_server().one("ssl_certificate") is None
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    certificate.touch()
    key.touch()
    environment = {
        "DAMS_GATEWAY_TLS_CERTIFICATE": str(certificate),
        "DAMS_GATEWAY_TLS_KEY": str(key),
        "DAMS_GATEWAY_HOST": "10.0.0.1",
    }
    server = read_server(environment)
    assert server.all("listen") == [["10.0.0.1:8080"], ["10.0.0.1:8443", "ssl", "http2"]]
    assert (server.one("ssl_certificate"), server.one("ssl_certificate_key")) == (f"'{certificate}'", f"'{key}'")
    assert server.all("ssl_protocols") == [["TLSv1.2", "TLSv1.3"]]
    assert server.one("ssl_session_tickets") == "off"


def test_services_get_headers_that_no_client_can_choose() -> None:
    server = read_server()
    for place, tag in ((API, "$wanted_etag"), ("location @again", "$http_if_none_match")):
        sent = server.blocks[place].headers("proxy_set_header")
        assert sent["Host"] == sent["X-Forwarded-Host"] == "$client_host"
        assert (sent["X-Forwarded-Proto"], sent["X-Forwarded-Prefix"]) == ("$scheme", "/api")
        assert (sent["X-Forwarded-For"], sent["X-Client-Protocol"]) == ("$remote_addr", "$server_protocol")
        assert (sent["X-Request-Id"], sent["X-Request-Start"]) == ("$request_id", "$first_asked")
        assert (sent["Accept-Encoding"], sent["Accept-Language"]) == ("$wanted_encoding", "$wanted_language")
        assert (sent["If-None-Match"], sent["traceparent"]) == (tag, "$traceparent")
        assert {name for name, value in sent.items() if value == "''"} == {
            "Connection",
            "Forwarded",
            "X-Real-IP",
            "X-Forwarded-Port",
            "X-Forwarded-Server",
            "X-Original-URL",
            "X-Rewrite-URL",
        }


def test_answers_say_in_the_gateways_words_who_they_are() -> None:
    block = read_server().blocks[API]
    hidden = {name for (name,) in block.all("proxy_hide_header")}
    said = block.headers("add_header")
    assert hidden == {"X-Content-Type-Options", "Referrer-Policy", "X-Request-Id", "Server-Timing", "Vary"}
    assert hidden <= said.keys()
    assert (said["X-Content-Type-Options"], said["X-Request-Id"]) == ("nosniff", "$request_id")
    # errors, too
    assert all(words[-1] == "always" for words in block.all("add_header"))


def test_the_published_document_has_the_address_that_is_set_or_asked_for() -> None:
    known, asked = (
        read_server(env).blocks["location = /_openapi/openapi"]
        for env in ({"DAMS_PUBLIC_URL": "https://a.example"}, {})
    )
    assert (known.one("gzip_static"), known.one("sub_filter")) == ("on", None)
    assert asked.one("gzip_static") is None
    assert asked.all("sub_filter") == [["'http://base-address.invalid/api'", "'$scheme://$client_host/api'"]]
    assert [block.one("default_type") for block in (known, read_server().blocks["location = /_openapi/json"])] == [
        "'application/vnd.oai.openapi+json;version=3.0'",
        "'application/json'",
    ]


def test_logs_are_written_as_they_are_wanted() -> None:
    formats = {words[0]: words[1:] for words in read_http().all("log_format")}
    assert formats["access"][0] == "escape=json"
    text = {words[0]: words[1:] for words in read_http(DAMS_LOG_FORMAT="text").all("log_format")}["access"]
    fields = '$time_iso8601 $remote_addr "$request" $status $body_bytes_sent $request_time $request_id'
    assert text == [f"'{fields}'"]
