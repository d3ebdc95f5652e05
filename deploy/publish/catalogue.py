"""STAC documents of a publication. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from deploy.publish.names import file_name

CATALOGUE = "catalog.json"
_STAC = "1.1.0"
_JSON = "application/json"
_PARQUET = "application/vnd.apache.parquet"
_PMTILES = "application/vnd.pmtiles"
_FLATGEOBUF = "application/flatgeobuf"


def root_document(
    service: Mapping[str, Any], version: str, previous: str | None, names: Iterable[str], *, in_version: bool
) -> dict[str, Any]:
    """Return the catalogue of a version, for its own folder or for the root of the target."""
    own = "" if in_version else f"versions/{version}/"
    versions = "../" if in_version else "versions/"
    links = [
        {"rel": "root", "href": f"./{CATALOGUE}", "type": _JSON},
        *({"rel": "child", "href": f"./{own}{file_name(name)}.json", "type": _JSON, "title": name} for name in names),
        {"rel": "describedby", "href": f"./{own}manifest.json", "type": _JSON, "title": "All files of this version"},
    ]
    if previous is not None:
        href = f"{versions}{previous}/{CATALOGUE}"
        links.append({"rel": "predecessor-version", "href": href, "type": _JSON, "title": "The version before"})
    return {
        "type": "Catalog",
        "stac_version": _STAC,
        "id": service["id"],
        "title": service["title"],
        "description": service["description"],
        "dams:version": version,
        "links": links,
    }


def collection_document(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of a collection in the folder of its version."""
    if "document" in entry:
        return _of_items(entry)
    extent = entry["extent"]
    spatial, temporal = extent.get("spatial", {}), extent.get("temporal", {})
    assets = {
        part["path"].split("/", 3)[3].removesuffix("/part-0.parquet").removesuffix(".parquet"): {
            "href": f"../../{part['path']}",
            "type": _PARQUET,
            "roles": ["data"],
            "title": f"{part['rows']:,} rows as GeoParquet",
        }
        for part in entry["parts"]
    }
    if entry["flatgeobuf"]:
        href = f"../../{entry['flatgeobuf']['path']}"
        assets["features"] = {"href": href, "type": _FLATGEOBUF, "roles": ["data"], "title": "All rows as FlatGeobuf"}
    if entry["tiles"]:
        title = f"Vector tiles of zooms {entry['zooms']}"
        href = f"../../{entry['tiles']['path']}"
        assets["tiles"] = {"href": href, "type": _PMTILES, "roles": ["visual"], "title": title}
    return {
        "type": "Collection",
        "stac_version": _STAC,
        "id": entry["id"],
        "title": entry["title"],
        "description": entry.get("description") or entry["title"],
        **({"keywords": entry["keywords"]} if entry.get("keywords") else {}),
        "license": "other",
        "extent": {
            "spatial": {"bbox": spatial.get("bbox", [[-180, -90, 180, 90]])},
            "temporal": {"interval": temporal.get("interval", [[None, None]])},
        },
        "links": [*_links(), *({"rel": "license", "href": address} for address in entry["licences"])],
        "assets": assets,
    }


def _of_items(entry: Mapping[str, Any]) -> dict[str, Any]:
    document = entry["document"]
    asset = {
        "href": f"../../{entry['items']}",
        "type": "application/geo+json-seq",
        "roles": ["data"],
        "title": f"{entry['number']:,} items, one a line",
    }
    kept = [link for link in document["links"] if link["rel"] == "license"]
    return {**document, "links": [*_links(), *kept], "assets": {"items": asset}}


def _links() -> list[dict[str, str]]:
    return [{"rel": rel, "href": f"./{CATALOGUE}", "type": _JSON} for rel in ("root", "parent")]
