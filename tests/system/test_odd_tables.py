"""Clients read odd tables through OGC API Features and every file format, and have the values that SQL has."""

# ruff: noqa: S608 - all names are the test's own
from __future__ import annotations

import asyncio
import csv
import io
import itertools
import json
import os
import subprocess
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import isfinite
from pathlib import Path
from typing import Any

import asyncpg
import duckdb
import pyogrio.raw
import pytest
import shapely
from aiohttp import ClientSession
from pyproj import CRS, Transformer

from tests.client_programs import command
from tests.eventually import eventually
from tests.running_stack import RunningStack

pytestmark = pytest.mark.system

_COLUMNS = (
    "id integer PRIMARY KEY, whole bigint, amount numeric, size double precision, flag boolean, day date,"
    " at timestamptz, word text, many numeric[], document jsonb"
)
_NAMES = ("whole", "amount", "size", "flag", "day", "at", "word")
"""Columns whose values are compared; readers must only cope with the others."""
# numbers that are whole on the first page, and values that JSON cannot hold
_ROWS = """
    (1, 1, 6, 1, true, '2020-02-29', '2020-02-29 10:11:59.9997Z', 'plain'),
    (2, 9007199254740993, 6.25, 'NaN', false, 'infinity', 'infinity', 'é "quoted", 0012' || chr(10) || 'second line'),
    (3, NULL, 3.98e22, 'Infinity', NULL, '0044-03-15 BC', '-infinity', '=1+1'),
    (4, -9223372036854775808, 9223372036854775808, 1e300, true, '9999-12-31', '12000-01-01Z', '+49 40 1234'),
    (5, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (6, 0, -0.001, -1e-300, false, '0001-01-01', '1969-12-31 23:59:59.9996Z', '007')
"""
# GDAL 3.12 reads no page with an integer beyond 64 bits
_LARGE = (
    "many = '{9223372036854775808, 1, NaN, 398e20}',"
    """ document = '{"a": [-9223372036854775809, 1e300, "9223372036854775808"]}'"""
)
# by name: type of the column, and the geometry of row n in it
_TABLES = {
    "points": ("geometry(Point, 4326)", "CASE WHEN n <> 3 THEN ST_Point(n * 10.123456, n - 40.5, 4326) END"),
    "undeclared": ("geometry", "ST_Transform(ST_Point(n * 10.5, n + 1.25, 4326), 3857)"),
    "any_srid": ("geometry(Point)", "ST_Transform(ST_Point(n * 10.5, n + 1.25, 4326), 3857 + (n % 2) * 3076)"),
    "bare": ("geometry", "ST_Point(n * 10.5, n + 1.25)"),
    "heights": (
        "geometry(LineStringZ, 4326)",
        "ST_SetSRID(ST_MakeLine(ST_MakePoint(n, 1, n), ST_MakePoint(n, 2, 7)), 4326)",
    ),
    "areas": ("geometry(Polygon, 5070)", "ST_SetSRID(ST_MakeEnvelope(n * 1e4, 1.5e6, n * 1e4 + 5e3, 1.6e6), 5070)"),
}  # fmt: skip

_QGIS = Path(__file__).with_name("qgis_rows.py")

Row = tuple[dict[str, Any], Any]
"""Properties by name, and the geometry or None."""
Rows = dict[int, Row]


@pytest.fixture(scope="module")
async def tables(stack: RunningStack) -> AsyncIterator[dict[str, Rows]]:
    """Make the tables; return what SQL says of each, by the rules that the documents state."""
    owner = await asyncpg.connect(stack.owner_url("dams"))
    expected = {}
    try:
        for name, (kind, shape) in _TABLES.items():
            table = f"hazard.odd_{name}"
            await owner.execute(
                f"DROP TABLE IF EXISTS {table}; CREATE TABLE {table} ({_COLUMNS}, geom {kind});"
                f"INSERT INTO {table} (id, {', '.join(_NAMES)}) VALUES {_ROWS};"
                f" UPDATE {table} SET {_LARGE} WHERE id = 4;"
                f" UPDATE {table} AS t SET geom = (SELECT {shape} FROM (SELECT t.id AS n) AS row);"
                f"GRANT SELECT ON {table} TO PUBLIC"
            )
            placed = "CASE ST_SRID(geom) WHEN 0 THEN ST_SetSRID(geom, 4326) ELSE ST_Transform(geom, 4326) END"
            rows = await owner.fetch(
                "SELECT id, whole::float8, amount::float8, CASE WHEN abs(size) < 'Infinity' THEN size END AS size, "
                " flag, CASE WHEN day >= '0001-01-01' AND day < '10000-01-01' THEN day::text END AS day,"
                " CASE WHEN at >= '0001-01-01' AND at < '10000-01-01' THEN extract(epoch FROM at)::float8 END AS at,"
                f" word, ST_AsBinary({placed}) AS geom FROM {table}"
            )
            expected[name] = {
                row["id"]: ({key: row[key] for key in _NAMES}, shapely.from_wkb(row["geom"])) for row in rows
            }
        await eventually(lambda: _known_to_each_process(stack))
        yield expected
    finally:
        for name in _TABLES:
            await owner.execute(f"DROP TABLE IF EXISTS hazard.odd_{name}")
        await owner.close()


