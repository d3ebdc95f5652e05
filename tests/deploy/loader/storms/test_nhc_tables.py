"""Advisories as tables: which rows belong together, and which are refused with a reason."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest

from deploy.loader.source import Document, DocumentError, Findings
from deploy.loader.sources.nhc_tables import is_table, read_tables
from deploy.loader.storms.advisories import Advisory

# simulated
TABLES = {
    "storms": "Key,Name,StartDate,EndDate\nAL012020,Alpha,2020-06-01,2020-06-05\n",
    "fstadv": "Status,Name,Adv,Date,Key,Lat,Lon,Wind,Gust,Pressure\n"
    "Hurricane,,2,2020-06-01 06:00:00,AL012020,15,-60,80,95,970\n"
    "Tropical Storm,,1,2020-06-01 00:00:00,AL012020,14,300,60,70,990\n",
    "fcst": "Key,Adv,Date,FcstDate,Lat,Lon,Wind,Gust\n"
    "AL012020,2,2020-06-01 06:00:00,2020-06-02 06:00:00,17,-65,90,110\n"
    "AL012020,2,2020-06-01 06:00:00,2020-06-01 18:00:00,16,-62,85,105\n",
    "wr": "Key,Adv,Date,WindField,NE,SE,SW,NW\nAL012020,2,2020-06-01 06:00:00,34,100,80,60,90\n",
    "fcst_wr": "Key,Adv,Date,FcstDate,WindField,NE,SE,SW,NW\n"
    "AL012020,2,2020-06-01 06:00:00,2020-06-02 06:00:00,64,30,20,10,25\n",
}


def _read(folder: Path, tables: dict[str, str]) -> tuple[list[Advisory], Findings]:
    documents = []
    for name, text in tables.items():
        # some are packed
        path = folder / f"{name}.csv.gz" if name == "wr" else folder / f"{name}.csv"
        path.write_bytes(gzip.compress(text.encode()) if name == "wr" else text.encode())
        documents.append(Document(path, name, datetime.now(UTC)))
    assert all(is_table(document) for document in documents)
    findings = Findings()
    return read_tables(documents, findings), findings


def test_rows_of_all_tables_are_one_advisory(tmp_path: Path) -> None:
    (first, second), findings = _read(tmp_path, TABLES)
    assert (findings.read, findings.rejected, findings.duplicates) == (7, [], [])
    assert (first.number, second.number, second.name, second.season) == (1, 2, "Alpha", 2020)
    assert findings.issued == second.time == datetime(2020, 6, 1, 6, tzinfo=UTC)
    assert first.analysed is not None
    assert second.analysed is not None
    assert (first.analysed.longitude, first.analysed.radii) == (-60, (None,) * 12)
    now = second.analysed
    assert (now.wind_kt, now.gust_kt, now.pressure_hpa, now.status) == (80, 95, 970, "Hurricane")
    assert now.radii == (100, 80, 60, 90, *(None,) * 8)
    assert [(fix.time.day, fix.time.hour, fix.longitude) for fix in second.forecast] == [(1, 18, -62), (2, 6, -65)]
    assert second.forecast[1].radii == (*(None,) * 8, 30, 20, 10, 25)
    assert first.forecast == []
    assert second.source == "NHC, advisory 2 of 2020-06-01 06:00 UTC"


_ADVISORY = "AL012020,2,2020-06-01 06:00:00"


@pytest.mark.parametrize(
    ("table", "row", "reason"),
    [
        ("storms", "ALPHA,Alpha,2020-06-01,2020-06-05", "no number of a storm: 'ALPHA'"),
        ("fstadv", "Low,,3,2020-06-01 12:00:00,ALPHA,1,2,3,4,5", "no number of a storm: 'ALPHA'"),
        ("fstadv", "Low,,3,2020-06-01 12:00:00,AL012020,NA,-60,3,4,5", "no position"),
        ("fstadv", "Low,,3,2020-06-01 12:00:00,AL012020,91,-60,3,4,5", "no position"),
        ("fcst", "AL012020,9,2020-06-01 09:00:00,2020-06-02 06:00:00,17,-65,90,110", "its advisory is missing"),
        ("fcst", f"{_ADVISORY},2020-06-02 07:00:00,,,90,110", "no position"),
        ("fcst", f"{_ADVISORY},2020-06-01 06:00:00,17,-65,90,110", "expected for a time that is not within six days"),
        ("fcst", f"{_ADVISORY},2020-06-07 06:00:01,17,-65,90,110", "expected for a time that is not within six days"),
        ("wr", "AL012020,9,2020-06-01 09:00:00,34,1,1,1,1", "there is no position that the radii are of"),
        ("wr", f"{_ADVISORY},35,1,1,1,1", "wind of '35' kt, which is none of 34, 50 and 64"),
        ("wr", f"{_ADVISORY},50,1,1,NA,1", "radii are missing"),
        ("wr", f"{_ADVISORY},50,1,1,-1,1", "radii are missing"),
        ("fcst_wr", f"{_ADVISORY},2020-06-03 06:00:00,34,1,1,1,1", "there is no position that the radii are of"),
    ],
)
def test_a_row_that_belongs_to_nothing_is_refused(tmp_path: Path, table: str, row: str, reason: str) -> None:
    _, findings = _read(tmp_path, {**TABLES, table: f"{TABLES[table]}{row}\n"})
    (rejected,) = findings.rejected
    assert rejected.record.startswith(f"{table} A")
    assert rejected.reason.startswith(reason)


def test_what_is_on_the_sixth_day_is_still_expected_and_no_radius_is_one(tmp_path: Path) -> None:
    tables = {
        **TABLES,
        "fcst": f"{TABLES['fcst']}{_ADVISORY},2020-06-07 06:00:00,20,-70,40,50\n",
        "wr": f"{TABLES['wr']}{_ADVISORY},50,0,0,0,0\n",
    }
    (_, second), findings = _read(tmp_path, tables)
    assert findings.rejected == []
    assert len(second.forecast) == 3
    assert second.analysed is not None
    assert second.analysed.radii[4:8] == (0, 0, 0, 0)


@pytest.mark.parametrize("table", list(TABLES))
def test_of_corrections_the_last_counts(tmp_path: Path, table: str) -> None:
    *_, last = TABLES[table].strip().split("\n")
    _, findings = _read(tmp_path, {**TABLES, table: f"{TABLES[table]}{last}\n"})
    assert [said.split(" ")[0] for said in findings.duplicates] == [table]


def test_an_advisory_without_a_position_is_one_until_its_correction(tmp_path: Path) -> None:
    silent = "Low,,3,2020-06-01 12:00:00,AL012020,,,3,4,5\n"
    (_, _, third), findings = _read(tmp_path, {**TABLES, "fstadv": TABLES["fstadv"] + silent})
    assert (third.analysed, third.number, len(findings.rejected)) == (None, None, 1)
    corrected = f"{silent}Low,Beta,3,2020-06-01 12:00:00,AL012020,16,-61,3,4,5\n"
    (_, _, third), findings = _read(tmp_path, {**TABLES, "fstadv": TABLES["fstadv"] + corrected})
    assert (third.name, third.number, findings.duplicates) == ("Beta", 3, [])


def test_files_that_are_no_tables_or_the_same_are_refused(tmp_path: Path) -> None:
    def document(name: str, content: bytes) -> Document:
        (tmp_path / name).write_bytes(content)
        return Document(tmp_path / name, name, datetime.now(UTC))

    for name, content in (("a.csv", b"a,b\n"), ("b.csv", b"\xff\xfe"), ("c.csv.gz", b"no gzip"), ("d.csv", b"")):
        assert not is_table(document(name, content))
        with pytest.raises(DocumentError, match="is no table of advisories"):
            read_tables([document(name, content)], Findings())
    fstadv, again = (document(name, TABLES["fstadv"].encode()) for name in ("e.csv", "f.csv"))
    with pytest.raises(DocumentError, match=r"f.csv and e.csv are the same table \(fstadv\)"):
        read_tables([fstadv, again], Findings())
    with pytest.raises(DocumentError, match="fstadv"):
        read_tables([document("g.csv", TABLES["fcst"].encode())], Findings())
    findings = Findings()
    noon = document("h.csv", TABLES["fstadv"].replace("2020-06-01 06:00:00", "noon").encode())
    assert [advisory.number for advisory in read_tables([noon], findings)] == [1], "the other row counts"
    assert "'noon' is no time" in findings.rejected[0].reason
    packed = gzip.compress(TABLES["fstadv"].encode() * 2000)
    with pytest.raises(DocumentError, match="cannot be read to its end"):
        read_tables([document("i.csv.gz", packed[: len(packed) // 2])], Findings())
