"""Patterns from paths: order, ends, and two services that declare the same."""

from __future__ import annotations

import re
from typing import Any

import pytest

from gateway.nginx.routes import Routes, routes, unroutable
from gateway.settings import SERVICES
from libs.ogc.service_part import ServicePart


def part(name: str, *paths: str, assets: tuple[str, ...] = ()) -> ServicePart:
    return ServicePart(name, {"paths": {path: {} for path in paths}}, (), assets=assets)


def service(found: Routes, path: str) -> str | None:
    return next((name for pattern, name in found.patterns if re.search(pattern, path)), None)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/a/word", "word"),
        ("/a/word?x", "word"),
        ("/a/other", "variable"),
        ("/a/words", "variable"),
        ("/a/3.pbf", "end"),
        ("/a/3xpbf", "variable"),
        ("/b/word", "first"),
        ("/a", None),
        ("/a/", None),
        ("/a/word/x", None),
        ("/files/x/y", "files"),
        ("/files/", "files"),
        ("/files", None),
    ],
)
def test_a_word_comes_before_a_variable(path: str, name: str | None) -> None:
    parts = [
        part("variable", "/a/{x}"),
        part("end", "/a/{x}.pbf"),
        part("first", "/{y}/word"),
        part("word", "/a/word"),
        part("files", assets=("/files/",)),
    ]
    assert service(routes(parts), path) == name
    assert service(routes(reversed(parts)), path) == name


def test_the_first_of_two_that_declare_the_same_path_has_it() -> None:
    assert service(routes([part("new", "/a/{b}"), part("old", "/a/{c}")]), "/a/b") == "new"
    assert service(routes([part("old", "/a/{c}"), part("new", "/a/{b}")]), "/a/b") == "old"
    assert [name for _, name in routes([part("old", "/a/{c}"), part("new", "/a/{b}")]).escaped] == ["old"]


def test_only_paths_that_declare_post_accept_it() -> None:
    item: dict[str, Any] = {"get": {}, "post": {}}
    found = routes(
        [ServicePart("a", {"paths": {"/search": item, "/{x}/search": {"post": {}}, "/other": {"get": {}}}}, ())]
    )
    accepted = [path for path in ("/search", "/search?a", "/a/search", "/searches", "/other") if _accepts(found, path)]
    assert accepted == ["/search", "/search?a", "/a/search"]


def _accepts(found: Routes, path: str) -> bool:
    return any(re.search(pattern, path) for pattern in found.searches)


def test_complete_when_all_services_are_known() -> None:
    parts = [part(name, f"/{name}") for name in SERVICES]
    assert routes(parts).complete
    assert not routes(parts[1:]).complete
    assert not routes([]).complete


def test_the_order_of_services_that_share_no_path_does_not_matter() -> None:
    """So that nginx is not reloaded when one goes and comes."""
    parts = [part(name, f"/{name}", f"/{name}/{{x}}", "/a/{b}/" + name) for name in SERVICES]
    assert routes(parts) == routes(reversed(parts))
    names = ("f", "b", "e", "a", "d", "c")
    with_files = [part(name, assets=(f"/{name}/", "/of-all/")) for name in names]
    assert routes(with_files).files == ("^/a/", "^/b/", "^/c/", "^/d/", "^/e/", "^/f/", r"^/of\-all/")


def test_what_cannot_be_routed_is_told_by_the_service_and_the_path() -> None:
    assert (
        unroutable(
            part("a", "/", "/b~c-d_e.f/{x}.g", "/openapi.json5", "/openapi-json", "/x/internal", assets=("/h~/{y}/",))
        )
        == []
    )
    wrong = part("a", "/b c", "/{ä}", "/internal", "/internals", assets=("/d", "/{ä}/", "/", "/internal/e/"))
    assert unroutable(wrong) == [
        "a declares '/b c', which is no path that can be routed",
        "a declares '/{ä}', which is no path that can be routed",
        "a declares '/d', which is no path that can be routed",
        "a declares '/{ä}/', which is no path that can be routed",
        "a declares '/', which is no path that can be routed",
        "a declares '/internal', which never reaches a service",
        "a declares '/internal/e/', which never reaches a service",
    ]


def test_the_longest_are_tried_first() -> None:
    found = routes([part("a", "/a", "/a/b/c", "/{x}/b", "/a/b")])
    assert [pattern.removesuffix("(?:[?]|$)") for pattern, _ in found.patterns] == [
        "^/a/b/c",
        "^/a/b",
        "^/[^/?]+/b",
        "^/a",
    ]


@pytest.mark.parametrize(
    ("path", "is_found"),
    [
        ("/j/k", True),
        ("/%6A/k", True),
        ("/%6a/%6B?x=%", True),
        ("/j/%4B", False),
        ("/j%2Fk", False),
        ("/%6B/k", False),
    ],
)
def test_letters_of_a_word_may_be_escaped_in_either_case(path: str, is_found: bool) -> None:
    patterns = routes([part("a", "/j/k")]).escaped
    assert any(re.search(pattern, path) for pattern, _ in patterns) is is_found
