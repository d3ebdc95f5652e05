"""Bulletins of the Japan Meteorological Agency give storms of other sources the wind of the regional agency."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from deploy.loader.records.storms import StormWind
from deploy.loader.source import Document, DocumentError, Findings
from deploy.loader.sources import jma_typhoons, jtwc_warnings
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.storms.jtwc_products import TCW
from tests.deploy.loader.test_mutations import MUTATIONS, SEED

SOURCE = jma_typhoons.SOURCE


def bulletin(wind: object = 65, *, time: str = "2025-11-20T15:00:00+09:00", **changed: str) -> str:
    """Return a bulletin with an analysis and a forecast; the values are simulated."""
    said = {"name": "KOPPU", "grade": "台風（TY）", "status": "通常", "kind": "発表"} | changed

    def info(kind: str, knots: object) -> str:
        return f"""<MeteorologicalInfo><DateTime type="{kind}">{time}</DateTime><Item>
<Kind><Property><Type>呼称</Type><TyphoonNamePart><Name>{said["name"]}</Name><Number>2531</Number></TyphoonNamePart>
</Property></Kind><Kind><Property><Type>階級</Type><ClassPart>
<jmx_eb:TyphoonClass type="熱帯擾乱種類">{said["grade"]}</jmx_eb:TyphoonClass></ClassPart></Property></Kind>
<Kind><Property><Type>風</Type><WindPart>
<jmx_eb:WindSpeed type="最大風速" unit="ノット">{knots}</jmx_eb:WindSpeed>
<jmx_eb:WindSpeed type="最大風速" unit="m/s">33</jmx_eb:WindSpeed>
<jmx_eb:WindSpeed type="最大瞬間風速" unit="ノット">95</jmx_eb:WindSpeed></WindPart></Property></Kind>
</Item></MeteorologicalInfo>"""

    return f"""<?xml version="1.0" encoding="UTF-8"?>
<Report xmlns="http://xml.kishou.go.jp/jmaxml1/" xmlns:jmx_eb="http://xml.kishou.go.jp/jmaxml1/elementBasis1/">
<Control><Title>台風解析・予報情報（５日予報）</Title><Status>{said["status"]}</Status></Control>
<Head xmlns="http://xml.kishou.go.jp/jmaxml1/informationBasis1/"><EventID>TC2531</EventID>
<InfoType>{said["kind"]}</InfoType></Head>
<Body xmlns="http://xml.kishou.go.jp/jmaxml1/body/meteorology1/"><MeteorologicalInfos type="台風情報">
{info("予報　２４時間後", 90)}{info("実況", wind)}</MeteorologicalInfos></Body></Report>"""


def feed(*addresses: str) -> str:
    entries = "".join(
        f'<entry><title>x</title><link type="application/xml" href="{each}"/></entry>' for each in addresses
    )
    return f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>extra</title>{entries}</feed>'


async def test_a_storm_has_the_highest_wind_of_the_agency(
    owner: asyncpg.Connection, run: Load, publisher: Publisher, tmp_path: Path
) -> None:
    (tmp_path / "wp3125.tcw").write_text(TCW)
    await run(jtwc_warnings.SOURCE, tmp_path / "wp3125.tcw")
    first, second = f"{publisher.base}/1_0_VPTW60_010000.xml", f"{publisher.base}/2_0_VPTW60_010000.xml"
    other = f"{publisher.base}/3_0_VPWW54_010000.xml"
    publisher.publish("/1_0_VPTW60_010000.xml", bulletin(65))
    publisher.publish("/2_0_VPTW60_010000.xml", bulletin(50, time="2025-11-20T21:00:00+09:00", grade="台風（STS）"))
    address = publisher.publish("/extra.xml", feed(first, other))
    source = replace(SOURCE, addresses=lambda _since: [address])
    assert (await run(source)).rejected == []
    winds = (
        "SELECT event_id, max_wind_kt, regional_agency, regional_wind_kt, regional_wind_minutes, regional_class "
        "FROM hazard.hazard_ts_events"
    )
    told = ("WP312025", 70, "JMA", 65, 10, "TY")
    assert tuple(await owner.fetchrow(winds)) == told
    # a weaker wind later, and a warning of the JTWC, which knows neither
    publisher.publish("/extra.xml", feed(second, first, other))
    await run(source)
    (tmp_path / "wp3125.tcw").write_text(TCW.replace("T000 105N 1490E 070", "T000 105N 1490E 075"))
    await run(jtwc_warnings.SOURCE, tmp_path / "wp3125.tcw")
    assert tuple(await owner.fetchrow(winds)) == ("WP312025", 75, *told[2:])
    # a bulletin is fetched once, and those of other kinds never
    assert sorted(request.path for request in publisher.asked if "VP" in request.path) == [
        "/1_0_VPTW60_010000.xml",
        "/2_0_VPTW60_010000.xml",
    ]


def read(folder: Path, *texts: str) -> tuple[list[StormWind], Findings]:
    given = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.xml"
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        given.append(Document(path, path.name, datetime.now(UTC)))
    known = [
        StormWind(f"WP{name}", name, datetime(2025, 11, 18, tzinfo=UTC), None, None, None, None, None)  # type: ignore[arg-type]
        for name in ("Koppu", "Other")
    ]
    findings = Findings()
    rows: list[Any] = []
    for batch in SOURCE.read(given, findings):
        rows += [row for recall in batch.recalls for _, row in recall.make(known).rows]
    return rows, findings


@pytest.mark.parametrize(
    ("changed", "left_out", "rejected"),
    [
        ({"status": "訓練"}, 1, ""),
        ({"kind": "取消"}, 1, ""),
        ({"name": ""}, 1, ""),
        ({"name": "NEW"}, 1, ""),
        ({"time": "2999-01-01T00:00:00Z"}, 0, "future"),
        ({"wind": "900"}, 0, "no wind"),
        ({"wind": "x"}, 0, "invalid literal"),
    ],
)
def test_implausible_bulletins_change_nothing(
    tmp_path: Path, changed: dict[str, Any], left_out: int, rejected: str
) -> None:
    rows, findings = read(tmp_path, bulletin(**changed))
    assert (rows, len(findings.left_out)) == ([], left_out)
    assert rejected in (findings.rejected[0].reason if findings.rejected else "")


def test_a_mutated_bulletin_hides_no_other(tmp_path: Path) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for _ in range(MUTATIONS):
        text = bulletin()
        start = chance.randrange(len(text))
        text = text[:start] + chance.choice(["", "x", "9" * 40, "é", "<a/>"]) + text[start + chance.randrange(30) :]
        rows, _ = read(tmp_path, text, bulletin(name="OTHER"))
        assert "WPOther" in {row.event_id for row in rows}, text
        assert all(0 < (row.regional_wind_kt or 0) <= 200 for row in rows)
    with pytest.raises(DocumentError, match="not XML"):
        read(tmp_path, bulletin()[:-20])