@pytest.mark.parametrize("reader", ["oapif", "oapif of pyogrio", "geojson", "json", "geojsonseq", "ndjson", "csv",
                                    "fgb", "gpkg", "parquet"])  # fmt: skip
@pytest.mark.parametrize("name", _TABLES)
async def test_a_client_has_the_values_of_sql(
    stack: RunningStack,
    tables: Mapping[str, Rows],
    tmp_path: Path,
    *,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    reader: str,
) -> None:
    # addresses of the stack are local, even if the machine has a proxy
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    expected = tables[name]
    if reader.startswith("oapif"):
        read = _by_debian if reader == "oapif" else _by_pyogrio
        found = await asyncio.to_thread(read, stack.base_url, f"hazard.odd_{name}")
    else:
        found = _READERS[reader](await _file(stack, name, reader, tmp_path))
    _assert_same(found, expected)


@pytest.mark.slow
@pytest.mark.clients
async def test_qgis_has_the_values_of_sql(stack: RunningStack, tables: Mapping[str, Rows], tmp_path: Path) -> None:
    result = await asyncio.to_thread(
        subprocess.run,
        # from its input: the file is not where another release of Debian is
        command("/usr/bin/python3", "-", stack.base_url, *(f"hazard.odd_{name}" for name in tables)),
        input=_QGIS.read_text(encoding="utf-8"),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "no_proxy": "127.0.0.1"},
    )
    assert result.returncode == 0, result.stderr
    read = json.loads(result.stdout)
    for name, expected in tables.items():
        rows = read[f"hazard.odd_{name}"]
        shapes = [None if row["geometry"] is None else shapely.from_wkb(row["geometry"]) for row in rows]
        # QGIS cuts off fractions of a millisecond
        _assert_same(_of_rows(rows, shapes), expected, milliseconds=1)


def _assert_same(found: Rows, expected: Rows, *, milliseconds: int = 0) -> None:
    """Assert the same rows; times may differ by up to `milliseconds`."""
    assert found.keys() == expected.keys()
    for key, (properties, shape) in expected.items():
        values, place = found[key]
        # CSV has no other sign for null, and no type
        wanted = {column: _known(column, value) for column, value in properties.items()}
        if wanted["at"] is not None:
            wanted["at"] = pytest.approx(wanted["at"], rel=0, abs=milliseconds)
        assert {column: _known(column, values[column]) for column in _NAMES} == wanted, key
        assert (place is None) == (shape is None), key
        if shape is not None:
            assert place.geom_type == shape.geom_type
            near = [
                shapely.get_coordinates(shapely.normalize(each), include_z=True).tolist() for each in (place, shape)
            ]
            for one, other in zip(*near, strict=True):
                assert one == pytest.approx(other, abs=1e-6, nan_ok=True), key


async def _known_to_each_process(stack: RunningStack) -> None:
    """Each process learns of a new table in its own time, and any may answer."""
    async with ClientSession() as session:
        # addresses of their own, as the gateway keeps answers
        for name, limit in itertools.product(_TABLES, range(1, 9)):
            async with session.get(f"{stack.base_url}/collections/hazard.odd_{name}/items?limit={limit}") as response:
                assert response.status == 200, await response.text()


async def _file(stack: RunningStack, name: str, form: str, folder: Path) -> Path:
    """Return the export of a table."""
    file = folder / f"odd.{form}"
    async with (
        ClientSession() as session,
        session.get(f"{stack.base_url}/collections/hazard.odd_{name}/export", params={"f": form}) as response,
    ):
        assert response.status == 200, await response.text()
        file.write_bytes(await response.read())
    return file


def _known(column: str, value: Any) -> Any:
    """Return a value in the form in which all readers have it: a number, a time in milliseconds since 1970, a text."""
    if value is None or value == "":
        return None
    if column in ("whole", "amount", "size"):
        number = float(value)
        # 15 digits, which every format keeps
        return float(f"{number:.15g}") if isfinite(number) else None
    if column == "flag":
        return str(value).lower() in ("true", "1", "1.0")
    if column == "at":
        return _milliseconds(value)
    return str(value)[:10].replace("/", "-") if column == "day" else str(value)


