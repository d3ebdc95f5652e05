"""Grids of GloFAS as the Early Warning Data Store makes them, and the interface of the store, with simulated values."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import rasterio
import rasterio.shutil
from aiohttp import web
from rasterio.transform import from_origin

from tests.deploy.loader.conftest import Publisher

Values = npt.NDArray[np.float64]
CELL, MISSING = 0.05, 9999.0
ROWS, COLUMNS = 40, 60
WEST, NORTH = 88.0, 27.0
ROOT = "/api/retrieve/v1"
PROCESS = f"{ROOT}/processes/cems-glofas-forecast/execution"


def point(row: int, column: int) -> tuple[float, float]:
    """Return longitude and latitude of the centre of a cell."""
    return round(WEST + (column + 0.5) * CELL, 3), round(NORTH - (row + 0.5) * CELL, 3)


def discharge(members: int, days: int) -> Values:
    """Return values by member, day, row and column: a river in row 10 that rises, and cells without a value."""
    found = np.full((members, days, ROWS, COLUMNS), 5.0)
    for member in range(members):
        for day in range(days):
            found[member, day, 10, :] = 1000 * (day + 1) + 100 * member
    found[:, :, :, 50:] = MISSING
    return found


def _plain(folder: Path, bands: Values, tags: dict[str, str], names: list[dict[str, str]]) -> Path:
    """Write bands with tags, from which GDAL makes the published form."""
    path = folder / "plain.tif"
    with rasterio.open(
        path, "w", driver="GTiff", width=COLUMNS, height=ROWS, count=len(bands), dtype="float32", nodata=MISSING,
        crs="EPSG:4326", transform=from_origin(WEST, NORTH, CELL, CELL),
    ) as file:  # fmt: skip
        file.write(bands.astype(np.float32))
        file.update_tags(**tags)
        for index, each in enumerate(names, start=1):
            file.update_tags(index, **each)
    return path


def netcdf(folder: Path, run: date, values: Values, name: str = "forecast.nc") -> Path:
    """Write a forecast with the dimensions of the store's NetCDF."""
    return _netcdf(folder / name, run, values, ("forecast_period", "forecast_reference_time"))


def netcdf_by_step(folder: Path, run: date, values: Values) -> Path:
    """Write one whose name has the run, and whose days are a dimension `step`, as cfgrib names it."""
    return _netcdf(folder / f"{run:%Y%m%d}-forecast.nc", run, values, ("step",), variable="avg_dis")


def _netcdf(path: Path, run: date, values: Values, times: tuple[str, ...], variable: str = "dis24") -> Path:
    members, days = values.shape[:2]
    hours = [24 * (day + 1) for day in range(days)]
    began = datetime(run.year, run.month, run.day, tzinfo=UTC).timestamp()
    dimensions: dict[str, Sequence[int]] = {"number": range(members), times[0]: hours}
    dimensions |= {reference: [int(began)] for reference in times[1:]}
    tags = {"NETCDF_DIM_EXTRA": "{" + ",".join(dimensions) + "}"}
    for each, known in dimensions.items():
        tags[f"NETCDF_DIM_{each}_DEF"] = f"{{{len(known)},6}}"
        tags[f"NETCDF_DIM_{each}_VALUES"] = "{" + ",".join(map(str, known)) + "}"
    tags |= {"number#units": "1", f"{times[0]}#units": "hours"}
    tags |= {f"{reference}#units": "seconds since 1970-01-01" for reference in times[1:]}
    names = [
        {"NETCDF_VARNAME": variable, "NETCDF_DIM_number": str(member), f"NETCDF_DIM_{times[0]}": str(hour)}
        | {f"NETCDF_DIM_{reference}": str(int(began)) for reference in times[1:]}
        for member in range(members)
        for hour in hours
    ]
    plain = _plain(path.parent, values.reshape(-1, ROWS, COLUMNS), tags, names)
    rasterio.shutil.copy(plain, path, driver="netCDF", FORMAT="NC4")
    return path


