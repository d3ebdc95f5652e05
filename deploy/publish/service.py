"""A running service, requested over HTTP."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

_SECONDS = 660
_TRIES = 3
_BLOCK = 1024 * 1024


class ServiceError(Exception):
    """The service does not answer as expected; the text is a sentence for the terminal."""


class Service:
    """The service at a base address, such as http://127.0.0.1:8080/api."""

    def __init__(self, base: str) -> None:
        self.base = base.rstrip("/")

    def json(self, address: str) -> Any:
        """Return the JSON document at an address, or at a path below the base. Raises ServiceError."""
        return orjson.loads(self._read(address))

    def _read(self, address: str) -> bytes:
        with self._open(address) as response:
            body: bytes = response.read()
        return body

    def download(self, address: str, file: Path) -> Mapping[str, str]:
        """Write the content of an address into a file; return the headers. Raises ServiceError."""
        with self._open(address) as response, file.open("wb") as output:
            while block := response.read(_BLOCK):
                output.write(block)
            headers: Mapping[str, str] = response.headers
        return headers

    def _open(self, address: str) -> Any:
        url = address if address.startswith(("http://", "https://")) else f"{self.base}{address}"
        request = urllib.request.Request(url, headers={"Accept": "*/*"})  # noqa: S310 - the operator's own address
        for left in range(_TRIES, 0, -1):
            try:
                return urllib.request.urlopen(request, timeout=_SECONDS)  # noqa: S310
            except urllib.error.HTTPError as error:
                if error.code != 503 or left == 1:
                    cause = error.read(500).decode(errors="replace")
                    raise ServiceError(f"{url} returns {error.code}: {cause}") from None
                time.sleep(float(error.headers.get("Retry-After") or 2))
            except OSError as error:
                raise ServiceError(f"{url} cannot be read: {error}") from None
        raise AssertionError
