import json
from dataclasses import replace
from pathlib import Path

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn, TimeColumn
from libs.ogc.crs import USUAL_SRIDS
from services.common.catalogue.configuration import CatalogueConfig, CollectionConfig, ConfigError

QUAKES = Collection(
    id="hazard.quakes",
    schema="hazard",
    name="quakes",
    oid=1,
    kind="table",
    title="Quakes",
    description=None,
    columns=(Column("id", "integer", "integer"), Column("magnitude", "real", "number"), Column("at", "date", "string")),
    geometries=(GeometryColumn("place", "Point", 4326), GeometryColumn("area", "Polygon", 4326)),
    times=(TimeColumn("at", "date"),),
    key="id",
)


def load(tmp_path: Path, text: str) -> CatalogueConfig:
    file = tmp_path / "collections.yaml"
    file.write_text(text)
    return CatalogueConfig.load(file)


def test_what_is_said_is_applied(tmp_path: Path) -> None:
    config = load(
        tmp_path,
        "collections: {hazard.quakes: {title: Séismes, geometry_column: area, properties: [magnitude, id],"
        " sort: [-at], maxzoom: 9, keywords: [earthquake], license: 'https://example.org/terms', attribution: Us,"
        " part_licenses: {'Places: CC BY': 'https://example.org/by'}}}",
    )
    found = config.apply(QUAKES)
    assert found.title == "Séismes"
    assert [geometry.name for geometry in found.geometries] == ["area", "place"]
    assert [column.name for column in found.columns] == ["magnitude", "id"]
    assert (found.sort, found.maxzoom, found.keywords) == (("-at",), 9, ("earthquake",))
    assert (found.license, found.attribution) == ("https://example.org/terms", "Us")
    assert found.part_licenses == (("Places: CC BY", "https://example.org/by"),)


def test_links_to_other_features_and_what_is_not_shown_with_others(tmp_path: Path) -> None:
    said = "overview: false, item_links: {predecessor-version: {at: magnitude}}"
    found = load(tmp_path, f"collections: {{hazard.quakes: {{{said}}}}}").apply(QUAKES)
    assert not found.overview
    assert found.item_links == (("predecessor-version", (("at", "magnitude"),)),)
    assert Collection.from_json(json.loads(json.dumps(found.to_json()))) == found
    assert CatalogueConfig().apply(QUAKES).overview
    for said, fault in (
        ("overview: 1", "overview must be true or false"),
        ("item_links: [at]", "item_links must be a mapping from relation types"),
        ("item_links: {Next: {at: at}}", "item_links: 'Next' is no relation type"),
        ("item_links: {next: at}", "item_links.next must be a mapping of columns"),
    ):
        with pytest.raises(ConfigError, match=fault):
            load(tmp_path, f"collections: {{hazard.quakes: {{{said}}}}}")
    unknown = load(tmp_path, "collections: {hazard.quakes: {item_links: {next: {at: later}}}}")
    with pytest.raises(ConfigError, match=r"item_links\.next: there is no column 'later'"):
        unknown.apply(QUAKES)


LASTING = replace(
    QUAKES,
    columns=(*QUAKES.columns, Column("until", "date", "string")),
    times=(TimeColumn("until", "date", "2020-01-02T00:00:00Z", "2020-03-01T00:00:00Z"), *QUAKES.times),
)


def test_a_start_and_an_end_say_how_long_features_last(tmp_path: Path) -> None:
    config = load(tmp_path, "collections: {hazard.quakes: {datetime_column: [at, until]}}")
    found = config.apply(LASTING)
    pair = found.period_columns()
    assert pair is not None
    assert [column.name for column in pair] == ["at", "until"]
    assert Collection.from_json(json.loads(json.dumps(found.to_json()))) == found
    # `datetime` means something else now
    single = load(tmp_path, "collections: {hazard.quakes: {datetime_column: at}}").apply(LASTING)
    assert (single.period_columns(), single.shape != found.shape) == (None, True)


