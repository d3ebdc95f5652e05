"""Merges the parts strictly and publishes the whole: `openapi.json` for clients, the rest for `common`."""

from __future__ import annotations

import asyncio
import gzip
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
from openapi_spec_validator import validate
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError
from prometheus_client import Counter, Gauge

from gateway.nginx.config import BASE_ADDRESS_PLACEHOLDER, PUBLISHED
from gateway.parts.fetch import Part
from gateway.parts.merge import MergeError, merge

_LOG = logging.getLogger("dams.publish")
_PUBLISHED = Gauge("dams_gateway_published_services", "Services that the published document describes")
_REFUSED = Counter("dams_gateway_refused_parts", "Times that the services' parts contradicted each other")

Parts = Sequence[tuple[str, Part]]


def merge_parts(parts: Parts, address: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The OpenAPI document with `address` as its server, and what else the parts add up to.

    Raises MergeError where the parts contradict each other or the document would not be valid OpenAPI.
    """
    document = merge([(service, part["openapi"]) for service, part in parts])
    document["servers"] = [{"url": address}]
    try:
        validate(document)
    except OpenAPIValidationError as error:
        raise MergeError([f"the merged document is not valid: {_first_line(error)}"]) from error
    classes = dict.fromkeys(uri for _, part in parts for uri in part["conformsTo"])
    whole = {
        "parts": [{name: value for name, value in part.items() if name != "openapi"} for _, part in parts],
        "conformsTo": list(classes),
        "landingLinks": [link for _, part in parts for link in part["landingLinks"]],
        "collectionLinks": [link for _, part in parts for link in part["collectionLinks"]],
    }
    return document, whole


class Publisher:
    """Keeps the last good whole: parts that contradict each other change nothing but the log."""

    def __init__(self, folder: Path, public_url: str | None) -> None:
        self._file = folder / PUBLISHED
        self._address = public_url or BASE_ADDRESS_PLACEHOLDER
        self._last_tried: Parts = ()
        self.services: tuple[str, ...] = ()
        self.whole: bytes | None = None

    async def publish(self, parts: Parts) -> None:
        """Publishes `parts` if they differ from what was tried last."""
        if not parts or parts == self._last_tried:
            return
        self._last_tried = parts
        try:
            # The validation takes about a second of computing: not in the event loop.
            document, whole = await asyncio.to_thread(merge_parts, parts, self._address)
        except MergeError as error:
            _REFUSED.inc()
            fields = {"conflicts": list(error.conflicts), "published": list(self.services)}
            _LOG.error("THE PARTS CONTRADICT EACH OTHER; the last good document stays", extra={"fields": fields})
            return
        content = orjson.dumps(document)
        # The compressed one first: nginx takes either, and must not pair an old one with a new one for long.
        _replace(self._file.with_name(self._file.name + ".gz"), gzip.compress(content, mtime=0))
        _replace(self._file, content)
        self.whole = orjson.dumps(whole)
        self.services = tuple(service for service, _ in parts)
        _PUBLISHED.set(len(parts))
        _LOG.info("published", extra={"fields": {"services": list(self.services), "bytes": len(content)}})


def _replace(file: Path, content: bytes) -> None:
    new = file.with_name(file.name + ".new")
    new.write_bytes(content)
    new.replace(file)


def _first_line(error: OpenAPIValidationError) -> str:
    place = "/".join(str(step) for step in getattr(error, "absolute_path", ()))
    return f"{place}: {str(error).splitlines()[0][:300]}"
