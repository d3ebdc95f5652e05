"""The values that nginx's maps give for each request, for texts that few clients send."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product

import pytest

from libs.web.content_coding import takes_brotli, takes_gzip
from tests.gateway.nginx.configuration import Block, read_http
from tests.libs.web.accept_encodings import TAKES_BROTLI, TAKES_GZIP

FOUND = {name: block for name, block in read_http().blocks.items() if name.startswith("map ")}
SOURCES = {name.rpartition(" ")[2]: name.rpartition(" ")[0].removeprefix("map ").strip('"') for name in FOUND}
OWN = f"00-$request_id-{'5' * 16}-01"
TRACE = f"00-{'a' * 32}-{'b' * 16}-01"
ENCODINGS = (*TAKES_GZIP, *TAKES_BROTLI)
TILE = "/collections/a/tiles/WebMercatorQuad/1/2/3"


def by_variable(blocks: Mapping[str, Block]) -> dict[str, Block]:
    return {name.rpartition(" ")[2]: block for name, block in blocks.items()}


MAPS = by_variable(FOUND)


def worked_out(variable: str, text: str, maps: Mapping[str, Block] = MAPS) -> str:
    """As nginx does it: the value of the very text, else of the first pattern that fits, else the default."""
    entries = [(pattern.strip('"'), value.strip('"')) for pattern, value in maps[variable].directives]
    for pattern, value in entries:
        if pattern == text and text != "default":
            return value
    for pattern, value in entries:
        kind = re.match(r"~\*?", pattern)
        if kind and (found := re.search(pattern[kind.end() :], text, re.IGNORECASE if kind[0] == "~*" else 0)):
            return re.sub(r"\$(\d)", lambda group: found[int(group[1])] or "", value)
    return dict(entries)["default"]


@pytest.mark.parametrize(
    ("variable", "texts"),
    [
        (
            "$client_host",
            {
                **dict.fromkeys(("a.example", "A-1.example:65535", "1", "a:1", "a" * 253), "$http_host"),
                **dict.fromkeys(("a" * 254, "a:123456", "a:", "-a", ".a", "a_b", "a b", "a/"), ""),
                **dict.fromkeys(("[::1]", "[2001:DB8::f]:8080", f"[{'1' * 45}]", "[::ffff:1.2.3.4]"), "$http_host"),
                **dict.fromkeys(("[1]", f"[{'1' * 46}]", "[::g]", "[::1]:123456", "[::1", "x[::1]"), ""),
                # HTTP/1.0 knows no Host
                "": "$server_addr:$server_port",
            },
        ),
        (
            "$service",
            {
                **dict.fromkeys(("/tiles", "/tiles?a=b", "/tiles-files/", "/tiles-files/a"), "tiles"),
                **dict.fromkeys(("/%74iles", "/tiles-files/%20", "/nothing%20"), "$service_of_escaped"),
                **dict.fromkeys(("", "/", "/tiles/", "/tilesx", "/a/tiles", "/tiles-files"), ""),
            },
        ),
        ("$service_of_escaped", {"/%74iles": "tiles", "/tiles-files/%20": "tiles", "/%74iles/": "", "/nothing%20": ""}),
        (
            "$service_uri",
            {
                f"/api{TILE}.pbf": TILE,
                f"/api{TILE}.mvt?a=.pbf": f"{TILE}?a=.pbf",
                **{f"/api{TILE}{end}": f"{TILE}{end}" for end in (".pbfx", "xpbf", ".png", "?a=1.pbf")},
                "/api/tiles/WebMercatorQuad/metadata.json": "/tiles/WebMercatorQuad/tilejson.json",
                "/api/tiles/WebMercatorQuad/metadataxjson": "/tiles/WebMercatorQuad/metadataxjson",
                "/api/x/tiles/WebMercatorQuad/metadata.json": "/x/tiles/WebMercatorQuad/metadata.json",
                "/api/collections/a/b/tiles/WebMercatorQuad/metadata.json": (
                    "/collections/a/b/tiles/WebMercatorQuad/metadata.json"
                ),
                "/api/collections/a?b/tiles/WebMercatorQuad/metadata.json": (
                    "/collections/a?b/tiles/WebMercatorQuad/metadata.json"
                ),
                **{"/api": "/", "/api?a=/b": "/?a=/b", "/api/": "/", "/apis": "", "/x/api/a": ""},
            },
        ),
        (
            "$without_slash",
            {"/api/a/": "/a", "/api/a//?b=/": "/a?b=/", **dict.fromkeys(("/api/", "/api/a?b=/", "/x/"), "")},
        ),
        ("$not_encoded", {"/api/%C3%A9?~": "", "/api/\x80": "1", "/api/\xff": "1"}),
        ("$refused_method", {"GET": "", "HEAD": "", "OPTIONS": "", "POST": "$refused_search", "TRACE": "1"}),
        ("$refused_search", {"/search": "1", "": "1"}),
        ("$wanted_etag", {"": "$http_if_none_match", 'W/"1"': "$upstream_cache_etag"}),
        ("$first_asked", {"1": "$msec"}),
        ("$own_traceparent", {"5" * 16 + "a" * 16: OWN}),
        (
            "$traceparent",
            {
                TRACE: "$http_traceparent",
                # without a trace, without a span, and malformed values
                TRACE.replace("a", "0"): "$own_traceparent",
                TRACE.replace("b", "0"): "$own_traceparent",
                **dict.fromkeys(("", f"{TRACE}-1", f" {TRACE}", TRACE.upper(), TRACE[1:]), "$own_traceparent"),
            },
        ),
        ("$trace_id", {TRACE: "a" * 32, "": ""}),
        ("$not_cached", {"304": "1", "200": "", "503": ""}),
        (
            "$wanted_version",
            {
                **dict.fromkeys(("/collections/a/items/1", "/collections/a/items/1?f=csv"), "$http_accept_datetime"),
                **dict.fromkeys(("/collections/a/items", "/collections/a/items/1/cap", "/collections/a/tiles"), ""),
            },
        ),
        (
            "$varies_otherwise",
            {
                **dict.fromkeys(("", "Accept", "accept-language", "Accept , Accept-Encoding,Accept-Language"), ""),
                **dict.fromkeys(("*", "Accept-Charset", "Accept Accept", "Accept, Cookie", "X-Accept"), "1"),
            },
        ),
        (
            "$server_timing",
            {
                **dict.fromkeys(("HIT", "STALE", "UPDATING", "REVALIDATED"), "gateway;desc=$upstream_cache_status"),
                **dict.fromkeys(("", "MISS", "EXPIRED", "BYPASS"), "$upstream_http_server_timing"),
            },
        ),
        (
            "$whole_vary",
            {
                **dict.fromkeys(("304 ", "200 ", "403 ", "404 "), "Accept-Encoding"),
                **dict.fromkeys(("304 Accept", "200 *"), "$upstream_http_vary, Accept-Encoding"),
                **dict.fromkeys(
                    ("304 Accept, accept-encoding", "206 ", "503 Accept", "503 Accept-Encoding"), "$upstream_http_vary"
                ),
            },
        ),
        (
            "$allowed_headers",
            {
                **dict.fromkeys(("range", "X-A, if-none-match"), "$http_access_control_request_headers"),
                **dict.fromkeys(("", 'a"b', "a;b"), "*"),
            },
        ),
        (
            "$negotiated",
            {
                **dict.fromkeys(("f=a", "a=f&f=b"), ""),
                **dict.fromkeys(("", "f=", "f=&a", "ff=a", "F=a"), "$http_accept"),
            },
        ),
        ("$language", {"FR-ca;q=0.2, de": "FR", "es, ar;q=0.9": "es", **dict.fromkeys(("", "de", "english"), "en")}),
        ("$wanted_encoding", {"/tiles-files/a": "$file_encoding", "/a/tiles-files/": "$encoding", "": "$encoding"}),
        ("$encoding", {text: "$br_or_gzip" if takes_gzip(text) else "$only_br" for text in ENCODINGS}),
        ("$only_br", {text: "br" if takes_brotli(text) else "identity" for text in ENCODINGS}),
        ("$br_or_gzip", {text: "br, gzip" if takes_brotli(text) else "gzip" for text in ENCODINGS}),
        ("$file_encoding", {text: "br" if takes_brotli(text) else "$encoding" for text in ENCODINGS}),
        ("$takes_pages", {"a/b, Text/HTML;q=0.1": "1", "text/plain": ""}),
        (
            "$wanted_language",
            {
                **dict.fromkeys(
                    ("1&", "1&a=1", "1&ff=json", "&f=html", "1&a=f&f=html&b", "&f=html&f=json"), "$language"
                ),
                **dict.fromkeys(("&", "1&f=json", "1&a&f=htmlx", "&f=HTML", "&ff=html"), ""),
            },
        ),
        (
            "$likes_pages",
            {
                **dict.fromkeys(("text/html", "a/b , TEXT/HTML ,*/*"), "1"),
                **dict.fromkeys(("text/html;q=0.9", "text/htmlx", "xtext/html"), ""),
            },
        ),
        (
            "$error_form",
            {
                **dict.fromkeys(("1&", "1&f=html", "1&ff=json&f=html&a"), ".html"),
                **dict.fromkeys(("&", "1&f=json", "1&f=htmlx", "1&f="), ""),
            },
        ),
        (
            "$openapi_type",
            {
                **dict.fromkeys(("", "*/*", "application/vnd.oai.openapi+json, text/html"), "openapi"),
                **dict.fromkeys(("text/html", "application/json;q=0.1"), "json"),
            },
        ),
    ],
)
def test_each_text_comes_to_what_is_meant_by_it(variable: str, texts: dict[str, str]) -> None:
    assert {text: worked_out(variable, text) for text in texts} == texts


@pytest.mark.parametrize(
    ("codings", "values"),
    [
        ("gzip", {"$encoding": ["identity", *["gzip"] * 4]}),
        (
            "br",
            {
                "$encoding": ["$only_br", *["$br_or_gzip"] * 4],
                "$br_or_gzip": [*["gzip"] * 2, "br, gzip", "gzip", "br, gzip"],
            },
        ),
    ],
)
def test_client_gets_the_first_accepted_coding(codings: str, values: dict[str, list[str]]) -> None:
    maps = by_variable(read_http(DAMS_GATEWAY_CODINGS=codings).blocks)
    assert {name for name in maps if name.endswith("_or_gzip")} == values.keys() - {"$encoding"}
    texts = ("", "gzip", "gzip, br", "gzip, zstd", "gzip, br, zstd")
    assert {name: [worked_out(name, text, maps) for text in texts] for name in values} == values


@pytest.mark.parametrize("variable", ["$logged_path", "$logged_agent"])
def test_bytes_are_logged_where_they_are_utf_8_alone(variable: str) -> None:
    # the ends of all ranges in the standard, and the bytes beside them
    second, others = b"\x7f\x80\x8f\x90\x9f\xa0\xbf\xc0", b"\x7f\x80\xbf\xc0"
    tails = [tail for length in range(4) for tail in product(*(second, others, others)[:length])]
    texts = [bytes((lead, *tail)) for lead in range(0x80, 0x100) for tail in tails]

    def logged(text: bytes) -> str:
        try:
            return SOURCES[variable] if text.decode() else ""
        except UnicodeDecodeError:
            return "not UTF-8"

    for text in (b"", b"a", *texts):
        assert worked_out(variable, text.decode("latin-1")) == logged(text), text


def test_each_is_worked_out_of_what_it_should_be_and_nothing_else_is() -> None:
    assert [(variable, SOURCES[variable]) for variable in MAPS] == [
        ("$limited_client", "$shared_address"),
        ("$service", "$service_uri"),
        ("$service_of_escaped", "$service_uri"),
        ("$service_uri", "$request_uri"),
        ("$without_slash", "$request_uri"),
        ("$not_encoded", "$request_uri"),
        ("$client_host", "$http_host"),
        ("$refused_method", "$request_method"),
        ("$refused_search", "$service_uri"),
        ("$wanted_encoding", "$service_uri"),
        ("$file_encoding", "$http_accept_encoding"),
        ("$encoding", "$http_accept_encoding"),
        ("$only_br", "$http_accept_encoding"),
        ("$br_or_gzip", "$http_accept_encoding"),
        ("$alternative_service", "$scheme"),
        ("$wanted_etag", "$upstream_cache_etag"),
        ("$first_asked", "$msec"),
        ("$own_traceparent", "$request_id"),
        ("$traceparent", "$http_traceparent"),
        ("$trace_id", "$traceparent"),
        ("$not_cached", "$upstream_status"),
        ("$wanted_version", "$service_uri"),
        ("$varies_otherwise", "$upstream_http_vary"),
        ("$server_timing", "$upstream_cache_status"),
        ("$whole_vary", "$status $upstream_http_vary"),
        ("$allowed_headers", "$http_access_control_request_headers"),
        ("$logged_path", "$request_uri"),
        ("$logged_referrer", "$http_referer"),
        ("$logged_agent", "$http_user_agent"),
        ("$negotiated", "$args"),
        ("$language", "$http_accept_language"),
        ("$takes_pages", "$http_accept"),
        ("$wanted_language", "$takes_pages&$args"),
        ("$likes_pages", "$http_accept"),
        ("$error_form", "$likes_pages&$args"),
        ("$openapi_type", "$http_accept"),
        ("$another", "$service $upstream_addr"),
    ]