def test_how_new_data_are_is_said_by_the_column_of_issue(tmp_path: Path) -> None:
    said = load(tmp_path, "collections: {hazard.quakes: {datetime_column: at, issued_column: until}}").apply(LASTING)
    assert said.as_of() == "2020-03-01T00:00:00Z"
    unsaid = load(tmp_path, "collections: {hazard.quakes: {datetime_column: [at, until]}}").apply(LASTING)
    assert unsaid.as_of() == LASTING.times[1].end, "the newest start, never an end"
    assert unsaid.shape != said.shape
    assert Collection.from_json(json.loads(json.dumps(said.to_json()))) == said
    with pytest.raises(ConfigError, match="issued_column: there is no column 'made'; there are until, at"):
        load(tmp_path, "collections: {hazard.quakes: {issued_column: made}}").apply(LASTING)
    with pytest.raises(ConfigError, match="issued_column: there is no column 'until'; there are at"):
        load(tmp_path, "collections: {hazard.quakes: {issued_column: until, properties: [id, at]}}").apply(LASTING)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[at, ended]", "datetime_column: there is no column 'ended'; there are until, at"),
        ("[began, until]", "datetime_column: there is no column 'began'"),
        ("[at, until], properties: [id, at]", "datetime_column: there is no column 'until'; there are at"),
        ("[at, until], properties: [id, until]", "datetime_column: there is no column 'at'; there are until"),
    ],
)
def test_a_start_and_an_end_must_be_times_that_are_shown(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        load(tmp_path, f"collections: {{hazard.quakes: {{datetime_column: {text}}}}}").apply(LASTING)


@pytest.mark.parametrize(
    ("start", "end", "extent"),
    [
        (("2020-01-05", "2020-02-01"), ("2020-01-06", "2020-03-01"), ("2020-01-05", "2020-03-01")),
        # some began at an unknown time, and ended before the first that is known began
        (("2020-01-05", "2020-02-01"), ("2020-01-02", "2020-03-01"), ("2020-01-02", "2020-03-01")),
        # the last event to begin has no end, which the statistics do not show
        (("2020-01-05", "2020-04-01"), ("2020-01-06", "2020-03-01"), ("2020-01-05", "2020-04-01")),
        ((None, "2020-04-01"), ("2020-01-06", "2020-03-01"), (None, "2020-04-01")),
        (("2020-01-05", "2020-04-01"), ("2020-01-06", None), ("2020-01-05", None)),
        ((None, None), (None, None), (None, None)),
    ],
)
def test_the_extent_is_from_the_first_start_to_the_last_end(
    start: tuple[str | None, str | None], end: tuple[str | None, str | None], extent: tuple[str | None, str | None]
) -> None:
    def column(name: str, ends: tuple[str | None, str | None], *, nulls: bool = False) -> TimeColumn:
        first, last = (day and f"{day}T00:00:00Z" for day in ends)
        return TimeColumn(name, "date", first, last, nulls)

    expected = tuple(day and f"{day}T00:00:00Z" for day in extent)
    found = replace(LASTING, times=(column("at", start), column("until", end)), time_end="until")
    assert found.temporal_extent() == expected
    going_on = replace(found, times=(column("at", start), column("until", end, nulls=True)))
    assert going_on.temporal_extent() == (expected[0], None)
    assert replace(found, time_end=None).temporal_extent() == (found.times[0].start, found.times[0].end)


def test_the_key_is_a_property_whatever_is_shown(tmp_path: Path) -> None:
    """Queries, ids and the starts of pages are made of it."""
    for said, shown in (
        ("properties: [magnitude]", ["id", "magnitude"]),
        ("properties: [magnitude], id_column: at", ["at", "magnitude"]),
        ("properties: [magnitude, id], sort: [magnitude]", ["magnitude", "id"]),
        ("properties: [magnitude], tile_properties: {0: [id]}", ["id", "magnitude"]),
    ):
        found = load(tmp_path, f"collections: {{hazard.quakes: {{{said}}}}}").apply(QUAKES)
        assert [column.name for column in found.columns] == shown, said
        assert found.column(found.key or "") is not None
    config = load(tmp_path, "collections: {hazard.quakes: {properties: [magnitude]}}")
    assert [column.name for column in config.apply(replace(QUAKES, key=None)).columns] == ["magnitude"]


def test_a_column_that_is_named_as_id_is_taken_as_unique(tmp_path: Path) -> None:
    repeating = replace(QUAKES, key_repeats=True)
    assert load(tmp_path, "collections: {hazard.quakes: {title: x}}").apply(repeating).key_repeats
    assert not load(tmp_path, "collections: {hazard.quakes: {id_column: id}}").apply(repeating).key_repeats


def test_importance_is_the_most_telling_column_unless_it_is_said(tmp_path: Path) -> None:
    assert CatalogueConfig().apply(QUAKES).importance == ("-magnitude",)
    assert load(tmp_path, "collections: {hazard.quakes: {importance: [at]}}").apply(QUAKES).importance == ("at",)


def test_another_title_is_another_shape(tmp_path: Path) -> None:
    plain = CatalogueConfig().apply(QUAKES)
    assert plain.shape == CatalogueConfig().apply(QUAKES).shape
    assert load(tmp_path, "collections: {hazard.quakes: {title: Other}}").apply(QUAKES).shape != plain.shape


def test_properties_of_tiles_follow_the_zoom(tmp_path: Path) -> None:
    text = "collections: {hazard.quakes: {tile_properties: {0-4: [magnitude], 5: [magnitude, at], 6: []}}}"
    found = load(tmp_path, text).apply(QUAKES)
    assert found.tile_properties == ((0, 4, ("magnitude",)), (5, 5, ("magnitude", "at")), (6, 6, ()))
    assert Collection.from_json(json.loads(json.dumps(found.to_json()))) == found
    # the contents of cached tiles are no longer right
    assert found.shape != CatalogueConfig().apply(QUAKES).shape


def test_properties_of_tiles_must_exist_and_be_shown(tmp_path: Path) -> None:
    for text in ("tile_properties: {0: [depth]}", "properties: [id], tile_properties: {0: [magnitude]}"):
        config = load(tmp_path, f"collections: {{hazard.quakes: {{{text}}}}}")
        with pytest.raises(ConfigError, match="tile_properties: there is no column"):
            config.apply(QUAKES)


def test_patterns_choose_what_is_offered(tmp_path: Path) -> None:
    config = load(tmp_path, 'include: ["hazard.*", "a.b"]\nexclude: ["*.scratch_*", "hazard.gone"]')
    names = ("hazard.quakes", "hazard.scratch_1", "hazard.gone", "other.quakes", "a.b", "HAZARD.quakes")
    assert [name for name in names if config.offers(name, spatial=True)] == ["hazard.quakes", "a.b"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("collections: {hazard.quakes: {titel: x}}", "titel is unknown"),
        ("collections: {hazard.quakes: {title: 3}}", "title must be a text"),
        ("collections: {hazard.quakes: {maxzoom: deep}}", "maxzoom must be a whole number"),
        ("collections: {hazard.quakes: {license: 'javascript:alert(1)'}}", "license must be an address"),
        ("collections: {hazard.quakes: {part_licenses: {a: 'data:x'}}}", "part_licenses must be an address"),
        (
            "collections: {hazard.quakes: {license: 'https://a:b@c.example/'}}",
            r"license must be an address \(https://…\) without blanks and credentials",
        ),
        ("collections: {hazard.quakes: {part_licenses: [a]}}", "part_licenses must be a mapping"),
        ("collections: {hazard.quakes: {sort: magnitude}}", "sort must be a list"),
        ("collections: {hazard.quakes: {datetime_column: 3}}", "datetime_column must be a text, or a list of two"),
        ("collections: {hazard.quakes: {datetime_column: [at]}}", "datetime_column must be a text, or a list of two"),
        ("collections: {hazard.quakes: {datetime_column: [a, b, c]}}", "must be a text, or a list of two columns"),
        ("collections: {hazard.quakes: {datetime_column: [at, at]}}", "must be a text, or a list of two columns"),
        ("collections: {hazard.quakes: {datetime_column: [at, 3]}}", "datetime_column must be a list of texts"),
        ("collections: {hazard.quakes: {maxzoom: 31}}", "maxzoom must be a whole number"),
        ("collections: {hazard.quakes: {minzoom: 5, maxzoom: 4}}", "minzoom is above maxzoom"),
        ("collections: {hazard.quakes: {tile_properties: [magnitude]}}", "tile_properties must be a mapping"),
        ("collections: {hazard.quakes: {tile_properties: {low: [magnitude]}}}", "'low' is not a zoom"),
        ("collections: {hazard.quakes: {tile_properties: {4-0: [magnitude]}}}", "'4-0' is not a zoom"),
        ("collections: {hazard.quakes: {tile_properties: {0-4: [id], 4: [id]}}}", "'4' overlaps"),
        ("collections: {hazard.quakes: {tile_properties: {0-4: magnitude}}}", "tile_properties.0-4 must be a list"),
        ("collections: [a]", "collections must be a mapping"),
        ("colections: {}", "colections is unknown"),
        ("collections: {3: {title: x}}", "collections.3 must be a text"),
        ("[a]", "must be a mapping"),
        ("a: [", "expected"),
    ],
)
def test_a_malformed_file_is_refused_with_the_place(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        load(tmp_path, text)


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    for text in ("", "collections:", "collections: {}", "# nothing"):
        assert load(tmp_path, text).apply(QUAKES) == CatalogueConfig().apply(QUAKES)


def test_a_later_file_adds_to_what_earlier_ones_say(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.yaml", tmp_path / "theirs.yaml"
    ours.write_text(
        "include: [a.*, h*]\n"
        "collections: {hazard.quakes: {title: Quakes of ours, minzoom: 3, sort: [-at]}, a.b: {title: B}}"
    )
    theirs.write_text("exclude: [a.*]\ncollections: {hazard.quakes: {title: Quakes of theirs, attribution: They}}")
    config = CatalogueConfig.load(ours, theirs)
    found = config.apply(QUAKES)
    assert (found.title, found.attribution, found.minzoom, found.sort) == ("Quakes of theirs", "They", 3, ("-at",))
    assert list(config.collections) == ["hazard.quakes", "a.b"], "in the order of the first file"
    assert [config.offers(name, spatial=True) for name in ("a.b", "c.d", "hazard.quakes")] == [False, False, True]
    theirs.write_text("include: [c.*]")
    assert [CatalogueConfig.load(ours, theirs).offers(name, spatial=True) for name in ("a.b", "c.d")] == [False, True]
    theirs.write_text("collections: {hazard.quakes: {title: 3}}")
    with pytest.raises(ConfigError, match=r"theirs\.yaml: collections\.hazard\.quakes\.title must be a text$"):
        CatalogueConfig.load(ours, theirs)
    theirs.write_text("collections: {hazard.quakes: {maxzoom: 2}}")
    with pytest.raises(ConfigError, match=r"ours\.yaml, .*theirs\.yaml: .*minzoom is above maxzoom"):
        CatalogueConfig.load(ours, theirs)


def test_all_faults_of_a_file_are_reported_at_once(tmp_path: Path) -> None:
    text = "include: x\ncollections: {a.b: {title: 3, zoom: 1}, c.d: {maxzoom: true, license: x}, e.f: 5}"
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, text)
    place, _, faults = str(raised.value).partition(": ")
    assert place.endswith("collections.yaml")
    assert [fault.partition(" (there")[0] for fault in faults.split("; ")] == [
        "include must be a list of texts",
        "collections.a.b.title must be a text",
        "collections.a.b.zoom is unknown",
        "collections.c.d.maxzoom must be a whole number from 0 to 30",
        "collections.c.d.license must be an address (https://…)",
        "collections.e.f must be a mapping",
    ]


def test_a_column_that_does_not_exist_is_named(tmp_path: Path) -> None:
    config = load(tmp_path, "collections: {hazard.quakes: {sort: [-depth]}}")
    with pytest.raises(ConfigError, match=r"no column 'depth'.*magnitude"):
        config.apply(QUAKES)


def test_the_documented_example_is_valid_and_names_every_member(tmp_path: Path) -> None:
    text = (Path(__file__).parents[4] / "deploy" / "COLLECTIONS.md").read_text(encoding="utf-8")
    config = load(tmp_path, text.partition("```yaml\n")[2].partition("```")[0])
    (example,) = config.collections.values()
    for member in CollectionConfig.model_fields:
        assert getattr(example, member) not in (None, ()), member
        assert f"`{member}`" in text.partition("| member |")[2], member
    assert config.include
    assert config.exclude


def test_what_is_said_of_zooms_links_and_crs_is_applied(tmp_path: Path) -> None:
    said = "{minzoom: 0, maxzoom: 30, description: All, crs: [EPSG:25832, ESRI:102100], longitudes: stored}"
    found = load(tmp_path, f"collections: {{hazard.quakes: {said}}}").apply(QUAKES)
    assert (found.minzoom, found.maxzoom, found.description) == (0, 30, "All")
    assert found.srids == (25832, 102100)
    assert [geometry.as_stored for geometry in found.geometries] == [True, True]
    plain = CatalogueConfig().apply(QUAKES)
    assert [geometry.as_stored for geometry in plain.geometries] == [False, False]
    assert (plain.title, plain.description, plain.srids) == ("Quakes", None, USUAL_SRIDS)
    same = load(tmp_path, "collections: {hazard.quakes: {minzoom: 4, maxzoom: 4}}").apply(QUAKES)
    assert (same.minzoom, same.maxzoom) == (4, 4)


@pytest.mark.parametrize(
    "said",
    ["crs: [25832]", "crs: EPSG:25832", "crs: [EPSG:123]", "crs: [EPSG:1234567]", "crs: [OGC:84]", "longitudes: both"],
)
def test_a_crs_is_named_by_its_authority_and_code(tmp_path: Path, said: str) -> None:
    with pytest.raises(ConfigError, match=said.partition(":")[0]):
        load(tmp_path, f"collections: {{hazard.quakes: {{{said}}}}}")


@pytest.mark.parametrize(
    ("ranges", "fits"),
    [
        ("{0-4: [id], 5-7: [id]}", True),
        ("{5-7: [id], 0-4: [id]}", True),
        ("{0-4: [id], 4-7: [id]}", False),
        ("{4-7: [id], 0-4: [id]}", False),
        ("{0-9: [id], 3-4: [id]}", False),
        ("{3-4: [id], 0-9: [id]}", False),
        ("{3-3: [id]}", True),
        ("{100: [id]}", False),
    ],
)
def test_ranges_of_zooms_share_no_zoom(tmp_path: Path, ranges: str, fits: bool) -> None:
    text = f"collections: {{hazard.quakes: {{tile_properties: {ranges}}}}}"
    if fits:
        assert load(tmp_path, text).apply(QUAKES).tile_properties
    else:
        with pytest.raises(ConfigError, match="tile_properties"):
            load(tmp_path, text)


@pytest.mark.parametrize(
    ("situation", "fault"),
    [
        ("{title: T, at_least: {magnitude: 6, id: 1}, unset: [at]}", None),
        ("{title: T, at_least: {at: 6}}", "situation.at_least: there is no column 'at'; there are id, magnitude"),
        ("{title: T, unset: [withdrawn]}", "situation.unset: there is no column 'withdrawn'"),
    ],
)
def test_what_is_going_on_is_known_by_columns_that_there_are(tmp_path: Path, situation: str, fault: str | None) -> None:
    config = load(tmp_path, f"collections: {{hazard.quakes: {{situation: {situation}}}}}")
    if fault is None:
        assert config.apply(QUAKES).id == "hazard.quakes"
    else:
        with pytest.raises(ConfigError, match=fault):
            config.apply(QUAKES)


def test_what_is_going_on_needs_a_column_of_instants(tmp_path: Path) -> None:
    config = load(tmp_path, "collections: {hazard.quakes: {situation: {title: T}}}")
    for times in ((), (TimeColumn("at", "tstzrange"),)):
        with pytest.raises(ConfigError, match="needs a column of instants"):
            config.apply(replace(QUAKES, times=times))
    # of the one that is named
    named = load(tmp_path, "collections: {hazard.quakes: {datetime_column: at, situation: {title: T}}}")
    assert named.apply(replace(QUAKES, times=(TimeColumn("during", "tstzrange"), *QUAKES.times)))


def test_an_id_column_that_cannot_be_used_is_left_out(tmp_path: Path) -> None:
    config = load(tmp_path, "collections: {hazard.quakes: {id_column: at}}")
    composite = replace(QUAKES, key=None, composite_key=("at", "id"), suggested_key="id")
    used, unused = config.apply(composite), config.apply(composite, id_column=False)
    assert (used.key, used.composite_key, used.suggested_key, used.key_repeats) == ("at", (), None, True)
    assert (unused.key, unused.composite_key, unused.suggested_key) == (None, ("at", "id"), "id")
    shown = load(tmp_path, "collections: {hazard.quakes: {properties: [magnitude]}}").apply(composite)
    assert {column.name for column in shown.columns} == {"at", "id", "magnitude"}


@pytest.mark.parametrize(
    "said",
    [
        "description: Other", "id_column: magnitude", "properties: [id]", "geometry_column: area",
        "datetime_column: at", "datetime_column: [at, until]", "issued_column: at", "sort: [at]", "importance: [at]",
        "tile_properties: {0: [id]}", "longitudes: stored", "crs: [EPSG:25832]", "overview: false",
        "item_links: {next: {id: id}}", "license: 'https://example.org/'", "part_licenses: {a: 'https://example.org/'}",
        "attribution: Us",
    ],
)  # fmt: skip
def test_whatever_answers_show_makes_another_shape(tmp_path: Path, said: str) -> None:
    found = load(tmp_path, f"collections: {{hazard.quakes: {{{said}}}}}").apply(LASTING)
    assert found.shape != CatalogueConfig().apply(LASTING).shape
