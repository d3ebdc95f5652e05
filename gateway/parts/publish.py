"""Merge the parts strictly and publish the whole: `openapi.json` for clients, the rest for `common`."""

from __future__ import annotations

import asyncio
import gzip
import logging
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson
from prometheus_client import Counter, Gauge

from gateway.folder import BASE_ADDRESS_PLACEHOLDER, PUBLISHED
from gateway.nginx.routes import unroutable
from gateway.parts.merge import MergeError, merge
from libs.ogc.service_part import ServicePart, Whole

_LOG = logging.getLogger("dams.publish")
_PUBLISHED = Gauge("dams_gateway_published_services", "Services that the published document describes")
_REFUSED = Counter("dams_gateway_refused_parts", "Times that the services' parts contradicted each other")

VALIDATION_SECONDS = 60
_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Published:
    """The merged parts, ready to be published."""

    services: tuple[str, ...]
    document: bytes
    """Content of `openapi.json`."""
    whole: bytes
    """The rest of the merged parts, for `common`."""


def merge_parts(parts: Sequence[ServicePart], address: str) -> Published:
    """Merge the parts; the OpenAPI document has `address` as its server.

    Raises MergeError if the parts contradict each other, declare paths that cannot be routed, or give an invalid
    OpenAPI document.
    """
    document = merge([(part.name, part.openapi) for part in parts])
    if conflicts := [sentence for part in parts for sentence in unroutable(part)]:
        raise MergeError(conflicts)
    document["servers"] = [{"url": address}]
    content = orjson.dumps(document)
    if fault := _fault(content):
        raise MergeError([f"the merged document is not valid: {fault}"])
    described = [{name: value for name, value in part.to_json().items() if name != "openapi"} for part in parts]
    whole = {"parts": described, **Whole.of(parts).to_json()}
    return Published(tuple(part.name for part in parts), content, orjson.dumps(whole))


class Publisher:
    """Publishes merged parts; contradictory parts are only logged."""

    def __init__(self, folder: Path, public_url: str | None) -> None:
        self._file = folder / PUBLISHED
        self._address = public_url or BASE_ADDRESS_PLACEHOLDER
        self._last_tried: Sequence[ServicePart] = ()
        self.published: Published | None = None

    @property
    def services(self) -> tuple[str, ...]:
        """The services in the published document."""
        return self.published.services if self.published else ()

    async def merge(self, parts: Sequence[ServicePart]) -> Published | None:
        """Return the merged parts; None if they are those of the last call, or contradict each other."""
        if not parts or parts == self._last_tried:
            return None
        self._last_tried = parts
        try:
            # The validation takes about a second: not in the event loop.
            return await asyncio.to_thread(merge_parts, parts, self._address)
        except MergeError as error:
            _REFUSED.inc()
            fields = {"conflicts": list(error.conflicts), "published": list(self.services)}
            _LOG.error("THE PARTS CONTRADICT EACH OTHER; the last good document stays", extra={"fields": fields})
        except (OSError, subprocess.SubprocessError) as error:
            # not a fault of the parts: try them again
            self._last_tried = ()
            _LOG.error("the document cannot be validated", extra={"fields": {"cause": str(error)}})
        return None

    def publish(self, published: Published) -> None:
        """Write the document for nginx, and show the rest on the internal port."""
        # The compressed one first: nginx uses either, and must not mix an old and a new one for long.
        compressed = gzip.compress(published.document, mtime=0)
        _replace(self._file.with_name(self._file.name + ".gz"), compressed)
        _replace(self._file, published.document)
        self.published = published
        _PUBLISHED.set(len(published.services))
        fields = {"services": list(published.services), "bytes": len(published.document)}
        _LOG.info("published", extra={"fields": fields})


def _replace(file: Path, content: bytes) -> None:
    new = file.with_name(file.name + ".new")
    new.write_bytes(content)
    new.replace(file)


def _fault(document: bytes) -> str:
    """Return why the document is not valid OpenAPI; raises if the validator does not run."""
    command = [sys.executable, "-m", "gateway.parts.validate"]
    told = subprocess.run(  # noqa: S603 a program of ours
        command, input=document, stdout=subprocess.PIPE, cwd=_ROOT, timeout=VALIDATION_SECONDS, check=True
    )
    return told.stdout.decode()
