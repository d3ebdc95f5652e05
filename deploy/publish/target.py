"""The place that files are published to: a folder, or a bucket of S3 with its settings from the variables AWS_*."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
from obstore.exceptions import AlreadyExistsError, BaseError, NotFoundError
from obstore.store import LocalStore, S3Store

TargetFault = BaseError


class Target:
    """Files by their path below the target. A file appears when it is complete."""

    def __init__(self, address: str) -> None:
        """Raises TargetFault and ValueError."""
        if address.startswith("s3://"):
            plain = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")
            self._store: LocalStore | S3Store = S3Store.from_url(address, client_options={"allow_http": plain})
        elif "://" in address:
            raise ValueError(f"{address} is neither a folder nor an address such as s3://bucket/folder")
        else:
            self._store = LocalStore(Path(address).resolve(), mkdir=True)

    def json(self, path: str) -> Any:
        """Return a document; None if there is none. Raises TargetFault."""
        try:
            return orjson.loads(bytes(self._store.get(path).bytes()))
        except (NotFoundError, FileNotFoundError):
            return None

    def write_json(self, path: str, document: Mapping[str, Any]) -> None:
        """Write a document. Raises TargetFault."""
        self._store.put(path, orjson.dumps(document, option=orjson.OPT_INDENT_2))

    def create_json(self, path: str, document: Mapping[str, Any]) -> bool:
        """Write a document unless there is one; return whether it was written. Raises TargetFault."""
        try:
            self._store.put(path, orjson.dumps(document), mode="create")
        except (AlreadyExistsError, FileExistsError):
            return False
        return True

    def delete(self, path: str) -> None:
        """Delete a file, if there is one. Raises TargetFault."""
        with suppress(NotFoundError, FileNotFoundError):
            self._store.delete(path)

    def write(self, path: str, file: Path) -> None:
        """Write a file, in parts if it is large. Raises TargetFault."""
        self._store.put(path, file)
