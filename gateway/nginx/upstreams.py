"""The processes of the services, as nginx's `upstream` blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from gateway.nginx.directives import EmptyBlock, Section, flag, lines, one
from gateway.settings import SERVICES
from gateway.upstreams import Addresses

BY_ADDRESS = "by_address_"
_NONE = [["127.0.0.1:9", "down"]]
"""nginx wants one server at least; one that is down answers 503, as a service that is not there should."""


def upstreams(addresses: Addresses, backups: Set[str]) -> object:
    """A block for each service; for each of its processes one of the others, and `$another`, the name of that block.

    `$another` is empty where the process that was asked last is alone. The block with `BY_ADDRESS`
    before its service's name takes the same address to the same process, as long as the processes are the same.
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
                # it knows no backups, which are on the machine of the others, and have the same folder
                *([] if backups & set(found) else [one("hash", "$request_uri", "consistent")]),
                lines("server", servers),
            )
        )
        for place, address in enumerate(found if len(found) > 1 else ()):
            name = f"{service}_but_{place}"
            rest = [other for other in found if other != address]
            block.sections.add(Section(f"upstream {name}", lines("server", _servers(rest, backups))))
            # it is the last of those that were asked
            others.append(one(f'"~^{service} (.* )?{re.escape(address)}$"', name))
    block.sections.add(Section('map "$service $upstream_addr" $another', *others, one("default", '""')))
    return block


def _servers(addresses: Iterable[str], backups: Set[str]) -> list[list[str]]:
    # nginx wants one that is no backup
    spare = backups if set(addresses) - backups else frozenset()
    # Those that do not answer are left out of `addresses`. nginx itself counts no failures: a process that was just
    # restarted, alone perhaps, must not be passed over for what its predecessor refused.
    return [[address, "max_fails=0", *(["backup"] if address in spare else [])] for address in addresses]
