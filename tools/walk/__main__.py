"""`python -m tools.walk http://127.0.0.1:8080/api` walks through a running service with any database.

With DAMS_DATABASE_URL, the address of its database, it also compares the numbers of stored and returned geometries.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
import time
from contextlib import AsyncExitStack
from math import inf

import asyncpg
from aiohttp import ClientSession, ClientTimeout
from yarl import URL

from tools.walk.stored import Database
from tools.walk.walk import Answer, Report, Walk

_SHOWN = 60


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.walk", description=__doc__)
    parser.add_argument("address", help="of the service, such as http://127.0.0.1:8080/api")
    parser.add_argument("--only", default="", help="a pattern that ids of collections have to match")
    parser.add_argument("--longest", type=float, default=1.0, help="seconds that an answer may take")
    parser.add_argument("--at-once", type=int, default=2, help="collections that are walked side by side")
    parser.add_argument("--minutes", type=float, default=inf, help="after which no further collection is begun")
    arguments = parser.parse_args()
    report = asyncio.run(_run(arguments))
    print(_text(report))
    return 1 if report.faults else 0


async def _run(arguments: argparse.Namespace) -> Report:
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(
            ClientSession(timeout=ClientTimeout(total=120), max_field_size=65536, max_line_size=65536)
        )

        async def ask(address: str) -> Answer:
            started = time.perf_counter()
            async with session.get(URL(arguments.address.rstrip("/") + address, encoded=True)) as response:
                body = await response.read()
                return Answer(response.status, body, time.perf_counter() - started)

        stored = None
        if url := os.environ.get("DAMS_DATABASE_URL"):
            pool = await stack.enter_async_context(
                asyncpg.create_pool(url, min_size=1, max_size=arguments.at_once, command_timeout=60)
            )
            stored = Database(pool).number
        pattern = re.compile(arguments.only)
        walk = Walk(ask, stored, longest=arguments.longest)
        return await walk.run(
            at_once=arguments.at_once,
            only=lambda name: pattern.search(name) is not None,
            seconds=arguments.minutes * 60,
        )


def _text(report: Report) -> str:
    statuses = ", ".join(f"{number:,} × {status}" for status, number in sorted(report.statuses.items()))
    lines = [f"{report.collections} collections, {report.statuses.total():,} requests: {statuses}"]
    lines += ["", f"Faults: {len(report.faults)}", *report.faults]
    lines += ["", f"Slow: {len(report.slow)}", *(f"{seconds:6.2f} s  {url}" for seconds, url in report.slow[:_SHOWN])]
    lines += ["", "Refused:", *(f"{number:6} × {text}" for text, number in report.refused.most_common(_SHOWN))]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
