"""R reads CSV by its address, with the types that the schema says."""

from __future__ import annotations

import os
import subprocess

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


def test_r_reads_csv(api: Api) -> None:
    items = f"/collections/{COLLECTION}/items"
    features = api.get(items, {"limit": "10000", "f": "geojson"}).json()["features"]
    # addresses of the stack are local, whatever proxy the machine has
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
