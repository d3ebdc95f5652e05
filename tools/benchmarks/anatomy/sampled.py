"""Run a service that samples itself: `python -m tools.benchmarks.anatomy.sampled FILE services.features`.

Every two milliseconds of processor time it records the running functions. SIGUSR2 writes the records to the file and
starts again: a line for each stack, `count`, tab, and the functions from the innermost outwards. Time in C code counts
for the Python function that called it, or, for the event loop, for the one that runs next.
"""

from __future__ import annotations

import runpy
import signal
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

_SECONDS = 0.002


def main() -> None:
    file, module = Path(sys.argv[1]), sys.argv[2]
    stacks: Counter[tuple[tuple[str, str], ...]] = Counter()

    def note(_: int, frame: FrameType | None) -> None:
        stack = []
        while frame is not None:
            stack.append((frame.f_code.co_filename, frame.f_code.co_qualname))
            frame = frame.f_back
        stacks[tuple(stack)] += 1

    def write(_: int, __: FrameType | None) -> None:
        # samples are taken while this runs
        taken = stacks.copy()
        stacks.clear()
        lines = [f"{count}\t{';'.join(map('|'.join, stack))}\n" for stack, count in taken.items()]
        part = file.with_suffix(".part")
        part.write_text("".join(lines))
        part.replace(file)

    signal.signal(signal.SIGPROF, note)
    signal.signal(signal.SIGUSR2, write)
    signal.setitimer(signal.ITIMER_PROF, _SECONDS, _SECONDS)
    sys.argv = [module]
    sys.path.insert(0, str(Path.cwd()))
    runpy.run_module(module, run_name="__main__")


if __name__ == "__main__":
    main()
