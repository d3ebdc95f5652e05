"""Results of jobs of a data store of the ECMWF, such as the Early Warning Data Store.

The address of a process says what is requested: `…/processes/cems-glofas-forecast/execution?data_format=grib2&…`. Every
day has a run. Its date is added to the request: the newest that the store has, so of today or of the day before. The
store answers with a job, whose result is ready after seconds or hours. Form: OGC API - Processes, with a token in the
header `PRIVATE-TOKEN`.
"""

import asyncio
import os
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit, urlunsplit

import orjson

from deploy.loader.documents.fetching import Answer, Fetched, Fetcher, FetchError
from deploy.loader.source import Document, DocumentError

TOKEN = "DAMS_LOADER_EWDS_TOKEN"  # noqa: S105 - the name of a setting
"""Variable with the token of an account that has accepted the licence of the data."""

_DELAY = timedelta(hours=8)
"""Time after midnight UTC before which no run of a day is published."""
_LONGEST = timedelta(hours=2).total_seconds()
"""Maximum time that a job is waited for, in seconds."""
_SLOWER = 1.5
_LISTS = {"leadtime_hour", "product_type", "area"}
"""Inputs that are lists, which an address separates by commas."""
_DENIED = {401, 403}


class _RefusedError(FetchError):
    """The store refuses a request, or its job failed: it may not have the run."""


def is_request(address: str) -> bool:
    """Return whether an address is that of a process, whose result has to be requested."""
    return urlsplit(address).path.endswith("/execution")


async def retrieve(fetcher: Fetcher, address: str, version: str | None) -> Fetched:
    """Return the newest run, unless it is this version. Raises FetchError, DocumentError."""
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        raise FetchError(f"{address}: {TOKEN} is missing: the token of an account of this data store")
    newest = (datetime.now(UTC) - _DELAY).date()
    refusal: FetchError | None = None
    for run in (newest, newest - timedelta(days=1)):
        if version == f"{run}":
            return Fetched(None, None, None)
        try:
            document = await _result(fetcher, address, run, {"PRIVATE-TOKEN": token})
            return Fetched(document, f"{run}", None)
        except _RefusedError as error:
            refusal = refusal or error
    raise FetchError(f"{refusal}; the run of the day before is refused, too")


async def _result(fetcher: Fetcher, address: str, run: date, headers: dict[str, str]) -> Document:
    """Submit a job, wait for it, and return its result."""
    parts = urlsplit(address)
    process = urlunsplit(parts._replace(query="", fragment=""))
    content = orjson.dumps({"inputs": _inputs(parts.query, run)})
    submitted = await fetcher.exchange(
        "POST", process, headers=headers | {"Content-Type": "application/json"}, content=content
    )
    # links of the response are not followed, so that only the host of the address receives the token
    job = f"{process.partition('/processes/')[0]}/jobs/{_object(process, submitted)['jobID']}"
    try:
        await _wait(fetcher, job, headers)
        results = _object(job, await fetcher.exchange("GET", f"{job}/results", headers=headers))["asset"]["value"]
        document = await fetcher.fetch_named(urljoin(f"{job}/results", results["href"]), address)
    except (KeyError, TypeError) as error:
        raise FetchError(f"{job}: its form is not the one that the data store publishes ({error})") from error
    finally:
        # the store keeps results for others, and limits the jobs of an account
        with suppress(FetchError):
            await fetcher.exchange("DELETE", job, headers=headers)
    if document.path.stat().st_size != results.get("file:size", document.path.stat().st_size):
        raise DocumentError(f"{address} is not whole: the result has {results['file:size']:,} bytes")
    path = document.path.rename(document.path.with_name(f"{run:%Y%m%d}-{document.path.name}"))
    return replace(document, path=path, address=address)


def _inputs(query: str, run: date) -> dict[str, Any]:
    said: dict[str, Any] = {
        name: value.split(",") if name in _LISTS else value for name, value in parse_qsl(query, keep_blank_values=True)
    }
    if "area" in said:
        said["area"] = [float(degrees) for degrees in said["area"]]
    return said | {"year": f"{run:%Y}", "month": f"{run:%m}", "day": f"{run:%d}"}


async def _wait(fetcher: Fetcher, job: str, headers: dict[str, str]) -> None:
    """Wait until the result of a job is ready."""
    pause, until = fetcher.patience.first_wait, time.monotonic() + _LONGEST
    while True:
        status = _object(job, await fetcher.exchange("GET", job, headers=headers)).get("status")
        if status == "successful":
            return
        if status in {"failed", "rejected"}:
            _object(job, await fetcher.exchange("GET", f"{job}/results", headers=headers))
        if status not in {"accepted", "running"}:
            raise _RefusedError(f"{job}: the job is {status}")
        if time.monotonic() > until:
            raise FetchError(f"{job}: the job is still {status} after {_LONGEST / 3600:g} hours")
        await asyncio.sleep(pause)
        pause = min(pause * _SLOWER, fetcher.patience.longest_wait)


def _object(address: str, answer: Answer) -> dict[str, Any]:
    """Return the content of a response. Raises FetchError, with the reason that the store gives for a refusal."""
    try:
        found = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise FetchError(f"{address}: the server answers {answer.status}, and not with an object of JSON")
    if answer.status >= 400:
        said = "; ".join(str(found[name]) for name in ("title", "detail", "traceback") if found.get(name))
        text = f"{address}: the server answers {answer.status}: {said[:500]}"
        raise FetchError(text) if answer.status in _DENIED else _RefusedError(text)
    return found
