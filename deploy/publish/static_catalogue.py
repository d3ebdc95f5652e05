"""The STAC catalogue of a running service as files with relative links."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import orjson

from deploy.publish.names import file_name
from deploy.publish.service import Service

_PAGE = 500


def write_catalogue(service: Service, target: Path) -> int:
    """Write the catalogue into a folder, which is replaced once all files are complete; return the number of items."""
    scratch = target.with_name(f"{target.name}.new")
    shutil.rmtree(scratch, ignore_errors=True)
    catalogue = service.json("/stac")
    children = [link["href"] for link in catalogue["links"] if link["rel"] == "child"]
    number, names = 0, []
    for address in children:
        collection = service.json(address)
        names.append(collection["id"])
        number += _write_collection(service, collection, scratch / collection["id"])
    links = [_link("root", "catalog.json"), *(_link("child", f"{name}/collection.json") for name in names)]
    document = {name: value for name, value in catalogue.items() if name != "conformsTo"}
    _write(scratch / "catalog.json", document | {"links": links})
    _replace(target, scratch)
    return number


def _write_collection(service: Service, collection: dict[str, Any], folder: Path) -> int:
    names = []
    for item in items(service, collection["id"]):
        name = file_name(item["id"])
        names.append(name)
        _write(folder / f"{name}.json", item | {"links": _links_of(item)})
    kept = [link for link in collection["links"] if link["rel"] == "license"]
    links = [
        _link("root", "../catalog.json"),
        _link("parent", "../catalog.json"),
        *(_link("item", f"{name}.json", "application/geo+json") for name in names),
        *kept,
    ]
    _write(folder / "collection.json", collection | {"links": links})
    return len(names)


def items(service: Service, collection: str) -> Iterator[dict[str, Any]]:
    """Yield all items of a collection."""
    address = f"/stac/collections/{collection}/items?limit={_PAGE}"
    while address:
        page = service.json(address)
        yield from page["features"]
        address = next((link["href"] for link in page["links"] if link["rel"] == "next"), "")


def _links_of(item: dict[str, Any]) -> list[dict[str, Any]]:
    links = [
        _link("root", "../catalog.json"),
        _link("parent", "collection.json"),
        _link("collection", "collection.json"),
    ]
    for link in item["links"]:
        if link["rel"] == "related" and "/stac/collections/" in link["href"]:
            collection, _, name = link["href"].partition("/stac/collections/")[2].partition("/items/")
            links.append(link | {"href": f"../{collection}/{file_name(unquote(name))}.json"})
        elif link["rel"] in ("via", "alternate", "related"):
            links.append(link)
    return links


def _link(rel: str, href: str, media_type: str = "application/json") -> dict[str, Any]:
    return {"rel": rel, "href": href, "type": media_type}


def _write(file: Path, document: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2))


def _replace(target: Path, made: Path) -> None:
    before = target.with_name(f"{target.name}.old")
    shutil.rmtree(before, ignore_errors=True)
    if target.exists():
        target.rename(before)
    made.rename(target)
    shutil.rmtree(before, ignore_errors=True)
