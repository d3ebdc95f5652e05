"""`python -m tools.suites http://127.0.0.1:8080/api` runs the executable test suites of the OGC against a service.

They are Java and in no registry: sources are fetched from their repositories, or taken from `--sources`, and built
with Maven, once. The suites want 400 for invalid parameters and 404 for tiles outside the limits, where the contract
has 422 and an empty tile. Against a service with the contract's statuses, these checks are counted as EXPECTED and do
not fail the run; `DAMS_INVALID_PARAMETER_STATUS=400` makes a service pass them.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen
from xml.etree import ElementTree

_REGISTER = "http://www.opengis.net/def/tilematrixset/OGC/"
_UNKNOWN = "no-such-parameter=1"
_TILES = 64
"""Largest number of tiles that the suite requests: it uses the closest zoom with no more than these in the limits."""
_OF_OTHER_STATUS = frozenset(
    [
        "FeaturesErrorConditions.validateFeaturesOperation_QueryParamInvalid",
        "FeaturesErrorConditions.validateFeaturesOperation_QueryParamUnknown",
        "FeaturesCrsParameterInvalid.verifyFeaturesCrsParameterInvalid",
        "FeatureCrsParameterInvalid.verifyFeatureCrsParameterInvalid",
        "BBoxCrsParameterInvalid.verifyBboxCrsParameterInvalid",
        "Tile.validateTilesErrorConditions",
        "QueryCollections.validateNoQueryParameters",
        "QueryCollections.validateCoordsQueryParameters",
    ]
)
"""Checks that a service with the contract's statuses cannot pass."""
FOLDER = Path(__file__).parents[2] / ".local" / "suites"
REPOSITORIES = "https://github.com/opengeospatial"


@dataclass(frozen=True)
class Suite:
    """A suite, at the commit that figures in docs/conformance.md are of."""

    name: str
    title: str
    commit: str
    dependencies: tuple[tuple[str, str], ...] = ()
    """Packages that Maven's central repository does not have, and what takes their place in the build."""

    @property
    def package(self) -> str:
        """Of Java, in which its classes are."""
        return self.name.removeprefix("ets-").replace("-", "")


FEATURES = Suite("ets-ogcapi-features10", "Features 1.0 with Part 2", "a314c1e6a9278b14ab9a2ed865cfe36d202f0125")
TILES = Suite("ets-ogcapi-tiles10", "Tiles 1.0", "94900dbf03ed5b373dd785fdee7dbc16c5f1bc36")
# the suite needs their interfaces of CRSs alone, which Apache SIS has
_SIS = "<groupId>org.apache.sis.core</groupId><artifactId>sis-referencing</artifactId><version>1.4</version>"
EDR = Suite(
    "ets-ogcapi-edr10",
    "EDR 1.0",
    "7adb7ca0f7676c99ab9699a1744dff9deb9dffa6",
    (("geomatics-geotk", f"<dependency>{_SIS}</dependency>"), ("geoapi-pending", "")),
)
_MANY = 1000
"""More collections than there are: the suite of EDR takes -1 for none of them."""


@dataclass(frozen=True)
class Check:
    """One check of a run: the class of the suite and its method, `PASS`, `FAIL` or `SKIP`, and why."""

    name: str
    status: str
    reason: str


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.suites", description=__doc__)
    parser.add_argument("address", nargs="?", default="http://127.0.0.1:8080/api", help="of the service")
    parser.add_argument("--sources", default=REPOSITORIES, help="where the repositories of the suites are")
    parser.add_argument("--collections", type=int, default=-1, help="how many are asked; all, unless said")
    arguments = parser.parse_args()
    address = arguments.address.rstrip("/")
    failed = 0
    try:
        of_contract = _status(f"{address}/collections?{_UNKNOWN}") == HTTPStatus.UNPROCESSABLE_ENTITY
        edr = {"apiDefinition": f"{address}/openapi.json", "noofcollections": str(_MANY)}
        for suite, inputs in [(FEATURES, {}), (EDR, edr), *((TILES, inputs) for inputs in tile_inputs(address))]:
            program = build(suite, arguments.sources)
            entries = {"iut": f"{address}/", "noofcollections": str(arguments.collections), **inputs}
            checks = [mark_expected(check) if of_contract else check for check in run(suite, program, entries)]
            title = " ".join([suite.title, inputs.get("tilematrixsetdefinitionuri", "").rpartition("/")[2]])
            print(report(title, checks), flush=True)
            failed += sum(check.status == "FAIL" for check in checks)
    except subprocess.CalledProcessError as error:
        print(f"error: {error}\n{error.output}", file=sys.stderr)
        return 2
    return 1 if failed else 0


