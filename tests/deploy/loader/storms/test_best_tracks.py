"""HURDAT2 and IBTrACS in the forms in which they are published."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from deploy.loader.records import storms as tables
from deploy.loader.source import Document, DocumentError, Findings, Source
from deploy.loader.sources import hurdat2, ibtracs

HURDAT2 = """\
AL112017,               IRMA,      3,
20170830, 0000,  , TD, 16.1N,  26.9W,  30, 1008,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
20170830, 0600,  , TS, 16.2N,  28.3W,  35, 1007,   30,    0,    0,   30,    0,    0,    0,    0,    0,    0,    0,    0,
20170906, 0545, L, HU, 17.7N,  61.8W, 155,  914, -999, -999, -999, -999, -999, -999, -999, -999, -999, -999, -999, -999,
AL122017,            UNNAMED,      3,
20170831, 0000,  , LO, 16.1N, 176.9E, -99, -999, -999, -999, -999, -999, -999, -999, -999, -999, -999, -999, -999, -999,
20170831, 0000,  , DB, 16.2N, 176.9E,  25, -999, -999, -999, -999, -999, -999, -999, -999, -999, -999, -999, -999, -999,
20170831, 0600,  , LO, 16.4N, 176.9E,  35, 1002,   60,    0,    0,   40,    0,    0,    0,    0,    0,    0,    0,    0,
"""
IBTRACS = """\
SID,SEASON,BASIN,NAME,ISO_TIME,LAT,LON,WMO_WIND,WMO_PRES,TRACK_TYPE,USA_ATCF_ID,USA_STATUS,USA_WIND,USA_PRES,\
USA_R34_NE,USA_R34_SE,USA_R34_SW,USA_R34_NW,USA_GUST
 ,Year, , , ,degrees_north,degrees_east,kts,mb, , , ,kts,mb,nmile,nmile,nmile,nmile,kts
