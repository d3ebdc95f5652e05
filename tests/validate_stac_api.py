"""Runs stac-api-validator with the schemas of the installed pystac and of the Monty extension, without the internet.

`python tests/validate_stac_api.py ROOT`, in the environment of `tests/stac-requirements.txt`.
"""

from __future__ import annotations

import importlib
import io
import json
import sys
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag

import pystac.validation
import requests

_STAC, _GEOJSON = "https://schemas.stacspec.org/", "https://geojson.org/schema/"
_MONTY = "https://ifrcgo.org/monty-stac-extension/v1.3.0/schema.json"
_FOLDER = Path(pystac.validation.__file__).parent / "jsonschemas"
_AREA = {"type": "Polygon", "coordinates": [[[-179, -80], [179, -80], [179, 80], [-179, 80], [-179, -80]]]}
_CLASSES = ("core", "collections", "features", "item-search")


def _schema(address: str) -> bytes | None:
    """Return the schema at an address, if it is installed."""
    path = urldefrag(address)[0]
    if path == _MONTY:
        return (Path(__file__).parent / "services/features/stac/monty/schema.json").read_bytes()
    for start, folder in ((_STAC, "stac-spec"), (_GEOJSON, "geojson")):
        if path.startswith(start):
            version, _, name = path.removeprefix(start).partition("/")
            found = _FOLDER / folder / (f"{version}/{name.rpartition('/')[2]}" if name else version)
            return found.read_bytes() if found.exists() else None
    return None


_get, _open = requests.get, urllib.request.urlopen


def _requests_get(address: str, *arguments: Any, **named: Any) -> requests.Response:
    body = _schema(address)
    if body is None:
        return _get(address, *arguments, **named)
    response = requests.Response()
    response.status_code, response.url, response._content = 200, address, body
    return response


def _urlopen(request: Any, *arguments: Any, **named: Any) -> Any:
    body = _schema(request if isinstance(request, str) else request.full_url)
    return _open(request, *arguments, **named) if body is None else io.BytesIO(body)


def main(root: str) -> int:
    vars(requests).update(get=_requests_get)
    vars(urllib.request).update(urlopen=_urlopen)
    # it takes the names of these functions when it is imported
    validate = importlib.import_module("stac_api_validator.__main__").main
    classes = [argument for name in _CLASSES for argument in ("--conformance", name)]
    arguments = ["--root-url", root, *classes, "--collection", "dams-events", "--geometry", json.dumps(_AREA)]
    validate(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
