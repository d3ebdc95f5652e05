"""The cost of idle change listeners: python -m tools.benchmarks.listeners URL PID [NUMBER]

Opens NUMBER streams of `/changes` at URL, the address of a features process such as http://127.0.0.1:8082 with process
id PID, and waits. Prints the additional resident memory per stream, and processor time while nothing changes.
"""

import asyncio
import resource
import sys
from contextlib import AsyncExitStack

import psutil
from aiohttp import ClientSession, ClientTimeout, TCPConnector

_SETTLE_SECONDS = 5
_MEASURED_SECONDS = 30


async def _cpu_percent(process: psutil.Process, seconds: float) -> float:
    before = process.cpu_times()
    await asyncio.sleep(seconds)
    after = process.cpu_times()
    return 100 * (after.user + after.system - before.user - before.system) / seconds


async def _main(url: str, pid: int, number: int) -> None:
    process = psutil.Process(pid)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    idle_cpu, idle_memory = await _cpu_percent(process, 10), process.memory_info().rss
    session = ClientSession(connector=TCPConnector(limit=0), timeout=ClientTimeout(total=None))
    async with session, AsyncExitStack() as streams:
        for _ in range(number):
            response = await streams.enter_async_context(
                session.get(f"{url}/changes", headers={"Accept": "text/event-stream"})
            )
            response.raise_for_status()
        await asyncio.sleep(_SETTLE_SECONDS)
        cpu = await _cpu_percent(process, _MEASURED_SECONDS)
        memory = process.memory_info().rss
    each = (memory - idle_memory) / number / 1024
    print(f"{number} listeners: {each:.1f} kB each ({idle_memory >> 20} to {memory >> 20} MB),", end=" ")
    print(f"processor {idle_cpu:.1f} % before, {cpu:.1f} % with them")


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 2000))
