"""Formats, languages, methods and origins: the same rules for every operation of every service."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest

from tests.contract.conftest import Api, Response

pytestmark = pytest.mark.system

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8"
ORIGIN = "https://elsewhere.example"
OURS = {"text/html", "application/json", "application/schema+json"}


def _ask(api: Api, method: str, path: str, **headers: str) -> Response:
    request = urllib.request.Request(api.base + path, headers=headers, method=method)  # noqa: S310 - own address
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            return Response(answer.status, answer.headers, answer.read(), path)
    except urllib.error.HTTPError as error:
        with error:
            return Response(error.code, error.headers, error.read(), path)


def _kind(answer: Response) -> str:
    return answer.type.partition("; charset")[0]


def _addresses(api: Api) -> list[str]:
    found = [api.address(operation.path) for operation in api.operations()]
    assert len(found) >= 17
    return [*found, "/openapi.json"]


def test_head_is_get_without_the_body(api: Api) -> None:
    for path in _addresses(api):
        got, head = _ask(api, "GET", path), _ask(api, "HEAD", path)
        assert (head.status, head.body) == (200, b""), path
        for name in ("Content-Type", "ETag", "Vary", "Content-Language", "Cache-Control", "Link"):
            assert head.headers.get(name) == got.headers.get(name), (path, name)


def test_options_tells_the_methods_and_is_a_preflight(api: Api) -> None:
    for path in _addresses(api):
        answer = _ask(
            api,
            "OPTIONS",
            path,
            Origin=ORIGIN,
            **{"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "accept,if-none-match"},
        )
        assert answer.status == 204, path
        assert answer.headers["Access-Control-Allow-Origin"] == "*", path
        assert "GET" in answer.headers["Access-Control-Allow-Methods"], path
        assert "if-none-match" in answer.headers["Access-Control-Allow-Headers"].lower(), path
        assert "Access-Control-Allow-Credentials" not in answer.headers, path
        assert "GET" in answer.headers["Allow"], path


def test_any_page_may_read_what_is_answered(api: Api) -> None:
    for path in _addresses(api):
        for answer in (_ask(api, "GET", path, Origin=ORIGIN), _ask(api, "GET", f"{path}?nonsense=1", Origin=ORIGIN)):
            assert answer.headers.get_all("Access-Control-Allow-Origin") == ["*"], (path, answer.status)
            assert "Access-Control-Allow-Credentials" not in answer.headers, path


def test_nothing_can_be_written(api: Api) -> None:
    for path in _addresses(api):
        # a search by POST reads
        declared = api.document["paths"].get(path.partition("?")[0], {})
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            if method.lower() in declared:
                continue
            answer = _ask(api, method, path)
            assert answer.status == 405, (method, path, answer.status)
            assert "GET" in answer.headers["Allow"], (method, path)


def test_every_format_is_found_by_f_and_by_accept(api: Api) -> None:
    for operation in api.operations():
        offered = operation.negotiated()
        path = api.address(operation.path)
        assert _kind(_ask(api, "GET", path)) == offered[0], path
        assert _kind(_ask(api, "GET", path, Accept="*/*")) == offered[0], path
        if "text/html" in offered:
            assert _kind(_ask(api, "GET", path, Accept=BROWSER)) == "text/html", path
        for wanted in offered:
            others = ",".join(f"{other};q=0.5" for other in offered if other != wanted)
            accept = f"{others},{wanted}".lstrip(",")
            assert _kind(_ask(api, "GET", path, Accept=accept)) == wanted, (path, accept)


def test_some_formats_are_for_who_names_them(api: Api) -> None:
    found = []
    for operation in api.operations():
        path, offered = api.address(operation.path), list(operation.content())
        for name in ("json", "html") if offered != operation.negotiated() else ():
            answer = _ask(api, "GET", f"{path}?f={name}", Accept="*/*")
            assert _kind(answer) == {"json": "application/json", "html": "text/html"}[name]
            assert answer.headers["Content-Language"] == "en"
            found.append(operation.path)
    # tiles, which maps request; and schemas, which clients request with f=json
    tile, collection = "/tiles/{tileMatrixSetId}/{z}/{x}/{y}", "/collections/{collectionId}"
    schemas = {f"{collection}/{name}" for name in ("queryables", "sortables", "schema")}
    assert set(found) == {tile, f"{collection}{tile}", *schemas}


def test_what_depends_on_accept_says_so(api: Api) -> None:
    for operation in api.operations():
        answer = _ask(api, "GET", api.address(operation.path))
        varies = "accept" in [name.strip().lower() for name in ", ".join(answer.headers.get_all("Vary", [])).split(",")]
        assert varies or len(operation.negotiated()) == 1, operation.path


def test_our_words_are_english_and_data_are_in_no_language(api: Api) -> None:
    for operation in api.operations():
        for media_type in operation.negotiated():
            answer = _ask(api, "GET", api.address(operation.path), Accept=media_type)
            expected = "en" if media_type in OURS else None
            assert answer.headers["Content-Language"] == expected, (operation.path, media_type)


def test_an_unacceptable_format_is_refused_with_what_there_is(api: Api) -> None:
    for operation in api.operations():
        answer, offered = _ask(api, "GET", api.address(operation.path), Accept="image/png"), operation.negotiated()
        if len(offered) == 1:
            # a single format cannot be negotiated
            assert (answer.status, _kind(answer)) == (200, offered[0]), operation.path
            assert "406" not in operation.responses, operation.path
            continue
        assert answer.status == 406, operation.path
        for media_type in offered:
            assert media_type in answer.json()["detail"], operation.path


@pytest.mark.parametrize(
    ("path", "status", "title"),
    [
        ("/collections/no.such", 404, "Page not found"),
        ("/nowhere", 404, "Page not found"),
        ("/collections?limit=x", 422, "Something in this address is wrong"),
        ("/collections/hazard.hazard_eq_events/queryables?limit=x", 422, "Something in this address is wrong"),
        ("/collections/hazard.hazard_eq_events/items?limit=x", 422, "Earthquake events"),
    ],
)
def test_people_get_the_same_detail_as_a_page(api: Api, path: str, status: int, title: str) -> None:
    page, document = _ask(api, "GET", path, Accept=BROWSER), _ask(api, "GET", path, Accept="application/json")
    assert (page.status, document.status) == (status, status)
    detail = document.json()["detail"]
    said = detail if isinstance(detail, str) else detail[0]["msg"]
    text = page.body.decode()
    assert said in text.replace("&#39;", "'").replace("&#34;", '"')
    if not path.startswith("/nowhere"):
        assert f"<h1>{title}" in text


def test_who_wants_neither_page_nor_json_is_told_in_json(api: Api) -> None:
    answer = _ask(api, "GET", "/collections", Accept="application/geo+json, text/html;q=0")
    assert (answer.status, _kind(answer)) == (406, "application/json")
