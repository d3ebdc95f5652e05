"""`python -m deploy.local.live DAMS_STATE_DIR`: the watchers of live sources, with the address of the stack's database.

The address has a password, so it is read from the stack's own files, as for the worker of impacts.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from deploy.loader.command.configured import configure_sources
from deploy.loader.command.run import URL
from deploy.loader.command.run import main as run_loader
from deploy.loader.sources.registry import SOURCES, sources_to_watch
from deploy.loader.store.bookkeeping import states
from deploy.loader.store.connection import connect
from deploy.local import stack
from deploy.local.state import StateFolder
from deploy.local.users import become

_NICE = 10
"""How much the watchers give way to the services."""
_WAIT = 75.0
"""How long a start waits for the first load of each source, in seconds; without a network it fails within this time."""
_TOLD = ("inserted", "updated", "unchanged", "withdrawn", "rejected", "left out")


def main() -> None:
    """Become the user of the services, and watch until a signal."""
    folder = StateFolder(Path(sys.argv[1]))
    state = folder.load()
    url = stack.loader_url(folder, state)
    os.nice(_NICE)
    if state.user:
        become(state.user)
    # in the environment of this process only, which no other user can read
    os.environ[URL] = url
    sys.exit(run_loader(["--watch"]))


def report_first_loads(url: str, since: datetime, say: Callable[[str], None], *, wait: float = _WAIT) -> None:
    """Report of each watched source what it loaded since a time, or why not, until all are known."""
    asyncio.run(_report(url, since, say, wait))


async def _report(url: str, since: datetime, say: Callable[[str], None], wait: float) -> None:
    sources = configure_sources(SOURCES, os.environ)
    waiting = sources_to_watch(sources)
    for name, source in sources.items():
        if source.needs and name not in waiting:
            say(f"live  {name:<18} is not watched: set {source.needs}")
    until = time.monotonic() + wait
    while waiting:
        async with connect(url, "report") as connection:
            known = await states(connection)
        for name in [name for name in waiting if _is_done(known.get(name), since)]:
            say(f"live  {name:<18} {_result(known[name], since)}")
            waiting.remove(name)
        if not waiting or time.monotonic() > until:
            break
        await asyncio.sleep(1)
    for name in waiting:
        say(f"live  {name:<18} is still loading; `make load ARGS=status` shows the result")


def _is_done(state: Mapping[str, Any] | None, since: datetime) -> bool:
    if state is None or state["attempted"] is None or state["attempted"] < since.astimezone(UTC):
        return False
    return bool(state["message"]) or (state["checked"] is not None and state["checked"] >= state["attempted"])


def _result(state: Mapping[str, Any], since: datetime) -> str:
    """Return the result of the last load in words. An unchanged document leaves the counts of an earlier one."""
    if state["message"]:
        return f"not loaded: {state['message']}"
    if state["changed"] is not None and state["changed"] < since.astimezone(UTC):
        return f"nothing new since {state['changed']:%d %B %H:%M} UTC"
    counts = state["summary"] or {}
    told = [f"{counts[word]:,} {word}" for word in _TOLD if counts.get(word)]
    return f"{counts.get('read', 0):,} records: {', '.join(told) or 'no rows'}"


if __name__ == "__main__":
    main()
