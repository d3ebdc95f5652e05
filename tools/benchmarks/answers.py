"""Check that both sides answer a request, and answer the same, before comparing rates."""

from __future__ import annotations

import gzip
import http.client
import json
from dataclasses import dataclass
from typing import Any

import mapbox_vector_tile

from tools.benchmarks.load import Target
from tools.benchmarks.settings import BenchmarkError

_FULL = 7_000
"""Number of features from which a tile was probably cut at its limit of 8,000 to 10,000, some beyond its edge."""

Features = dict[Any, Any]
"""By id: for items their GeoJSON geometry, rounded, and property names; for tiles a feature's geometry."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A response as sent over the wire (`body` may be compressed)."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def content(self) -> bytes:
        """The body, decompressed."""
        return gzip.decompress(self.body) if self.headers.get("Content-Encoding") == "gzip" else self.body


def ask(target: Target, path: str, *, encoding: str | None = None, host: str | None = None) -> Answer:
    """Send one request on its own connection. Raises BenchmarkError for statuses other than 200 and 204.

    A tile server may answer an empty tile with 204.
    """
    connection = http.client.HTTPConnection("127.0.0.1", target.port, timeout=120)
    try:
        headers = {"Accept-Encoding": encoding or "identity", **({"Host": host} if host else {})}
        connection.request("GET", target.prefix + path, headers=headers)
        response = connection.getresponse()
        answer = Answer(response.status, response.headers, response.read())
    except (OSError, http.client.HTTPException) as error:
        raise BenchmarkError(f"{target.name} does not answer {path}: {error}") from error
    finally:
        connection.close()
    if answer.status not in (200, 204):
        raise BenchmarkError(f"{target.name} answers {path} with {answer.status}: {answer.content[:500]!r}")
    return answer


def features_of(content: bytes, kind: str) -> Features:
    """Return the features in a response; `kind` is `items`, `item`, or for tiles `points` or `shapes`.

    For `collections`, these are the collections.
    """
    if kind == "collections":
        return {collection["id"]: None for collection in json.loads(content)["collections"]}
    if kind in ("items", "item"):
        document = json.loads(content)
        found = document["features"] if kind == "items" else [document]
        # pg_featureserv writes numbers as text
        return {str(feature["id"]): (_round(feature["geometry"]), _names(feature)) for feature in found}
    return _tile_features(content)


def difference(ours: Features, theirs: Features, kind: str) -> str | None:
    """Return the difference between the responses in words; None if they agree.

    By design, tiles draw different widths beyond their edge. So only features that touch the tile itself count, and a
    few shapes that one side considers too small to see are allowed. In a tile with more features than the limit, each
    side chooses which to show: then only the numbers are compared.
    """
    if kind in ("points", "shapes") and len(theirs) > _FULL:
        return None if len(ours) > _FULL else f"{len(ours)} features against {len(theirs)}"
    missing, more = theirs.keys() - ours.keys(), ours.keys() - theirs.keys()
    if kind == "shapes":
        return f"{len(missing)} of {len(theirs)} shapes are missing" if len(missing) > 0.02 * len(theirs) + 1 else None
    if missing or more:
        return f"{len(ours)} features against {len(theirs)}: {len(missing)} are missing, {len(more)} are too many"
    if kind in ("items", "item"):
        changed = [key for key, value in ours.items() if value != theirs[key]]
        if changed:
            return f"{len(changed)} features differ: {ours[changed[0]]} against {theirs[changed[0]]}"
    return None


def _round(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _round(part) for key, part in value.items() if key != "crs"}
    if isinstance(value, list):
        return [_round(part) for part in value]
    return round(value, 5) if isinstance(value, float) else value


def _names(feature: dict[str, Any]) -> tuple[str, ...]:
    # a key that is only given as the id is not a missing property
    return tuple(sorted(feature["properties"].keys() - {"id"}))


def _tile_features(content: bytes) -> Features:
    layers = mapbox_vector_tile.decode(content, default_options={"y_coord_down": True}) if content else {}
    found = {}
    for layer in layers.values():
        for feature in layer["features"]:
            key = feature.get("id") or feature["properties"]["id"]
            if _touches(feature["geometry"]["coordinates"], layer["extent"]):
                found[key] = feature["geometry"]["type"]
    return found


def _touches(coordinates: Any, extent: int) -> bool:
    """Return whether the box around coordinates shares an inner point with the tile."""
    flat = list(_positions(coordinates))
    xs, ys = [x for x, _ in flat], [y for _, y in flat]
    return bool(max(xs) > 0 and min(xs) < extent and max(ys) > 0 and min(ys) < extent)


def _positions(coordinates: Any) -> Any:
    if isinstance(coordinates[0], (int, float)):
        yield coordinates[0], coordinates[1]
    else:
        for part in coordinates:
            yield from _positions(part)