def levels(folder: Path, years: int, largest: float) -> Path:
    """Write a map of the discharge that is exceeded once in some years: the river of row 10."""
    values = np.full((1, ROWS, COLUMNS), 8.0)
    values[0, 10, :] = np.linspace(largest / 2, largest, COLUMNS)
    values[0, :, 50:] = MISSING
    name = f"flood_threshold_glofas_v4_rl_{years}.0.nc"
    plain = _plain(folder, values, {}, [{"NETCDF_VARNAME": f"rl_{years}.0"}])
    rasterio.shutil.copy(plain, folder / name, driver="netCDF", FORMAT="NC4")
    return folder / name


def grib(folder: Path, run: date, values: Values, name: str = "forecast.grib") -> Path:
    """Write a forecast as messages of GRIB 2: means of a day of members of an ensemble (template 4.11)."""
    members, days = values.shape[:2]
    options = {}
    for index in range(members * days):
        member, day = divmod(index, days)
        until = run + timedelta(days=day + 1)
        product = [1, 6, 4, 0, 0, 0, 0, 1, 24 * day, 1, 0, 0, 255, 0, 0, 3, member, members]
        ends = [until.year, until.month, until.day, 0, 0, 0, 1, 0, 0, 2, 1, 24, 255, 0]
        band = f"BAND_{index + 1}_"
        options[f"{band}DISCIPLINE"] = "2"
        options[f"{band}IDS"] = f"CENTER=98 SUBCENTER=0 MASTER_TABLE=21 SIGNF_REF_TIME=1 REF_TIME={run}T00:00:00Z"
        options[f"{band}PDS_PDTN"] = "11"
        options[f"{band}PDS_TEMPLATE_ASSEMBLED_VALUES"] = " ".join(map(str, product + ends))
    plain = _plain(folder, values.reshape(-1, ROWS, COLUMNS), {}, [{}] * (members * days))
    rasterio.shutil.copy(plain, folder / name, driver="GRIB", **options)
    return folder / name


class Store:
    """The interface of the data store: a job for each request, which runs for a while and has a result or a reason.

    runs: the result of each date, as the store has it now. asked: the inputs of all requests. deleted: ids of jobs.
    """

    def __init__(self, publisher: Publisher, token: str) -> None:
        self.publisher, self.token = publisher, token
        self.runs: dict[date, Path] = {}
        self.asked: list[dict[str, Any]] = []
        self.deleted: list[str] = []
        self.address = publisher.answer(PROCESS, self._guarded(self._submit))

    def _guarded(
        self, then: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def answer(request: web.Request) -> web.StreamResponse:
            if request.headers.get("PRIVATE-TOKEN") != self.token:
                return web.json_response({"title": "authentication failed", "detail": "invalid token"}, status=401)
            return await then(request)

        return answer

    async def _submit(self, request: web.Request) -> web.StreamResponse:
        inputs = (await request.json())["inputs"]
        self.asked.append(inputs)
        run = date(*(int(inputs[name]) for name in ("year", "month", "day")))
        job = f"{ROOT}/jobs/{len(self.asked)}"
        states = ["accepted", "running", "successful" if run in self.runs else "failed"]

        async def status(request: web.Request) -> web.StreamResponse:
            if request.method == "DELETE":
                self.deleted.append(request.path.rpartition("/")[2])
            return web.json_response({"jobID": str(len(self.asked)), "status": states[0]})

        async def passing(request: web.Request) -> web.StreamResponse:
            answer = await status(request)
            del states[: len(states) > 1]
            return answer

        async def results(_request: web.Request) -> web.StreamResponse:
            if run not in self.runs:
                reason = {"title": "The job has failed", "traceback": "MARS returned no data"}
                return web.json_response(reason, status=400)
            path = self.runs[run]
            href = self.publisher.publish("/cache/" + path.stem, path.read_bytes())
            asset = {"type": "application/octet-stream", "href": href, "file:size": path.stat().st_size}
            return web.json_response({"asset": {"value": asset}})

        self.publisher.answer(job, self._guarded(passing))
        self.publisher.answer(f"{job}/results", self._guarded(results))
        return web.json_response({"jobID": str(len(self.asked)), "status": "accepted", "links": []}, status=201)