def _milliseconds(value: Any) -> int:
    if isinstance(value, float):
        return int(value * 1000 + 0.5) if value >= 0 else -int(-value * 1000 + 0.5)
    if isinstance(value, datetime):
        moment = value
    else:
        text = str(value).replace("/", "-").replace("Z", "+00:00")
        # GDAL 3.6 itself writes second 60
        late, text = ":60" in text, text.replace(":60", ":59")
        moment = datetime.fromisoformat(f"{text}:00" if text[-3:] == "+00" else text) + timedelta(seconds=late)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return round((moment - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1))


def _by_debian(base: str, collection: str) -> Rows:
    """Read by the GDAL of the system."""
    # newer ones request features in the CRS in which they are stored
    command = ["ogr2ogr", "-f", "GeoJSON", "/vsistdout/", f"OAPIF:{base}", collection, "-lco", "COORDINATE_PRECISION=9"]
    command += ["-t_srs", "OGC:CRS84"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ})
    assert result.returncode == 0, result.stderr
    assert "ERROR" not in result.stderr, result.stderr
    return _of_geojson(json.loads(result.stdout)["features"])


def _by_pyogrio(base: str, collection: str) -> Rows:
    """Read by the newer GDAL of the tests' environment."""
    return _of_gdal(f"OAPIF:{base}", layer=collection, PAGE_SIZE="2")


def _of_gdal(source: str | Path, **options: Any) -> Rows:
    meta, fids, shapes, columns = pyogrio.raw.read(source, datetime_as_string=True, return_fids=True, **options)
    # the id of a feature, for a column that GDAL takes as such
    ids = {"id": fids} if "id" not in meta["fields"] or str(source).startswith("OAPIF") else {}
    rows = zip(*(column.tolist() for column in [*columns, *ids.values()]), strict=True)
    names = [*map(str, meta["fields"]), *ids]
    # GDAL 3.12 requests features in the CRS in which they are stored
    places = shapely.from_wkb(shapes)
    if CRS(meta["crs"]).is_projected:
        move = Transformer.from_crs(meta["crs"], 4326, always_xy=True).transform
        places = [None if place is None else shapely.transform(place, move, interleaved=False) for place in places]  # type: ignore[arg-type]
    return _of_rows((dict(zip(names, row, strict=True)) for row in rows), places)


def _of_rows(rows: Iterable[Mapping[str, Any]], shapes: Iterable[Any]) -> Rows:
    def known(value: Any) -> Any:
        # null among numbers, and among times
        return None if value != value or value == "NaT" else value  # noqa: PLR0124 of NaN alone

    found = ({name: known(value) for name, value in row.items()} for row in rows)
    return {int(row["id"]): (row, shape) for row, shape in zip(found, shapes, strict=True)}


def _of_geojson(features: Sequence[Mapping[str, Any]]) -> Rows:
    shapes = [shapely.geometry.shape(each["geometry"]) if each["geometry"] else None for each in features]
    return _of_rows((each["properties"] for each in features), shapes)


def _of_table(rows: Sequence[Mapping[str, Any]]) -> Rows:
    shapes = [shapely.from_wkt(row["geometry"]) if row["geometry"] else None for row in rows]
    return _of_rows(rows, shapes)


def _of_flat(rows: Sequence[Mapping[str, Any]]) -> Rows:
    if rows and isinstance(rows[0]["geometry"], str | None):
        return _of_table(rows)
    return _of_rows(rows, [shapely.geometry.shape(row["geometry"]) if row["geometry"] else None for row in rows])


def _of_parquet(file: Path) -> Rows:
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        columns = 'id, whole, amount, size, flag, CAST("day" AS VARCHAR) AS day, epoch_us("at") / 1e6 AS "at", word'
        relation = connection.execute(f"SELECT {columns}, geom::BLOB FROM read_parquet(?)", [str(file)])
        rows = relation.fetchall()
    names = ("id", *_NAMES)
    return _of_rows(
        (dict(zip(names, row[:-1], strict=True)) for row in rows), [shapely.from_wkb(row[-1]) for row in rows]
    )


def _lines(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").replace("\x1e", "").splitlines() if line]


_READERS: dict[str, Callable[[Path], Rows]] = {
    "geojson": lambda file: _of_geojson(json.loads(file.read_text(encoding="utf-8"))["features"]),
    "geojsonseq": lambda file: _of_geojson(_lines(file)),
    "json": lambda file: _of_flat(json.loads(file.read_text(encoding="utf-8"))),
    "ndjson": lambda file: _of_flat(_lines(file)),
    "csv": lambda file: _of_table(list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"), newline="")))),
    "fgb": _of_gdal,
    "gpkg": _of_gdal,
    "parquet": _of_parquet,
}