2017242N16333,2017,NA,IRMA,2017-08-30 00:00:00,16.1,-26.9,30,1008,main,AL112017,TD,30,1008, , , , ,
2017242N16333,2017,NA,IRMA,2017-08-30 03:00:00,16.15,-27.6, , ,main,AL112017,TD,32, , , , , ,
2017242N16333,2017,NA,IRMA,2017-08-30 06:00:00,16.2,-28.3,35,1007,main,AL112017,TS,35,1007,30,0,0,30,45
2017242N16333,2017,NA,IRMA,2017-08-30 06:00:00,16.3,-28.4, , ,spur-other, , , , , , , , ,
2018001S10150,2018,SP,NOT_NAMED,2018-01-01 00:00:00,-10,267, , ,main, ,, , , , , , ,
"""


def made(source: Source, folder: Path, text: str) -> tuple[dict[str, list[Any]], Findings]:
    path = folder / "given"
    path.write_text(text)
    findings = Findings()
    rows: dict[str, list[Any]] = {}
    for batch in source.read([Document(path, "given", datetime.now(UTC))], findings):
        for target, row in batch.rows:
            rows.setdefault(target.table, []).append(row)
    return rows, findings


def test_hurdat2(tmp_path: Path) -> None:
    rows, findings = made(hurdat2.SOURCE, tmp_path, HURDAT2)
    assert (findings.read, findings.rejected) == (6, [])
    assert findings.duplicates == ["AL122017 2017-08-31 00:00:00+00:00"]
    irma, nobody = rows[tables.EVENTS.table]
    assert (irma.name, irma.category, irma.min_pressure_hpa) == ("Irma", "C5", 914)
    assert irma.title == "Category 5 storm Irma, North Atlantic, August 2017"
    assert (nobody.name, nobody.max_wind_kt) == (None, 35)
    first, second, third, other, _ = rows[tables.NODES.table]
    assert (first.geom.x, first.geom.y, first.ne34_nm, first.landfall) == (-26.9, 16.1, 0, False)
    assert (second.ne34_nm, second.se34_nm, third.ne34_nm) == (30, 0, None)
    assert third.landfall
    assert (other.geom.x, other.status) == (176.9, "DB"), "the last of two counts"
    zone, _ = rows[tables.ZONES.table]
    assert (zone.wind_speed_kt, zone.name, zone.source) == (34, "Irma", "HURDAT2, derived from wind radii")
    (disturbance,) = rows[tables.DISTURBANCE_EVENTS.table]
    assert (disturbance.event_id, disturbance.title.startswith("Tropical disturbance")) == ("AL122017", True)
    (low,) = rows[tables.DISTURBANCE_ZONES.table]
    assert (low.event_id, low.wind_speed_kt, low.start_date.hour) == ("AL122017", 34, 6)
    rows, findings = made(hurdat2.SOURCE, tmp_path, HURDAT2.replace("16.1N,  26.9W", "16.1X,  26.9W"))
    assert len(rows[tables.NODES.table]) == 4, "one line less"
    assert [each.record[:22] for each in findings.rejected] == ["AL112017 20170830,0000"]
    rows, findings = made(hurdat2.SOURCE, tmp_path, HURDAT2.replace("AL122017", "AL12X017"))
    assert {row.event_id for row in rows[tables.NODES.table]} == {"AL112017"}, "not taken for a part of Irma"
    assert len(findings.rejected) == 4, "the heading and its lines"
    with pytest.raises(DocumentError, match="is not HURDAT2"):
        made(hurdat2.SOURCE, tmp_path, "<html>")


def test_ibtracs(tmp_path: Path) -> None:
    rows, findings = made(ibtracs.SOURCE, tmp_path, IBTRACS)
    assert findings.read == 5, "the line of units is no record"
    assert findings.rejected == []
    assert [each.reason for each in findings.left_out] == ["an alternative position beside the main track (spur)"]
    irma, nobody = rows[tables.EVENTS.table]
    assert (irma.event_id, irma.ibtracs_id, irma.name, irma.basin) == ("AL112017", "2017242N16333", "Irma", "NA")
    assert (nobody.event_id, nobody.name, nobody.geom.x) == ("2018001S10150", None, -93.0)
    nodes = rows[tables.NODES.table]
    assert [row.wind_kt for row in nodes] == [30, 32, 35, None]
    assert [row.regional_wind_kt for row in nodes] == [30, None, 35, None]
    assert [row.source for row in nodes] == [*["IBTrACS, wind of NHC"] * 3, "IBTrACS"]
    assert (nodes[2].ne34_nm, nodes[2].gust_kt, nodes[0].ne34_nm) == (30, 45, None)
    with pytest.raises(DocumentError, match="is not IBTrACS"):
        made(ibtracs.SOURCE, tmp_path, "SID,SEASON\n")


def test_storms_of_a_table_in_order_of_time_are_put_together(tmp_path: Path) -> None:
    table = """Key,Name,DateTime,Record,Status,Lat,Lon,Wind,Pressure,NE34,SE34
AL112017,IRMA,2017-08-30 00:00:00,,TD,16.1,-26.9,30,1008,,
AL122017,JOSE,2017-08-30 00:00:00,,TD,12.1,-36.9,30,1008,,
AL112017,IRMA,2017-08-30 06:00:00,,TS,16.2,-28.3,35,1007,30,
AL122017,JOSE,2017-08-30 06:00:00,,TS,12.2,,35,1007,30,
,,1851-06-25 00:00:00,,HU,28.0,-94.8,80,,,
"""
    rows, findings = made(hurdat2.SOURCE, tmp_path, table)
    assert [(row.name, row.valid_time.hour) for row in rows[tables.NODES.table]] == [
        ("Irma", 0),
        ("Irma", 6),
        ("Jose", 0),
    ]
    assert (findings.read, findings.duplicates) == (5, [])
    assert [each.reason for each in findings.rejected] == [
        "'', '12.2' is no position",
        "'' is no number of a storm",
    ]
    assert [row.ne34_nm for row in rows[tables.NODES.table]] == [None, 30, None]
    assert rows[tables.NODES.table][1].se34_nm == 0, "an empty cell beside others of the same wind"
