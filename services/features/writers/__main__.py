"""Write one file: see the package. Prints the number of rows and of omitted geometries as JSON."""

import json
import os
import pickle
import resource
import signal
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any, BinaryIO

from services.features.writers.batches import NoPlaceError
from services.features.writers.job import NO_PLACE, OTHER_KINDS, TOO_LARGE, Job
from services.features.writers.kinds import OtherKindsError

_NICENESS = 5
"""Niceness: pages have priority."""

_UNUSED = ("geopandas", "pandas", "pyarrow", "pyproj")
"""Packages that pyogrio imports if present, but this program does not use: up to half the time of a small file."""


class _Chunks:
    """The chunks of rows in a stream, up to one that is None."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source

    def __iter__(self) -> Iterator[list[tuple[Any, ...]]]:
        # only the service's own process writes here
        while (rows := pickle.load(self._source)) is not None:  # noqa: S301
            yield rows


def main() -> int:
    """Write the file and return the exit status."""
    os.nice(_NICENESS)
    sys.modules.update(dict.fromkeys(_UNUSED))  # type: ignore[arg-type]
    source = sys.stdin.buffer
    job: Job = pickle.load(source)  # noqa: S301
    too_large: list[int] = []
    # the libraries only say that they cannot write
    signal.signal(signal.SIGXFSZ, lambda number, _: too_large.append(number))
    resource.setrlimit(resource.RLIMIT_FSIZE, (job.most_bytes, job.most_bytes))
    try:
        done = import_module(f"services.features.writers.{job.writer}").write(job, _Chunks(source))
    except NoPlaceError:
        return NO_PLACE
    except OtherKindsError as other:
        print(json.dumps(sorted(other.kinds)))  # noqa: T201 what the service reads
        return OTHER_KINDS
    except Exception:
        if too_large:
            return TOO_LARGE
        raise
    if too_large:
        return TOO_LARGE
    print(json.dumps({"rows": done.rows, "omitted": done.omitted}))  # noqa: T201 what the service reads
    return 0


if __name__ == "__main__":
    sys.exit(main())
