"""R reads CSV and JSON lines by address, and files with its package sf, with the types of the schema."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.contract.conftest import COLLECTION, Api

pytestmark = [pytest.mark.system, pytest.mark.slow, pytest.mark.clients]

_SCRIPT = """
quakes <- read.csv(commandArgs(TRUE), encoding = "UTF-8")
columns <- c("id", "event_id", "magnitude", "significance", "tsunami", "event_date")
quakes$event_date <- as.POSIXct(quakes$event_date, format = "%Y-%m-%dT%H:%M:%OSZ", tz = "UTC")
quakes$tsunami <- as.logical(quakes$tsunami)
cat(nrow(quakes), sum(quakes$magnitude, na.rm = TRUE), sum(is.na(quakes$event_date)), sum(is.na(quakes$tsunami)), "\\n")
cat(sapply(quakes[columns], function(column) class(column)[1]), "\\n")
"""


_FILES = """
library(sf)
for (file in commandArgs(TRUE)) {
    quakes <- st_read(file, quiet = TRUE)
    columns <- c("id", "event_id", "magnitude", "tsunami", "event_date")
    classes <- sapply(columns, function(column) class(quakes[[column]])[1])
    places <- st_coordinates(quakes)
    cat(nrow(quakes), sum(quakes$magnitude, na.rm = TRUE), st_crs(quakes)$epsg, sum(places[, 1]), classes, "\\n")
}
"""


def test_sf_reads_files(api: Api, tmp_path: Path) -> None:
    features = api.get(f"/collections/{COLLECTION}/items", {"limit": "10000", "f": "geojson"}).json()["features"]
    files = []
    for format_ in ("fgb", "gpkg", "geojson"):
        files.append(tmp_path / f"quakes.{format_}")
        files[-1].write_bytes(api.get(f"/collections/{COLLECTION}/export", {"f": format_}).body)
    result = subprocess.run(
        ["Rscript", "-e", _FILES, *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert len(lines) == len(files)
    for line in lines:
        rows, magnitudes, epsg, longitudes, *types = line.split()
        assert (int(rows), int(epsg)) == (len(features), 4326)
        assert float(magnitudes) == pytest.approx(
            sum(each["properties"]["magnitude"] or 0 for each in features), rel=1e-4
        )
        assert float(longitudes) == pytest.approx(
            sum(each["geometry"]["coordinates"][0] for each in features), rel=1e-4
        )
        # R has no 64-bit integers
        assert types[0] in ("integer", "numeric"), line
        assert types[1:] == ["character", "numeric", "logical", "POSIXct"], line


_LINES = """
library(jsonlite)
quakes <- stream_in(url(commandArgs(TRUE)), verbose = FALSE)
columns <- c("id", "event_id", "magnitude", "tsunami", "event_date")
cat(nrow(quakes), sum(quakes$magnitude, na.rm = TRUE), sum(quakes$geometry$type == "Point"), "\\n")
cat(sapply(quakes[columns], function(column) class(column)[1]), "\\n")
"""


def test_jsonlite_reads_lines(api: Api) -> None:
    items = f"/collections/{COLLECTION}/items"
    features = api.get(items, {"limit": "10000", "f": "geojson"}).json()["features"]
    result = subprocess.run(
        ["Rscript", "-e", _LINES, f"{api.base}{items}?limit=10000&f=ndjson"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "no_proxy": "127.0.0.1", "LC_ALL": "C.UTF-8"},
    )
    assert result.returncode == 0, result.stderr
    numbers, types = result.stdout.splitlines()
    rows, magnitudes, places = map(float, numbers.split())
    assert rows == places == len(features) > 1000
    assert magnitudes == pytest.approx(sum(feature["properties"]["magnitude"] or 0 for feature in features))
    assert types.split() == ["integer", "character", "numeric", "logical", "character"]


def test_r_reads_csv(api: Api) -> None:
    items = f"/collections/{COLLECTION}/items"
    features = api.get(items, {"limit": "10000", "f": "geojson"}).json()["features"]
    # addresses of the stack are local, even if the machine has a proxy
    result = subprocess.run(
        ["Rscript", "-e", _SCRIPT, f"{api.base}{items}?limit=10000&f=csv"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "no_proxy": "127.0.0.1", "LC_ALL": "C.UTF-8"},
    )
    assert result.returncode == 0, result.stderr
    numbers, types = result.stdout.splitlines()
    rows, magnitudes, *missing = map(float, numbers.split())
    assert rows == len(features) > 1000
    assert magnitudes == pytest.approx(sum(feature["properties"]["magnitude"] or 0 for feature in features))
    assert missing == [0, 0]
    assert types.split() == ["integer", "character", "numeric", "integer", "logical", "POSIXct"]