def tile_inputs(address: str) -> Iterator[dict[str, str]]:
    """Yield the inputs of the suite for tiles, for each registered tile matrix set of the first collection."""
    collection = _json(f"{address}/collections?limit=1&f=json")["collections"][0]["id"]
    for matrix_set in _json(f"{address}/tileMatrixSets?f=json")["tileMatrixSets"]:
        if (uri := matrix_set.get("uri", "")).startswith(_REGISTER):
            tiles = f"{address}/collections/{collection}/tiles/{matrix_set['id']}"
            limits = [limit for limit in _json(f"{tiles}?f=json")["tileMatrixSetLimits"] if _tiles_of(limit) <= _TILES]
            if not limits:
                continue
            limit = limits[-1]
            yield {
                "tilematrixsetdefinitionuri": uri,
                "urltemplatefortiles": f"{tiles}/{{tileMatrix}}/{{tileCol}}/{{tileRow}}",
                "tilematrix": limit["tileMatrix"],
                "mintilerow": str(limit["minTileRow"]),
                "maxtilerow": str(limit["maxTileRow"]),
                "mintilecol": str(limit["minTileCol"]),
                "maxtilecol": str(limit["maxTileCol"]),
            }


def _tiles_of(limit: dict[str, Any]) -> int:
    rows, columns = ((limit[f"maxTile{way}"] - limit[f"minTile{way}"] + 1) for way in ("Row", "Col"))
    return int(rows * columns)


def build(suite: Suite, sources: str) -> str:
    """The class path of the suite; made where it is missing.

    Raises CalledProcessError where sources or packages cannot be had.
    """
    folder = FOLDER / suite.name
    if not list((folder / "target").glob("*-aio.jar")):
        if not folder.exists():
            _command("git", "clone", "--quiet", f"{sources}/{suite.name}", str(folder))
        _command("git", "-C", str(folder), "checkout", "--quiet", suite.commit)
        print(f"Building {suite.name} with Maven", file=sys.stderr)
        project = folder / "pom.xml"
        text = project.read_text()
        for artifact, instead in suite.dependencies:
            text = re.sub(
                rf"<dependency>\s*<groupId>[\w.]+</groupId>\s*<artifactId>{artifact}<.*?</dependency>",
                instead,
                text,
                flags=re.DOTALL,
            )
        project.write_text(text)
        # its rules of style, and a Maven newer than Debian's, matter to its own developers only
        options = ["-DskipTests", "-Denforcer.skip", "-Dspring-javaformat.skip", "-Dmaven.javadoc.skip=true"]
        _command("mvn", "--quiet", "--batch-mode", *options, "package", cwd=folder)
    (whole,) = (folder / "target").glob("*-aio.jar")
    # the suite's own classes first: it has the order of the axes of EPSG:4326, which a library of it has not
    return f"{str(whole).replace('-aio.jar', '.jar')}:{whole}"


def run(suite: Suite, class_path: str, inputs: dict[str, str]) -> list[Check]:
    """Run the suite with these inputs; returns its checks."""
    output = FOLDER / "results" / suite.name
    output.mkdir(parents=True, exist_ok=True)
    before = set(output.rglob("testng-results.xml"))
    properties = output / "inputs.xml"
    root = ElementTree.Element("properties", version="1.0")
    for key, value in inputs.items():
        ElementTree.SubElement(root, "entry", key=key).text = value
    ElementTree.ElementTree(root).write(properties, encoding="utf-8", xml_declaration=True)
    controller = f"org.opengis.cite.{suite.package}.TestNGController"
    _command("java", "-cp", class_path, controller, "--outputDir", str(output), str(properties), cwd=output)
    (results,) = set(output.rglob("testng-results.xml")) - before
    return [
        Check(
            f"{group.get('name', '').rpartition('.')[2]}.{method.get('name')}",
            method.get("status", ""),
            " ".join((method.findtext("exception/message") or "").split()),
        )
        for group in ElementTree.parse(results).iter("class")
        for method in group.iter("test-method")
        if not method.get("is-config")
    ]


def mark_expected(check: Check) -> Check:
    """Return the check, `EXPECTED` in place of `FAIL` if the suite wants another status than the contract."""
    return replace(check, status="EXPECTED") if check.status == "FAIL" and check.name in _OF_OTHER_STATUS else check


def report(title: str, checks: list[Check]) -> str:
    """How many of each status; then each failure, and each reason to skip."""
    counted = Counter(check.status for check in checks)
    lines = [f"{title}: " + ", ".join(f"{counted[status]} {status}" for status in ("PASS", "FAIL", "EXPECTED", "SKIP"))]
    for status in ("FAIL", "EXPECTED", "SKIP"):
        reasons = Counter((check.name, check.reason) for check in checks if check.status == status)
        lines += [f"  {status} {number} × {name}: {reason[:300]}" for (name, reason), number in reasons.most_common()]
    return "\n".join(lines)


def _status(address: str) -> int:
    try:
        with urlopen(address) as response:
            return int(response.status)
    except HTTPError as error:
        return error.code


def _json(address: str) -> Any:
    with urlopen(address) as response:
        return json.load(response)


def _command(*arguments: str, cwd: Path | None = None) -> None:
    subprocess.run(
        arguments,
        check=True,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


if __name__ == "__main__":
    sys.exit(main())
