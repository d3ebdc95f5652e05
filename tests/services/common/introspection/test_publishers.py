"""The publisher of live data: in the catalogue, in the collection's document and on its page."""

from __future__ import annotations

from dataclasses import replace

import asyncpg

from deploy.database.apply import apply_schema, ensure_reader
from libs.catalogue.model import Collection
from libs.ogc.service_part import Whole
from libs.pg.pool import Database, PoolSettings
from services.common.documents.collection import collection_json
from services.common.introspection.introspect import Introspection
from tests.conftest import MakeDatabase
from tests.services.conftest import PASSWORD, READER, reader_url

_LOADED = """
INSERT INTO dams.load_source (source, title, licence, licence_url, attribution, rhythm, changed, issued)
VALUES ('usgs', 'USGS earthquakes', 'Public domain', 'https://example.org/usgs', 'U.S. Geological Survey', 'PT1M',
        now(), '2018-02-01T00:00:00Z'),
    ('quiet', 'Never loaded', 'Public domain', NULL, 'Nobody', 'P1D', NULL, NULL);
INSERT INTO dams.load_table VALUES ('usgs', 'hazard.hazard_eq_events', '2018-02-01T00:00:00.5Z'),
    ('quiet', 'hazard.hazard_fl_events', NULL), ('usgs', 'hazard.gone', now());
CREATE VIEW hazard.strong AS SELECT * FROM hazard.hazard_eq_events WHERE magnitude > 6;
"""


async def with_loads(owner: asyncpg.Connection) -> None:
    await apply_schema(owner)
    await owner.execute(_LOADED)


async def collections(url: str) -> dict[str, Collection]:
    async with Database(PoolSettings(url, "test")) as database:
        return {found.name: found for found in await Introspection(database, ("hazard", "public")).collections()}


async def test_collections_say_who_publishes_them(make_database: MakeDatabase) -> None:
    found = await collections(await make_database(with_loads))
    for name in ("hazard_eq_events", "strong"):
        said = collection_json(found[name], Whole((), (), ()), "http://base", "application/json")
        assert said["updated"] == "2018-02-01T00:00:00Z"
        assert said["attribution"] == "U.S. Geological Survey"
        [publisher] = said["publishers"]
        assert (publisher["license"], publisher["updateIntervalSeconds"]) == ("Public domain", 60)
        assert publisher["lastDocument"] == "2018-02-01T00:00:00Z"
        assert publisher["isSilent"] is True
        licences = [(link["href"], link["title"]) for link in said["links"] if link["rel"] == "license"]
        assert licences == [("https://example.org/usgs", "USGS earthquakes: Public domain")]
        assert Collection.from_json(found[name].to_json()) == found[name]
    assert not {"updated", "publishers"} & collection_json(found["hazard_fl_events"], Whole((), (), ()), "", "").keys()


async def test_a_licence_without_an_address_is_told_and_not_linked(make_database: MakeDatabase) -> None:
    found = (await collections(await make_database(with_loads)))["strong"]
    [publisher] = found.publishers
    unlinked = replace(found, publishers=(replace(publisher, licence_url=None),))
    said = collection_json(unlinked, Whole((), (), ()), "http://base", "application/json")
    assert said["publishers"][0]["license"] == "Public domain"
    assert "licenseUrl" not in said["publishers"][0]
    assert [link["href"] for link in said["links"] if link["rel"] == "license"] == []


async def test_the_same_collection_is_the_same_object(make_database: MakeDatabase) -> None:
    url = await make_database(with_loads)
    owner = await asyncpg.connect(url)
    async with Database(PoolSettings(url, "test")) as database:
        introspection = Introspection(database, ("hazard",))
        for _ in range(2):
            before = {found.id: found for found in await introspection.collections()}
        after = {found.id: found for found in await introspection.collections()}
        assert after["hazard.hazard_eq_events"] is before["hazard.hazard_eq_events"]
        # until it is said otherwise
        await owner.execute("UPDATE dams.load_source SET attribution = 'Others' WHERE source = 'usgs'")
        await owner.close()
        other = {found.id: found for found in await introspection.collections()}
    assert other["hazard.hazard_eq_events"].attribution == "Others"


async def test_a_database_of_somebody_else_has_none(make_database: MakeDatabase) -> None:
    url = await make_database()
    owner = await asyncpg.connect(url)
    await owner.execute("CREATE TABLE public.roads (id integer PRIMARY KEY)")
    await owner.close()
    assert (await collections(url))["roads"].publishers == ()


async def test_a_table_of_several_publishers_names_each_once(make_database: MakeDatabase) -> None:
    url = await make_database(with_loads)
    owner = await asyncpg.connect(url)
    await owner.execute(
        "INSERT INTO dams.load_source (source, title, licence, licence_url, attribution, rhythm, changed) VALUES"
        " ('a', 'A first list', 'CC BY', NULL, 'Others', 'P1D', now()),"
        " ('b', 'B list', 'CC BY', NULL, 'U.S. Geological Survey', 'PT2H', now());"
        "INSERT INTO dams.load_table VALUES ('a', 'hazard.hazard_eq_events', '2020-01-01Z'),"
        " ('b', 'hazard.hazard_ts_tracks', '2020-01-02Z');"
        "CREATE VIEW hazard.both AS SELECT s.geom FROM hazard.hazard_ts_tracks s, hazard.hazard_eq_events"
    )
    await owner.close()
    found = await collections(url)
    quakes, both = found["hazard_eq_events"], found["both"]
    assert [each.title for each in quakes.publishers] == ["A first list", "USGS earthquakes"]
    assert quakes.attribution == "Others; U.S. Geological Survey"
    # a view has those of all its tables, and says nothing twice
    assert {each.title for each in both.publishers} == {"A first list", "B list", "USGS earthquakes"}
    assert sorted((both.attribution or "").split("; ")) == ["Others", "U.S. Geological Survey"]
    assert (found["hazard_fl_events"].publishers, found["hazard_fl_events"].attribution) == ((), None)


async def test_who_may_not_ask_is_told_nothing(make_database: MakeDatabase) -> None:
    url = await make_database(with_loads)
    owner = await asyncpg.connect(url)
    await ensure_reader(owner, READER, PASSWORD)
    for right in (
        "EXECUTE ON FUNCTION dams.data_sources() FROM PUBLIC, dams_reader",
        "USAGE ON SCHEMA dams FROM PUBLIC, dams_reader",
    ):
        await owner.execute(f"REVOKE {right}")
        quakes = (await collections(reader_url(url)))["hazard_eq_events"]
        assert quakes.publishers == ()
        await owner.execute(f"GRANT {right.replace('FROM PUBLIC, ', 'TO ')}")
        assert (await collections(reader_url(url)))["hazard_eq_events"].publishers
    await owner.close()
