"""Each source loads all other records if one record is mutated: 200 mutations per source."""

from __future__ import annotations

import copy
import csv
import io
import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from deploy.loader.records.target import Batch
from deploy.loader.source import Document, DocumentError, Findings
from deploy.loader.sources.registry import SOURCES
from tests.deploy.loader.conftest import Load
from tests.deploy.loader.earthquake_feed import feature
from tests.deploy.loader.flood_documents import MOM_HEADER, collection, dfo, gdacs, mom, watershed
from tests.deploy.loader.satellite_documents import activation
from tests.deploy.loader.storms.test_best_tracks import HURDAT2, IBTRACS
from tests.deploy.loader.storms.test_gdacs_cyclones import storm_features
from tests.deploy.loader.storms.test_nhc_advisories import IRMA
from tests.deploy.loader.storms.test_nhc_tables import TABLES
from tests.deploy.loader.test_emsc import quake

MUTATIONS = 200
SEED = 40
VALUES: list[Any] = [
    None, [], {}, "", " ", "x", "a\0b", "é" * 300, -1, 0, 2**40, 10**400, 1e308, -1e308, 91, 361, True,
    [None], [[1]], {"a": 1}, "2026-13-45", "NaN", "-9999", "http://[", "\udcff",
]  # fmt: skip


