"""Directives that bound, hasten or protect, of which no single answer tells whether they are there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gateway.nginx.directives import quote
from gateway.settings import SERVICES
from tests.gateway.nginx.configuration import API, CHANGES, EXPORT, TILES, Block, read_config, read_http, read_server

PASSED_ON = (API, TILES, EXPORT, CHANGES)
SENTENCES = {
    400: "The request is malformed: perhaps its address is not percent-encoded, or its Host header is not a host name.",
    404: "The resource does not exist. The service starts at /api/.",
    405: "Only GET, HEAD, OPTIONS are allowed.",
    412: "The resource does not meet the conditions of the request (If-Match, If-Unmodified-Since).",
    413: "The request has a body, and that body is too large.",
    414: "The address is too long; at most 32 kB are accepted.",
    416: "The resource has no bytes in the range that the request names.",
    429: "Your network address asks for more than is answered for one client. Please try again soon.",
    431: "The headers are too large; at most 32 kB are accepted.",
    500: "The gateway failed.",
    501: "The request uses a transfer coding that the gateway does not support. Only chunked is supported.",
    503: "The part of the service that answers this is not available now. Please try again soon.",
    504: "The part of the service that answers this took too long.",
    505: "The gateway speaks HTTP/1.0, HTTP/1.1 and HTTP/2.",
}
STATUSES = tuple(SENTENCES)


def _said(block: Block, names: tuple[str, ...]) -> dict[str, str | None]:
    return {name: block.one(name) for name in names}


def test_the_program_takes_what_the_machine_has() -> None:
    config = read_config()
    of_program = {"worker_processes": "auto", "pcre_jit": "on", "worker_rlimit_nofile": "8192"}
    assert _said(config, tuple(of_program)) == of_program
    assert config.blocks["events"].one("worker_connections") == "2048"


def test_answers_of_all_services_are_sent_and_bounded_alike() -> None:
    expected = {
        "default_type": "application/octet-stream",
        "server_tokens": "off",
        "sendfile": "off",
        "output_buffers": "1 256k",
        "open_file_cache": "max=256 inactive=60s",
        "open_file_cache_valid": "1s",
        "keepalive_timeout": "65s",
        # a filter of 16 kB, percent-encoded, is one line
        "client_header_buffer_size": "4k",
        "large_client_header_buffers": "4 32k",
        "client_max_body_size": "256k",
        "gzip": "on",
        "gzip_comp_level": "4",
        "gzip_min_length": "512",
        "gzip_proxied": "any",
        "gzip_vary": "off",
        "gzip_types": "*",
        **{f"{kind}_temp_path": f"tmp/{kind}" for kind in ("proxy", "fastcgi", "uwsgi", "scgi")},
        "client_body_temp_path": "tmp/body",
        # a client that reads nothing counts as gone
        "send_timeout": "20s",
        "reset_timedout_connection": "on",
    }
    http = read_http()
    assert _said(http, tuple(expected)) == expected
    path, *options = (http.one("proxy_cache_path") or "").split()
    assert path == "cache"
    assert set(options) == {
        *("levels=1:2", "keys_zone=responses:64m", "max_size=512m", "min_free=64m", "inactive=75s"),
        *("manager_files=1000", "use_temp_path=off"),
    }
    assert http.all("access_log") == [
        ["/dev/stdout", "access", "buffer=4k", "flush=1s"],
        ["counts.log", "counts", "buffer=16k", "flush=1s"],
    ]


def test_services_keep_connections_and_the_least_busy_process_is_asked() -> None:
    http = read_http()
    for service in SERVICES:
        block = http.blocks[f"upstream {service}"]
        assert ["least_conn"] in block.directives
        assert (block.one("keepalive"), block.one("zone")) == ("32", f"upstream_{service} 128k")
    asked = {EXPORT: "by_address_$service", "location @again": "$another"}
    for place in (*PASSED_ON, "location @uncached", "location @again", "location @leaving"):
        expected = {
            "proxy_http_version": "1.1",
            "proxy_redirect": "off",
            "proxy_buffers": "16 16k",
            "proxy_busy_buffers_size": "64k",
            # nothing goes to the disk for a client that reads slowly
            "proxy_max_temp_file_size": "0",
            "proxy_pass": f"http://{asked.get(place, '$service')}$service_uri",
        }
        block = http.blocks["server"].blocks[place]
        assert _said(block, tuple(expected)) == expected, place
        said = block.headers("add_header")
        assert (said["X-Cache"], said["Vary"]) == ("$upstream_cache_status", "$whole_vary")
        assert (said["Server-Timing"], said["Alt-Svc"]) == ("$server_timing", "$alternative_service")
        assert said["Referrer-Policy"] == "strict-origin-when-cross-origin"


def test_nothing_reaches_a_service_that_it_could_take_for_something_else() -> None:
    server = read_server()
    guards = {'if ($client_host = "")': "400", "if ($refused_method)": "405", "if ($not_encoded)": "400"}
    for place in (*PASSED_ON, "location = /api/openapi.json"):
        found = {name: block.one("return") for name, block in server.blocks[place].blocks.items()}
        assert guards.items() <= found.items(), place
    for place in (API, TILES, EXPORT):
        led = server.blocks[place].blocks["if ($without_slash)"]
        assert led.one("return") == "308 '/api$without_slash'"
        # a page of another origin must be able to follow
        assert led.headers("add_header")["Access-Control-Allow-Origin"] == "*"
    assert server.blocks["location = /api/openapi.json"].one("rewrite") == "^ /_openapi/$openapi_type last"
    assert server.blocks["location = /api/internal"].one("return") == "404"
    assert server.blocks["location ^~ /api/internal/"].one("return") == "404"
    assert server.blocks["location @again"].blocks['if ($another = "")'].one("return") == "504"
    assert (server.one("absolute_redirect"), server.one("server_name")) == ("off", "_")


def test_gateway_responses_name_server_and_lifetime() -> None:
    server = read_server()
    keeps = {"location = /favicon.ico": "'public, max-age=86400'", "location = /robots.txt": "'public, max-age=86400'"}
    for place in ("location = /", *keeps):
        said = server.blocks[place].headers("add_header")
        assert (said["X-Content-Type-Options"], said["X-Request-Id"]) == ("nosniff", "$request_id")
        assert said["Access-Control-Allow-Origin"] == "*"
        assert said.get("Cache-Control") == keeps.get(place)
    assert server.blocks["location = /"].one("return") == "302 '/api/'"
    rules = ("User-agent: *", *(f"Disallow: /api/{path}" for path in ("*?", "collections/*/tiles/*/*/", "tiles/*/*/")))
    robots = server.blocks["location = /robots.txt"]
    text = "".join(f"{rule}\n" for rule in rules)
    assert robots.one("return") == f"200 '{text}'"
    assert (robots.one("default_type"), server.blocks["location = /favicon.ico"].one("default_type")) == (
        "text/plain",
        "image/svg+xml",
    )
    assert server.blocks["location = /api"].one("rewrite") == "^ /api/ last"


def test_draining_closes_connections_after_their_response() -> None:
    server = read_server()
    for place in PASSED_ON:
        drained = server.blocks[place].blocks.get("if (-f draining)")
        if place in (API, TILES):
            assert drained is not None
            assert drained.one("return") == "418"
            # looked for once a second, whether it is there or not
            assert server.blocks[place].one("open_file_cache_errors") == "on"
        else:
            assert drained is None


def test_cache_distinguishes_by_key_and_waits_a_moment() -> None:
    block = read_server().blocks[API]
    assert block.one("proxy_cache") == "responses"
    assert block.one("proxy_ignore_headers") == "Vary"
    assert block.one("proxy_no_cache") == "$not_cached $varies_otherwise"
    assert block.one("proxy_cache_lock_timeout") == "300ms"


@pytest.mark.parametrize("place", [*PASSED_ON, "location @uncached", "location @leaving", ""])
def test_errors_of_nginx_have_pages_wherever_they_come_about(place: str) -> None:
    server = read_server()
    pages = {code: rest for code, *rest in (server.blocks[place] if place else server).all("error_page")}
    if place in (CHANGES, EXPORT):
        # those of the server
        assert pages == {}
        return
    led = {"500": "@uncached", "418": "@leaving", "504": "@again"}
    if place == "":
        led = {}
    elif place == "location @uncached":
        led = {"504": "@again"}
    expected = {str(status): [f"={status}", f"/_error/{status}$error_form"] for status in STATUSES}
    expected |= {"494": ["=431", "/_error/431$error_form"], "497": ["=400", "/_error/400$error_form"]}
    expected |= {"502": ["=503", "/_error/503$error_form"]}
    expected |= {status: [f"={status}", "/_error/redirect"] for status in ("302", "308")}
    assert pages == expected | {code: ["=", location] for code, location in led.items()}
    if place:
        assert server.blocks[place].one("recursive_error_pages") == "on"


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("form", ["", ".html"])
def test_errors_are_kept_by_nobody_and_say_what_to_do(status: int, form: str) -> None:
    block = read_server().blocks[f"location = /_error/{status}{form}"]
    assert ["internal"] in block.directives
    said = block.headers("add_header")
    assert (said["Cache-Control"], said["Vary"], said["Content-Language"]) == (
        "no-store",
        "'Accept, Accept-Encoding'",
        "en",
    )
    assert said.get("Retry-After") == ("2" if status in {429, 503, 504} else None)
    assert said.get("Allow") == ("'GET, HEAD, OPTIONS'" if status == 405 else None)
    assert (said["Access-Control-Allow-Origin"], said["X-Request-Id"]) == ("*", "$request_id")
    assert said["Access-Control-Expose-Headers"] == "*"
    if form:
        assert (block.one("alias"), block.one("charset")) == (f"errors/{status}.html", "utf-8")
        assert "default-src 'none'" in said["Content-Security-Policy"]
    else:
        code, _, body = (block.one("return") or "").partition(" ")
        assert (code, block.one("default_type")) == (str(status), "application/json")
        assert json.loads(body.strip("'")) == {"detail": SENTENCES[status]}


def test_a_published_document_is_asked_about_by_pages_of_others() -> None:
    for name in ("openapi", "json"):
        block = read_server().blocks[f"location = /_openapi/{name}"]
        assert ["internal"] in block.directives
        assert (block.one("root"), block.one("try_files")) == ("published", "/openapi.json =503")
        said = block.headers("add_header")
        assert (said["Vary"], said["Cache-Control"]) == ("'Accept, Accept-Encoding'", "'public, max-age=0'")
        assert (block.one("sub_filter_types"), block.one("sub_filter_last_modified")) == ("*", "on")
        preflight = block.blocks["if ($request_method = OPTIONS)"]
        assert preflight.one("return") == "204"
        asked = preflight.headers("add_header")
        assert asked["Allow"] == asked["Access-Control-Allow-Methods"] == "'GET, HEAD, OPTIONS'"
        assert asked["Access-Control-Allow-Headers"] == "'$allowed_headers'"
        assert asked["Access-Control-Max-Age"] == "86400"


def test_with_a_certificate_connections_are_as_mozilla_has_them(tmp_path: Path) -> None:
    file = tmp_path / "tls.pem"
    file.touch()
    server = read_server({"DAMS_GATEWAY_TLS_CERTIFICATE": str(file), "DAMS_GATEWAY_TLS_KEY": str(file)})
    expected = {
        "ssl_protocols": "TLSv1.2 TLSv1.3",
        "ssl_ciphers": "ECDHE+AESGCM:ECDHE+CHACHA20",
        "ssl_prefer_server_ciphers": "off",
        "ssl_session_cache": "shared:tls:10m",
        "ssl_session_timeout": "1d",
        "ssl_session_tickets": "off",
    }
    assert _said(server, tuple(expected)) == expected


def test_http3_also_listens_on_udp_and_is_advertised(tmp_path: Path) -> None:
    file = tmp_path / "tls.pem"
    file.touch()
    with_tls = {
        "DAMS_GATEWAY_TLS_CERTIFICATE": str(file),
        "DAMS_GATEWAY_TLS_KEY": str(file),
        "DAMS_GATEWAY_TLS_PORT": "8444",
    }
    with_http3 = {**with_tls, "DAMS_GATEWAY_HTTP3": "yes", "DAMS_PUBLIC_URL": "https://a.example:444/api"}
    found = []
    for environment in (with_tls, with_http3):
        http = read_http(**environment)
        server = http.blocks["server"]
        told = http.blocks['map "$scheme" $alternative_service'].directives
        found.append((server.all("listen")[1:], server.one("http2"), told))
    nothing = ["default", '""']
    assert found == [
        ([["127.0.0.1:8444", "ssl", "http2"]], None, [['"https"', '""'], nothing]),
        (
            [["127.0.0.1:8444", "ssl"], ["127.0.0.1:8444", "quic", "reuseport"]],
            "on",
            [['"https"', r'"h3=\":444\"; ma=86400"'], nothing],
        ),
    ]


def test_a_line_of_the_log_has_all_its_fields() -> None:
    formats = {words[0]: words[1:] for words in read_http().all("log_format")}
    fields = dict(part.split(":", 1) for part in "".join(formats["access"][1:]).strip("'{}").split(","))
    assert {name.strip('"'): value.strip('"') for name, value in fields.items()} == {
        "time": "$time_iso8601",
        "level": "INFO",
        "service": "gateway",
        "logger": "dams.access",
        "message": "request",
        "request_id": "$request_id",
        "trace_id": "$trace_id",
        "client": "$remote_addr",
        "method": "$request_method",
        "path": "$logged_path",
        "status": "$status",
        "bytes": "$body_bytes_sent",
        "seconds": "$request_time",
        "upstream": "$upstream_addr",
        "upstream_seconds": "$upstream_response_time",
        "cache": "$upstream_cache_status",
        "referrer": "$logged_referrer",
        "agent": "$logged_agent",
    }
    assert formats["counts"] == ["'$service $upstream_cache_status $status'"]


@pytest.mark.parametrize("text", ["'", "'a", "/srv/o'neil", "a'"])
def test_a_text_with_an_apostrophe_is_refused_before_nginx_reads_it(text: str) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        quote(text)
    assert str(raised.value) == f'"{text}" cannot be quoted for nginx'
    assert quote(text.replace("'", '"')) == "'{}'".format(text.replace("'", '"'))
