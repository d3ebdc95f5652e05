"""The last good part of each service, stored across restarts: an unavailable service still owns its paths."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

import orjson

from gateway.folder import KNOWN_PARTS
from gateway.settings import SERVICES
from libs.ogc.service_part import ServicePart

_LOG = logging.getLogger("dams.parts")


class KnownParts:
    """The last published part of each service, from this run of the gateway or an earlier one."""

    def __init__(self, folder: Path) -> None:
        """Read the parts that an earlier run left in the run directory `folder`."""
        self._folder = folder / KNOWN_PARTS
        self._parts = {service: part for service in SERVICES if (part := self._read(service)) is not None}
        self._present: tuple[str, ...] = ()

    @property
    def parts(self) -> list[ServicePart]:
        """Return the parts, available services first: a path that has moved belongs to them."""
        return sorted(self._parts.values(), key=lambda part: part.name not in self._present)

    def remember(self, present: Iterable[ServicePart]) -> None:
        """Store the parts of available services as the last good ones."""
        present = list(present)
        self._present = tuple(part.name for part in present)
        for part in present:
            if self._parts.get(part.name) != part:
                self._parts[part.name] = part
                self._write(part)

    def _read(self, service: str) -> ServicePart | None:
        try:
            return ServicePart.from_json(orjson.loads((self._folder / f"{service}.json").read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            _LOG.warning("cannot read what was known", extra={"fields": {"upstream": service, "cause": str(error)}})
            return None

    def _write(self, part: ServicePart) -> None:
        file = self._folder / f"{part.name}.json"
        new = file.with_name(file.name + ".new")
        new.write_bytes(orjson.dumps(part.to_json()))
        new.replace(file)
