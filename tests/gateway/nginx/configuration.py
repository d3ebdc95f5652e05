"""nginx's configuration, read back as blocks of directives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gateway.nginx.config import build_config
from gateway.nginx.routes import Routes, routes
from gateway.settings import SERVICES, GatewaySettings
from libs.ogc.service_part import ServicePart

PARTS = [ServicePart(name, {"paths": {f"/{name}": {}}}, (), assets=(f"/{name}-files/",)) for name in SERVICES]
ALL = routes(PARTS)
ADDRESSES: dict[str, tuple[str, ...]] = {
    "tiles": ("10.0.0.1:80", "10.0.0.2:80", "unix:/a.sock"),
    "common": ("10.0.0.3:80",),
    "features": ("10.0.0.4:80", "10.0.0.5:80"),
}
_WORD = re.compile(r"""(?:'[^']*'|"[^"]*"|[^\s;{}'"])+|[{};]""")
API = "location /api/"
TILES = "location ~ ^/api/(?:collections/[^/]+/)?tiles/"
EXPORT = "location ~ ^/api/collections/[^/]+/export$"
CHANGES = "location ~ ^/api/(?:collections/[^/]+/)?changes$"


@dataclass(frozen=True)
class Block:
    """Directives, and blocks by the words before them."""

    directives: list[list[str]]
    blocks: dict[str, Block]

    @classmethod
    def read(cls, words: Iterator[str]) -> Block:
        line: list[str] = []
        found = cls([], {})
        for word in words:
            if word == "}":
                break
            if word == "{":
                found.blocks[" ".join(line)] = cls.read(words)
                line = []
            elif word == ";":
                found.directives.append(line)
                line = []
            else:
                line.append(word)
        return found

    def all(self, name: str) -> list[list[str]]:
        """The arguments of each directive of that name."""
        return [rest for first, *rest in self.directives if first == name]

    def one(self, name: str) -> str | None:
        """The argument of the only one; None where there is none."""
        found = self.all(name)
        assert len(found) <= 1, name
        return " ".join(found[0]) if found else None

    def headers(self, name: str) -> dict[str, str]:
        return {header: value for header, value, *_ in self.all(name)}


def read_config(
    environment: Mapping[str, str] | None = None, known: Routes = ALL, *, user: str | None = None, cached: bool = True
) -> Block:
    settings = GatewaySettings.from_env({"DAMS_GATEWAY_DIR": "/run/the gateway", **(environment or {})})
    text = build_config(settings, ADDRESSES, known, user=user, cached=cached)
    return Block.read(iter(_WORD.findall(text)))


def read_http(**environment: str) -> Block:
    return read_config(environment).blocks["http"]


def read_server(environment: Mapping[str, str] | None = None, known: Routes = ALL, *, cached: bool = True) -> Block:
    return read_config(environment, known, cached=cached).blocks["http"].blocks["server"]
