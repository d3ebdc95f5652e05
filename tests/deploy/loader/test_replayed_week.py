"""A week of the world, replayed: a server publishes what each source has at ten moments, and the loader loads it.

A typhoon in the West Pacific, a disturbance that becomes a hurricane, a large earthquake, a flood. All documents have
their published form and simulated values. Here the server does not wait between the moments; the watchers do
(test_replayed_by_watchers).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import shapely

from deploy.loader.source import Source
from deploy.loader.sources import (
    atcf_decks,
    cap_alerts,
    copernicus_ems,
    emsc_earthquakes,
    gdacs_floods,
    jtwc_warnings,
    nhc_advisories,
    nhc_outlooks,
    tsunami_bulletins,
    usgs_geojson,
    usgs_products,
)
from tests.deploy.loader.alert_documents import alert, rss
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.earthquake_feed import feature, feed
from tests.deploy.loader.earthquake_products import bulletin, centre, contours, detail, exposures
from tests.deploy.loader.flood_documents import collection, gdacs
from tests.deploy.loader.satellite_documents import activation, footprint, listed, square
from tests.deploy.loader.storms.jtwc_products import feed as jtwc_feed
from tests.deploy.loader.storms.test_disturbances import outlook
from tests.deploy.loader.storms.test_nhc_advisories import IRMA
from tests.deploy.loader.test_emsc import quake

BEGIN = datetime(2025, 9, 1, tzinfo=UTC)
WINDS = (25, 30, 40, 70, 90, 100, 80, 45)
"""Wind of the typhoon in kt every 18 hours, from the first day at 6 UTC."""


def at(day: int, hour: int = 0) -> datetime:
    return BEGIN + timedelta(days=day - 1, hours=hour)


def typhoon(time: datetime, *, final: bool = False) -> str:
    """The warning of a time, with the positions so far."""
    past = [at(1, 6) + timedelta(hours=18 * step) for step in range(len(WINDS))]
    past = [each for each in past if each <= time]
    place = {each: (100 + 5 * step, 1500 - 10 * step) for step, each in enumerate(past)}
    wind = WINDS[len(past) - 1]
    north, east = place[past[-1]]
    lines = [
        f"WTPN51 PGTW {time + timedelta(hours=3):%d%H%M}",
        f"WARNING    ATCG MIL 20W NWP {time:%y%m%d%H%M%S}",
        f"{past[-1]:%Y%m%d%H} 20W TESTING    {len(past):03}  01 285 09 SATL 030",
        f"T000 {north}N {east}E {wind:03} R034 120 NE QD 100 SE QD 080 SW QD 110 NW QD",
        f"T024 {north + 10}N {east - 20}E {wind + 10:03} R034 120 NE QD 100 SE QD 080 SW QD 110 NW QD",
        "AMP",
        "THIS IS THE FINAL WARNING ON THIS SYSTEM" if final else "REMARKS:",
        "//",
        *(f"20{each:%y%m%d%H} {place[each][0]}N{place[each][1]}E  {WINDS[step]}" for step, each in enumerate(past)),
        "NNNN",
    ]
    return "\n".join(lines) + "\n"


def deck(*times: datetime) -> str:
    return "".join(
        f"AL, 95, {each:%Y%m%d%H},   , BEST,   0, {150 + 2 * step}N,  {480 + 20 * step}W,  {20 + 5 * step}, 1008, DB,\n"
        for step, each in enumerate(times)
    )


def advisory(time: datetime, status: str, wind: int, number: int, west: float) -> str:
    """An advisory of the NHC about the storm that developed."""
    text = IRMA.replace(
        "HURRICANE IRMA FORECAST/ADVISORY NUMBER  29", f"{status} TESTA FORECAST/ADVISORY NUMBER {number:3}"
    )
    text = text.replace("AL112017", "AL072025").replace(
        "0900 UTC WED SEP 06 2017", f"{time:%H%M} UTC {time:%a %b %d %Y}".upper()
    )
    text = text.replace("06/0900Z", f"{time:%d/%H%M}Z").replace("18.1N  63.3W", f"15.8N  {west:.1f}W")
    text = text.replace(
        "MAX SUSTAINED WINDS 160 KT WITH GUSTS TO 195", f"MAX SUSTAINED WINDS {wind:3} KT WITH GUSTS TO {wind + 10}"
    )
    ahead = time + timedelta(hours=24)
    return text.partition("FORECAST VALID 06/1800Z")[0] + (
        f"FORECAST VALID {ahead:%d/%H%M}Z 17.0N  {west + 4:.1f}W\nMAX WIND {wind + 20:3} KT...GUSTS {wind + 30} KT.\n"
        "34 KT... 90NE  60SE  50SW  80NW.\n\n$$\n"
    )


def flood(episode: int, began: datetime, until: datetime, level: str) -> list[dict[str, Any]]:
    said = {"fromdate": f"{began:%d %b %Y %H:%M:%S}", "todate": f"{until:%d %b %Y %H:%M:%S}", "alertlevel": level}
    return gdacs("FL", 77, episode, **said)


class World:
    """What all sources have, and what the loader made of it."""

    def __init__(self, owner: asyncpg.Connection, publisher: Publisher, run: Load, folder: Path) -> None:
        self.owner, self.publisher, self.run, self.folder = owner, publisher, run, folder
        self.addresses: dict[str, tuple[Source, str]] = {}

    def has(self, source: Source, path: str, content: Any) -> None:
        """Have the source publish this from now on."""
        self.addresses[source.name] = (source, self.publisher.publish(path, content))

    async def pass_by(self) -> None:
        """Load every source once, as the watchers do."""
        for source, address in self.addresses.values():
            await self.run(source, address)

    async def rows(self, asked: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in await self.owner.fetch(asked)]

    async def storms(self) -> list[tuple[Any, ...]]:
        return await self.rows("SELECT event_id, max_wind_kt, category FROM hazard.hazard_ts_events ORDER BY 1")

    async def disturbances(self) -> list[tuple[Any, ...]]:
        return await self.rows(
            "SELECT event_id, probability_7_days FROM hazard.hazard_ts_disturbance_events ORDER BY 1"
        )

    async def expected(self) -> list[str]:
        """Return the storms with a forecast."""
        asked = "SELECT DISTINCT event_id FROM hazard.hazard_ts_nodes WHERE kind = 'forecast' ORDER BY 1"
        return [row[0] for row in await self.rows(asked)]

    async def earthquakes(self) -> list[tuple[Any, ...]]:
        return await self.rows(
            "SELECT event_id, magnitude::float8 FROM hazard.hazard_eq_events WHERE withdrawn IS NULL ORDER BY 1"
        )

    async def alias(self, other: str) -> object:
        return await self.owner.fetchval("SELECT dams.event_of_alias($1)", other)


async def test_the_state_is_right_at_ten_moments(
    owner: asyncpg.Connection, run: Load, publisher: Publisher, tmp_path: Path
) -> None:
    world = World(owner, publisher, run, tmp_path)
    await first_half(world)
    await second_half(world)


async def first_half(world: World) -> None:
    # 1. nothing yet but an area in which a storm may form
    area = shapely.box(-55, 12, -45, 18)
    world.has(
        nhc_outlooks.SOURCE, "/gtwo.zip", outlook(world.folder, at(1), ("Atlantic", "0%", "30%", area)).read_bytes()
    )
    world.has(jtwc_warnings.SOURCE, "/jtwc.rss", jtwc_feed())
    await world.pass_by()
    assert (await world.storms(), await world.disturbances()) == ([], [("NHC-AL-1-202509010000", 30)])

    # 2. the JTWC warns of a depression
    world.publisher.publish("/wp2025.tcw", typhoon(at(1, 6)))
    world.has(jtwc_warnings.SOURCE, "/jtwc.rss", jtwc_feed(f"{world.publisher.base}/wp2025.tcw"))
    await world.pass_by()
    assert (await world.storms(), await world.expected()) == ([("WP202025", 25, "TD")], ["WP202025"])

    # 3. the area has a system under investigation
    world.has(atcf_decks.SOURCE, "/bal952025.dat", deck(at(2), at(2, 6)))
    await world.pass_by()
    world.has(
        nhc_outlooks.SOURCE, "/gtwo.zip", outlook(world.folder, at(2, 6), ("Atlantic", "60%", "80%", area)).read_bytes()
    )
    await world.pass_by()
    assert await world.disturbances() == [("AL952025-0902", 80)]
    assert await world.alias("NHC-AL-1-202509010000") == "AL952025-0902"

    # 4. a large earthquake: the EMSC is first
    shock = at(3, 1)
    own = quake(1, time=shock.isoformat(), lastupdate=(shock + timedelta(minutes=5)).isoformat(), mag=7.4)
    world.has(emsc_earthquakes.SOURCE, "/emsc", collection(own))
    await world.pass_by()
    assert await world.earthquakes() == [("EMSC-20180201_0000001", 7.4)]

    # 5. the USGS has it, too, and revises it later
    milliseconds = int(shock.timestamp() * 1000)
    event = feature("us7000aaaa", time=milliseconds, updated=milliseconds + 900_000, mag=7.6, ids=",us7000aaaa,")
    world.has(usgs_geojson.SOURCE, "/usgs", feed(event))
    await world.pass_by()
    assert await world.earthquakes() == [("us7000aaaa", 7.6)]


def publish_products(world: World) -> None:
    """Have the details of the earthquake, a tsunami bulletin, and an alert of a national service."""
    details = world.publisher.publish("/detail", detail("us7000aaaa", base=world.publisher.base))
    world.publisher.publish("/us7000aaaa/cont_mmi.json", contours(6.0, 7.0))
    world.publisher.publish("/us7000aaaa/exposures.json", exposures(0, 0, 0, 0, 900_000, 300_000, 40_000))
    event = feature("us7000aaaa", detail=details, types=",shakemap,losspager,ground-failure,")
    world.has(usgs_products.SOURCE, "/strong", feed(event))
    issued = at(3, 1) + timedelta(minutes=12)
    world.has(tsunami_bulletins.SOURCE, "/atom", centre(bulletin("Warning", updated=issued.isoformat())))
    said = alert(sent=at(4).isoformat(), expires="2999-01-01T00:00:00Z", severity="Extreme")
    world.has(cap_alerts.SOURCE, "/alerts", rss(world.publisher.publish("/alert.xml", said)))


async def second_half(world: World) -> None:
    # 6. the typhoon is one, with its track so far; a flood begins; products and bulletins about the earthquake
    publish_products(world)
    world.publisher.publish("/wp2025.tcw", typhoon(at(4, 6)))
    world.has(gdacs_floods.SOURCE, "/gdacs", collection(*flood(1, at(4), at(5), "Green")))
    await world.pass_by()
    assert await world.storms() == [("WP202025", 90, "C2")]
    assert await world.owner.fetchval("SELECT count(*) FROM hazard.hazard_ts_nodes WHERE kind = 'analysed'") == 5
    assert await world.rows("SELECT event_id, alert_level FROM hazard.hazard_fl_events") == [("GDACS-FL77", "Green")]
    facts = "SELECT max_intensity, people_strong_shaking, tsunami_status FROM hazard.hazard_eq_events"
    assert await world.rows(f"{facts} WHERE withdrawn IS NULL") == [(7.9, 340_000, "Warning")]
    assert await world.rows("SELECT intensity FROM hazard.hazard_eq_contours ORDER BY 1") == [(6.0,), (7.0,)]
    levels = "SELECT alert_level FROM hazard.hazard_fl_alerts ORDER BY 1"
    assert await world.rows(levels) == [("Green",), ("Red",)]

    # 7. the disturbance is a tropical storm
    world.has(atcf_decks.SOURCE, "/bal952025.dat", deck(at(2), at(2, 6), at(2, 12)))
    testa = world.publisher.publish("/testa", advisory(at(2, 15), "TROPICAL STORM", 40, 1, 52.5))
    active = {"activeStorms": [{"id": "al072025", "forecastAdvisory": {"url": testa}}]}
    world.has(nhc_advisories.SOURCE, "/CurrentStorms.json", active)
    await world.pass_by()
    assert await world.storms() == [("AL072025", 40, "TS"), ("WP202025", 90, "C2")]
    assert [event_id for event_id, _ in await world.disturbances()] == ["AL072025"]
    assert await world.alias("AL952025-0902") == "AL072025"

    # 8. it is a hurricane, and no area of the outlook; its life begins with the disturbance; the flood is worse
    world.publisher.publish("/testa", advisory(at(5, 15), "HURRICANE", 90, 13, 56.0))
    world.has(nhc_outlooks.SOURCE, "/gtwo.zip", outlook(world.folder, at(5, 12)).read_bytes())
    world.has(gdacs_floods.SOURCE, "/gdacs", collection(*flood(2, at(4), at(6), "Red")))
    world.publisher.publish("/layer.json", footprint(square(67.2, 26.2)))
    mapped = {"eventTime": at(4).isoformat(), "lastUpdate": at(5, 10).isoformat()}
    details = activation(838, "/layer.json", base=world.publisher.base, **mapped)
    world.publisher.publish("/api/public-activations/?code=EMSR838", {"results": [details]})
    world.has(copernicus_ems.SOURCE, "/api/public-activations-info/", {"results": [listed(838, **mapped)]})
    await world.pass_by()
    assert await world.storms() == [("AL072025", 90, "C2"), ("WP202025", 90, "C2")]
    life = await world.rows(
        "SELECT wind_kt FROM hazard.hazard_ts_nodes "
        "WHERE event_id = 'AL072025' AND kind = 'analysed' ORDER BY valid_time"
    )
    assert [wind for (wind,) in life] == [20, 25, 30, 40, 90]
    assert await world.disturbances() == [("AL072025", None)]
    floods = await world.rows("SELECT event_id, alert_level FROM hazard.hazard_fl_events ORDER BY 1")
    assert floods == [("EMSR838", None), ("GDACS-FL77", "Red")]

    # 9. the last warning of the typhoon: it has no forecast any more
    world.publisher.publish("/wp2025.tcw", typhoon(at(6, 12), final=True))
    await world.pass_by()
    assert await world.expected() == ["AL072025"]
    assert (await world.storms())[1] == ("WP202025", 100, "C3")

    # 10. the hurricane has ended; the USGS deletes nothing, and a second look changes nothing
    world.has(jtwc_warnings.SOURCE, "/jtwc.rss", jtwc_feed())
    world.has(nhc_advisories.SOURCE, "/CurrentStorms.json", {"activeStorms": []})
    await world.pass_by()
    before = await world.rows(
        "SELECT (SELECT count(*) FROM hazard.hazard_ts_nodes), max(id) FROM hazard.hazard_eq_events"
    )
    await world.pass_by()
    assert await world.expected() == []
    assert (
        await world.rows("SELECT (SELECT count(*) FROM hazard.hazard_ts_nodes), max(id) FROM hazard.hazard_eq_events")
        == before
    )
    assert [event_id for event_id, *_ in await world.storms()] == ["AL072025", "WP202025"]
    assert await world.earthquakes() == [("us7000aaaa", 7.6)]
