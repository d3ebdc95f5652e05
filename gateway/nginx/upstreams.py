"""The processes of the services as nginx's `upstream` blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from gateway.nginx.directives import EmptyBlock, Section, flag, lines, one
from gateway.settings import SERVICES
from gateway.upstreams import Addresses

BY_ADDRESS = "by_address_"
_NONE = [["127.0.0.1:9", "down"]]
"""nginx requires at least one server; one that is down gives 503, as for a missing service."""


def upstreams(addresses: Addresses, backups: Set[str]) -> object:
    """Return a block for each service; for each of its processes, one of the others, with its name in `$another`.

    `$another` is empty if the process tried last is the only one. The block with `BY_ADDRESS` before its service's name
    sends the same address to the same process, as long as the processes are the same.
    """
    block, others = EmptyBlock(), []
    for service in SERVICES:
        found = addresses.get(service, ())
        servers = _servers(found, backups) or _NONE
        block.sections.add(
            Section(
                f"upstream {service}",
                one("zone", f"upstream_{service}", "128k"),
                flag("least_conn"),
                lines("server", servers),
                one("keepalive", 32),
            )
        )
        block.sections.add(
            Section(
                f"upstream {BY_ADDRESS}{service}",
                # hash does not support backups; these are on the same machine and share the folder
                *([] if backups & set(found) else [one("hash", "$request_uri", "consistent")]),
                lines("server", servers),
            )
        )
        for place, address in enumerate(found if len(found) > 1 else ()):
            name = f"{service}_but_{place}"
            rest = [other for other in found if other != address]
            block.sections.add(Section(f"upstream {name}", lines("server", _servers(rest, backups))))
            # the last of the processes that were tried
            others.append(one(f'"~^{service} (.* )?{re.escape(address)}$"', name))
    block.sections.add(Section('map "$service $upstream_addr" $another', *others, one("default", '""')))
    return block


def _servers(addresses: Iterable[str], backups: Set[str]) -> list[list[str]]:
    # nginx requires one server that is not a backup
    spare = backups if set(addresses) - backups else frozenset()
    # Dead processes are not in `addresses`. nginx itself counts no failures: a process that was just restarted, perhaps
    # the only one, must not be skipped because its predecessor refused connections.
    return [[address, "max_fails=0", *(["backup"] if address in spare else [])] for address in addresses]