def _places(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something is in an object of JSON."""
    inner = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for name, value in inner:
        yield (*path, name)
        yield from _places(value, (*path, name))


def mutated_json(record: Any, chance: random.Random) -> Any:
    """The record with one value gone or another one."""
    places = list(_places(record))
    if chance.random() < 0.1 or not places:
        return chance.choice(VALUES)
    made = copy.deepcopy(record)
    *path, last = chance.choice(places)
    inside = made
    for name in path:
        inside = inside[name]
    if chance.random() < 0.25:
        del inside[last]
    else:
        inside[last] = chance.choice(VALUES)
    return made


def mutated_line(line: str, chance: random.Random) -> str:
    """The line with one cell gone, doubled or another one."""
    cells = next(csv.reader([line]))
    place = chance.randrange(len(cells))
    kind = chance.random()
    if kind < 0.15:
        return line[: chance.randrange(len(line))]
    if kind < 0.3:
        del cells[place]
    elif kind < 0.4:
        cells.insert(place, cells[place])
    else:
        cells[place] = str(chance.choice(VALUES))
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


@dataclass(frozen=True)
class Case:
    """Documents of a source, and what becomes of them.

    records: each a list of features or of lines. document: a text of all of them. keys: what the rows of each record
    have in `column`. beside: other documents, by name.
    """

    source: str
    records: list[list[Any]]
    document: Callable[[list[Any]], str]
    mutate: Callable[[Any, random.Random], Any]
    keys: list[str]
    column: str = "event_id"
    beside: dict[str, str] = field(default_factory=dict)


def as_collection(features: list[Any]) -> str:
    return json.dumps(collection(*features))


def as_lines(header: str) -> Callable[[list[str]], str]:
    return lambda lines: "".join(f"{line}\n" for line in [header, *lines] if line)


def gauge_series(latitude: int) -> list[str]:
    return [f"2026-05-31,2026-06-0{day},{member},{latitude},20,{day * 10}" for day in (1, 2) for member in (0, 1)]


def cyclone(event: int, longitude: float) -> list[Any]:
    features = storm_features(longitude=longitude, eventid=event)
    for each in features:
        each["id"] = f"TC{event}7{each['id']}"
    return features


USGS_COLUMNS = (
    "time,latitude,longitude,depth,mag,magType,nst,gap,dmin,rms,net,id,updated,place,type,horizontalError,depthError,"
    "magError,magNst,status,locationSource,magSource"
)
USGS_ROW = (
    "2013-01-01T00:00:00.000Z,10,20,33,5.1,mb,,,,,us,us{},2014-01-01T00:00:00.000Z,somewhere,earthquake"
    ",,,,,reviewed,us,us"
)
SCEDC_COLUMNS = "event_id,time,latitude,longitude,depth_km,magnitude,mag_type,event_type"
SCEDC_ROW = "us{},1999-10-16T09:46:44Z,34.5,-116.2,5,7.1,w,eq"
THREE = (1, 2, 3)
THREE_CODES = (801, 802, 803)
US = [f"us{number}" for number in THREE]
EMSC = [f"EMSC-20180201_000000{number}" for number in THREE]
SIDS = IBTRACS.splitlines()[2:6], IBTRACS.splitlines()[6:7]
CASES = [
    Case("usgs-earthquakes", [[feature(name)] for name in US], as_collection, mutated_json, US),
    Case("usgs-earthquakes-csv", [[USGS_ROW.format(n)] for n in THREE], as_lines(USGS_COLUMNS), mutated_line, US),
    Case("scedc-catalogue", [[SCEDC_ROW.format(n)] for n in THREE], as_lines(SCEDC_COLUMNS), mutated_line, US),
    Case("emsc-earthquakes", [[quake(n, n * 900)] for n in THREE], as_collection, mutated_json, EMSC),
    *(
        Case(name, [gdacs(kind, n, 1) for n in THREE], as_collection, mutated_json, [f"GDACS-{kind}{n}" for n in THREE])
        for name, kind in (("gdacs-floods", "FL"), ("gdacs-earthquakes", "EQ"))
    ),
    Case(
        "gdacs-cyclones",
        [cyclone(1001, 130), cyclone(3003, -60)],
        as_collection,
        mutated_json,
        ["TC1001", "TC3003"],
    ),
    Case(
        "copernicus-ems",
        [[activation(number)] for number in THREE_CODES],
        lambda details: json.dumps({"results": details}),
        mutated_json,
        [f"EMSR{number}" for number in THREE_CODES],
    ),
    Case("dfo-floods", [[dfo(n)] for n in THREE], as_collection, mutated_json, [f"DFO-{n}" for n in THREE]),
    Case(
        "mom-alerts",
        [[mom(n, "2026-05-01T00:00:00Z")] for n in THREE],
        as_lines(MOM_HEADER),
        mutated_line,
        ["1", "2", "3"],
        "watershed_id",
        {"watersheds.json": as_collection([watershed(n) for n in THREE])},
    ),
    Case(
        "glofas-gauges",
        [gauge_series(n) for n in THREE],
        as_lines("time,valid_time,number,latitude,longitude,dis24"),
        mutated_line,
        [f"GloFAS-{n}.000,20.000" for n in THREE],
        "gauge_id",
    ),
    Case(
        "hurdat2",
        [HURDAT2.splitlines()[:4], HURDAT2.splitlines()[4:]],
        lambda lines: "".join(f"{line}\n" for line in lines),
        mutated_line,
        ["AL112017", "AL122017"],
    ),
    Case(
        "ibtracs",
        [*SIDS],
        as_lines("\n".join(IBTRACS.splitlines()[:2])),
        mutated_line,
        ["AL112017", "2018001S10150"],
    ),
]


ELSEWHERE = {
    "nhc-advisories": "test_mutations.py",
    "usgs-products": "test_earthquake_products.py",
    "gdacs-impacts": "test_gdacs_impacts.py",
    "cap-alerts": "test_cap_alerts.py",
    "flood-footprints": "test_satellite_floods.py",
    "jma-typhoons": "storms/test_jma_typhoons.py",
    "jtwc-warnings": "storms/test_mutations_of_warnings.py",
    "nhc-outlooks": "storms/test_mutations_of_warnings.py",
    "atcf-decks": "storms/test_mutations_of_warnings.py",
    "tsunami-bulletins": "storms/test_mutations_of_warnings.py",
}
"""Files with the mutations of other sources, whose documents are not lists of records."""


def test_documents_of_every_source_are_mutated() -> None:
    assert SOURCES.keys() == {case.source for case in CASES} | ELSEWHERE.keys()
    folder = Path(__file__).parent
    assert all("MUTATIONS" in (folder / file).read_text() for file in ELSEWHERE.values())


def documents(folder: Path, case: Case, records: list[list[Any]]) -> list[Document]:
    texts = {"given": case.document([part for record in records for part in record]), **case.beside}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", errors="surrogateescape")
    return [Document(folder / name, name, datetime.now(UTC)) for name in texts]


def with_one_mutated(case: Case, which: int, chance: random.Random) -> list[list[Any]]:
    parts = list(case.records[which])
    place = chance.randrange(len(parts))
    parts[place] = case.mutate(parts[place], chance)
    return [parts if each == which else record for each, record in enumerate(case.records)]


def rows_of(batch: Batch) -> list[Any]:
    """Return the rows of a batch for an empty database."""
    whole = [batch, *(recall.make([]) for recall in batch.recalls if not batch.rows)]
    return [row for each in whole for _, row in each.rows]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.source)
def test_the_other_records_are_read(case: Case, tmp_path: Path) -> None:
    source = SOURCES[case.source]
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for _ in range(MUTATIONS):
        which = chance.randrange(len(case.records))
        # a document begins with what it is known by
        which = max(which, case.source == "hurdat2")
        records = with_one_mutated(case, which, chance)
        findings = Findings()
        given = documents(tmp_path, case, records)
        rows = [row for batch in source.read(given, findings) for row in rows_of(batch)]
        found = {getattr(row, case.column) for row in rows}
        assert found >= {key for place, key in enumerate(case.keys) if place != which}, records[which]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.source)
async def test_the_other_records_are_loaded(case: Case, owner: asyncpg.Connection, run: Load, tmp_path: Path) -> None:
    """Beside many that are not what they should be, some of which only the database can refuse."""
    chance = random.Random(SEED)  # noqa: S311 - no secret
    bad = [with_one_mutated(case, len(case.records) - 1, chance)[-1] for _ in range(50)]
    given = documents(tmp_path, case, [*case.records[:-1], *bad])
    await run(SOURCES[case.source], *(document.path for document in given))
    table = SOURCES[case.source].targets[0].table
    found = {row[0] for row in await owner.fetch(f"SELECT {case.column} FROM hazard.{table}")}  # noqa: S608 - constants
    assert found >= set(case.keys[:-1])


def test_a_product_of_the_hurricane_center_is_read_or_refused(tmp_path: Path) -> None:
    source = SOURCES["nhc-advisories"]
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for _ in range(MUTATIONS):
        lines = IRMA.splitlines()
        place = chance.randrange(len(lines))
        lines[place : place + 1] = chance.choice(([], ["x"], [lines[place][: len(lines[place]) // 2]], ["9" * 40]))
        (tmp_path / "tcm.txt").write_text("\n".join(lines))
        batches: list[Batch] = []
        with suppress(DocumentError):
            batches += source.read([Document(tmp_path / "tcm.txt", "tcm.txt", datetime.now(UTC))], Findings())
        assert {row[0] for batch in batches for _, row in batch.rows} <= {"AL112017"}


def test_a_storm_of_the_list_that_cannot_be_read_hides_no_other(tmp_path: Path) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    storm = {"id": "al012026", "forecastAdvisory": {"url": "http://127.0.0.1/1"}, "forecastTrack": {"zipFile": None}}
    other = {"id": "ep022026", "forecastAdvisory": {"url": "http://127.0.0.1/2"}}
    for _ in range(MUTATIONS):
        (tmp_path / "list.json").write_text(json.dumps({"activeStorms": [mutated_json(storm, chance), other]}))
        index = Document(tmp_path / "list.json", "list.json", datetime.now(UTC))
        assert "http://127.0.0.1/2" in list(SOURCES["nhc-advisories"].named(index))
        assert list(SOURCES["nhc-advisories"].read([index], Findings())) == []


def test_rows_of_tables_of_advisories_are_read_or_rejected(tmp_path: Path) -> None:
    source = SOURCES["nhc-advisories"]
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for _ in range(MUTATIONS):
        tables = dict(TABLES)
        name = chance.choice([*tables])
        header, *lines = tables[name].splitlines()
        place = chance.randrange(len(lines))
        lines[place] = mutated_line(lines[place], chance)
        tables[name] = as_lines(header)(lines)
        for each, text in tables.items():
            (tmp_path / each).write_text(text, encoding="utf-8", errors="surrogateescape")
        given = [Document(tmp_path / each, each, datetime.now(UTC)) for each in tables]
        rows = [row for batch in source.read(given, Findings()) for _, row in batch.rows]
        assert {row[0] for row in rows} <= {"AL012020"}
        assert rows
