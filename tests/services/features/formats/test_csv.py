"""Rows, in CSV that a spreadsheet opens: no cell becomes a formula, names are unique, values are as they are stored."""

from __future__ import annotations

import csv
from dataclasses import replace
from io import StringIO
from typing import Any
from urllib.parse import quote

import asyncpg
import orjson
import pytest

from libs.catalogue.model import Collection, Column
from services.features.formats.csv import Csv
from services.features.formats.format import PageLinks
from services.features.formats.json import Json
from services.features.rows.layout import Layout, Rows, rfc3339_times
from tests.eventually import eventually
from tests.services.in_process import Client


def layout(*columns: Column, key: str | None = "id", has_geometry: bool = False, **more: Any) -> Layout:
    return Layout(
        key, has_geometry, columns, (False,) * len(columns), more.pop("times", ()), collection_id="a.b", **more
    )


def read(plan: Layout, *rows: tuple[Any, ...], for_spreadsheets: bool = False) -> list[list[str]]:
    """The cells behind that of the collection."""
    format_ = Csv(for_spreadsheets=for_spreadsheets)
    lines = list(csv.reader(StringIO(format_.rows(Rows(plan, list(rows)), first=True).decode(), newline="")))
    assert {line[0] for line in lines} == {"a.b"}
    return [line[1:] for line in lines]


WORD = Column("word", "text", "string")
COLLECTION = Collection("a.b", "a", "b", 1, "table", "B", None, (WORD,))


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
@pytest.mark.parametrize("rest", ["SUM(A1)", "", "1"])
@pytest.mark.parametrize("for_spreadsheets", [False, True])
def test_only_spreadsheets_get_an_apostrophe_before_a_formula(start: str, rest: str, for_spreadsheets: bool) -> None:
    rows = ((1, f"{start}{rest}"), (2, f"a{start}{rest}"), (f"{start}id", None))
    cells = read(layout(WORD), *rows, for_spreadsheets=for_spreadsheets)
    guard = "'" if for_spreadsheets else ""
    assert [cell[1] for cell in cells] == [f"{guard}{start}{rest}", f"a{start}{rest}", ""]
    # by the id a client requests the feature
    assert cells[2][0] == f"{start}id"


@pytest.mark.parametrize(
    ("stored", "for_spreadsheet"),
    [
        ("2018-02-06 12:30:00+00", "2018-02-06 12:30:00"),
        ("2018-02-06 12:30:00.123456+00", "2018-02-06 12:30:00.123"),
        (None, ""),
    ],
)
def test_spreadsheets_get_times_that_they_recognise(stored: str | None, for_spreadsheet: str) -> None:
    at = Column("at", "timestamptz", "string", "date-time")
    plan = layout(at, times=((1, rfc3339_times),))
    assert read(plan, (1, stored), for_spreadsheets=True) == [["1", for_spreadsheet]]
    plain = read(plan, (1, stored))
    assert plain == [["1", stored.replace(" ", "T").replace("+00", "Z") if stored else ""]]


async def test_an_id_in_csv_leads_to_its_feature(features: Client, owner: asyncpg.Connection) -> None:
    await owner.execute(
        "CREATE TABLE hostile.signed_keys (x int, y int, word text, PRIMARY KEY (x, y));"
        " INSERT INTO hostile.signed_keys VALUES (-1, 2, '-5');"
        " GRANT SELECT ON hostile.signed_keys TO hostile_reader"
    )
    path = "/collections/hostile.signed_keys/items"
    await eventually(lambda: features.json(path))
    for bom, word in (("false", "-5"), ("true", "'-5")):
        answer = await features.get(path, {"f": "csv", "bom": bom})
        (row,) = csv.DictReader(StringIO(answer.body.decode("utf-8-sig")))
        assert (row["itemId"], row["word"]) == ("-1~2", word)
        assert (await features.get(f"{path}/{row['itemId']}")).status == 200
    await owner.execute("DROP TABLE hostile.signed_keys")


def test_numbers_keep_their_minus_and_truth_is_said_in_words() -> None:
    plan = layout(Column("size", "numeric", "number"), Column("deep", "integer", "integer"), WORD)
    assert read(plan, (-1, "-1.50", -3, "x"), (2, None, True, False)) == [
        ["-1", "-1.50", "-3", "x"],
        ["2", "", "true", "false"],
    ]


async def test_ids_that_are_numbers_keep_their_minus(features: Client, owner: asyncpg.Connection) -> None:
    await owner.execute(
        "CREATE TABLE hostile.below_zero (n numeric PRIMARY KEY, word text);"
        "INSERT INTO hostile.below_zero VALUES (-1.50, '-1.50'); GRANT SELECT ON hostile.below_zero TO hostile_reader"
    )
    try:
        await eventually(lambda: features.json("/collections/hostile.below_zero/items"))
        answer = await features.get("/collections/hostile.below_zero/items", {"f": "csv"})
        few = await features.get("/collections/hostile.below_zero/items", {"f": "csv", "properties": "word"})
    finally:
        await owner.execute("DROP TABLE hostile.below_zero")
    assert answer.body.splitlines() == [
        b"collectionId,itemId,n,word",
        b"hostile.below_zero,-1.50,-1.50,-1.50",
    ]
    assert few.body.splitlines() == [b"collectionId,itemId,word", b"hostile.below_zero,-1.50,-1.50"]


def test_geometries_that_are_not_finite_are_empty() -> None:
    plan = layout(WORD, has_geometry=True)
    rows = [(1, "POINT(1 2)", "a"), (2, "POINT(NaN 2)", "b"), (3, "POINT(Inf 2)", "c"), (4, None, "d")]
    assert [cells[2] for cells in read(plan, *rows)] == ["POINT(1 2)", "", "", ""]


def test_points_may_be_columns_of_numbers() -> None:
    rows = [
        (1, "POINT(1 -2.5)", "a"),
        (2, "POINT Z (1 2 3e-07)", "b"),
        (3, "POINT M (1 2 3)", "c"),
        (4, "POINT(NaN 2)", "d"),
        (5, "POINT EMPTY", "e"),
        (6, None, "f"),
        (7, "", "g"),
    ]
    found = [["1", "-2.5", ""], ["1", "2", "3e-07"], ["1", "2", ""], *[["", "", ""]] * 4]
    for names in (("longitude", "latitude"), ("longitude", "latitude", "altitude")):
        plan = layout(WORD, has_geometry=True, lonlat=names)
        assert [cells[2:] for cells in read(plan, *rows)] == [numbers[: len(names)] for numbers in found]
        objects = orjson.loads(b"[" + Json().rows(Rows(plan, rows), first=True) + b"]")
        assert [[*row.items()][3:] for row in objects] == [
            [(name, float(number) if number else None) for name, number in zip(names, numbers, strict=False)]
            for numbers in found
        ]


def test_times_are_those_of_json() -> None:
    plan = layout(WORD, Column("at", "timestamp", "string"), times=((2, rfc3339_times),))
    assert read(plan, (1, "a", "2024-05-01 12:30:00"), (2, "b", None)) == [
        ["1", "a", "2024-05-01T12:30:00Z"],
        ["2", "b", ""],
    ]


def test_sort_values_behind_the_properties_are_no_cells() -> None:
    assert read(layout(WORD), (1, "a", "sort", "value")) == [["1", "a"]]


@pytest.mark.parametrize(
    ("names", "key", "has_geometry", "found"),
    [
        (["id", "word"], "id", True, "collectionId,itemId,id,word,geometry"),
        (["id", "word"], "other", True, "collectionId,itemId,id,word,geometry"),
        (["geometry", "geometry_1"], None, True, "collectionId,geometry_2,geometry_1,geometry"),
        (["itemId", "collectionId"], "id", False, "collectionId,itemId,itemId_1,collectionId_1"),
        (["geometry", "itemId"], None, False, "collectionId,geometry,itemId"),
        (["a,b", 'say "x"'], None, False, 'collectionId,"a,b","say ""x"""'),
    ],
)
def test_names_of_columns_are_unique(names: list[str], key: str | None, has_geometry: bool, found: str) -> None:
    plan = layout(*(Column(name, "text", "string") for name in names), key=key, has_geometry=has_geometry)
    assert Csv().head(None, plan, None, None) == f"{found}\r\n".encode()  # type: ignore[arg-type]
    row = (*([1] if key else []), *([None] if has_geometry else []), *names)
    (read_again,) = orjson.loads(b"[" + Json().rows(Rows(plan, [row]), first=True) + b"]")
    # of all properties none is lost
    assert list(read_again) == next(csv.reader([found]))
    assert {str(value) for value in read_again.values()} >= set(names)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), '"NaN"', '"Infinity"', '"-Infinity"'])
def test_what_is_no_number_in_json_is_an_empty_cell(value: Any) -> None:
    assert read(layout(Column("size", "numeric", "number"), WORD), (1, value, "x")) == [["1", "", "x"]]


def test_no_name_of_a_collection_begins_a_formula() -> None:
    plan = replace(layout(WORD), collection_id="=1.b")
    rows = Rows(plan, [(1, "a"), (2, "b")])
    assert Csv(for_spreadsheets=True).rows(rows, first=True) == b"'=1.b,1,a\r\n'=1.b,2,b\r\n"


def test_a_feature_by_itself_is_a_line_below_the_names() -> None:
    links = PageLinks(b"", "")
    assert Csv().item(COLLECTION, layout(WORD), (1, "a"), links) == b"collectionId,itemId,word\r\na.b,1,a\r\n"
    assert Json().item(COLLECTION, layout(WORD), (1, "a"), links) == b'{"collectionId":"a.b","itemId":1,"word":"a"}'


def test_no_name_of_a_column_begins_a_formula() -> None:
    plan = layout(Column("=1+1", "text", "string"))
    head = Csv(for_spreadsheets=True).head(None, plan, None, None)  # type: ignore[arg-type]
    assert head == b"collectionId,itemId,'=1+1\r\n"


@pytest.mark.parametrize("limit", [2, 10_000])
async def test_a_byte_order_mark_comes_first_for_who_wants_it(features: Client, limit: int) -> None:
    path, asked = "/collections/hostile.many/items", {"f": "csv", "limit": str(limit)}
    plain = (await features.get(path, asked)).body
    assert plain.startswith(b"collectionId,itemId,")
    assert (await features.get(path, asked | {"bom": "false"})).body == plain
    assert (await features.get(path, asked | {"bom": "true"})).body == b"\xef\xbb\xbf" + plain


@pytest.mark.parametrize(("separator", "sign"), [("comma", ","), ("semicolon", ";"), ("tab", "\t")])
@pytest.mark.parametrize("path", ["items", "export"])
async def test_columns_are_separated_as_requested(features: Client, path: str, separator: str, sign: str) -> None:
    address = f"/collections/hostile.many/{path}"
    asked = {"f": "csv", "separator": separator}
    answer = await features.get(address, asked)
    plain = (await features.get(address, {"f": "csv"})).body.decode()
    rows = list(csv.reader(StringIO(answer.body.decode()), delimiter=sign))
    assert rows == list(csv.reader(StringIO(plain)))
    assert len(rows) > 2
    assert answer.headers["Content-Type"].startswith("text/csv")


@pytest.mark.parametrize("path", ["items", "export"])
async def test_a_faulty_separator_is_refused(features: Client, path: str) -> None:
    address = f"/collections/hostile.many/{path}"
    unknown = await features.get(address, {"f": "csv", "separator": "pipe"})
    assert unknown.status == 422
    assert unknown.json()["detail"][0]["loc"] == ["query", "separator"]
    assert unknown.json()["detail"][0]["msg"] == "separator must be one of comma, semicolon, tab"
    other = await features.get(address, {"f": "geojson", "separator": "tab"})
    assert (other.status, other.json()["detail"][0]["msg"]) == (422, "separator is for CSV alone")


async def test_the_name_of_the_file_says_which_features_it_has(features: Client) -> None:
    async def name(**asked: str) -> str:
        answer = await features.get("/collections/hostile.many/export", {"f": "csv", **asked})
        return answer.headers["Content-Disposition"].removeprefix("attachment; filename=")

    assert await name(bom="true", separator="tab", sortby="id") == "hostile.many.csv"
    assert await name(filter="id < 5", datetime="2018-01-01/..") == "hostile.many_2018-01-01_selection.csv"
    assert await name(datetime="2018-01-01T06:00:00Z/2018-02-01") == "hostile.many_2018-01-01T06-00-00Z-2018-02-01.csv"


@pytest.mark.parametrize("form", ["geojson", "json", "ndjson"])
async def test_other_formats_have_no_byte_order_mark(features: Client, form: str) -> None:
    answer = await features.get("/collections/hostile.many/items", {"f": form, "bom": "true"})
    assert (answer.status, answer.json()["detail"][0]["loc"]) == (422, ["query", "bom"])
    assert (await features.get("/collections/hostile.many/items", {"f": form, "bom": "false"})).status == 200


@pytest.mark.parametrize("limit", [2, 10_000])
async def test_browsers_save_csv_under_the_name_of_the_collection(features: Client, limit: int) -> None:
    path = "/collections/hostile.many/items"
    answer = await features.get(path, {"f": "csv", "limit": str(limit)})
    assert answer.headers["Content-Disposition"] == "attachment; filename=hostile.many.csv"
    assert "Content-Disposition" not in (await features.get(path, {"f": "geojson"})).headers


async def test_other_characters_in_the_name_of_a_file_are_escaped(features: Client) -> None:
    name = "hostile.émoji 🌋/table?x=1#y%41"
    answer = await features.get(f"/collections/{quote(name, safe='')}/items", {"f": "csv"})
    assert answer.headers["Content-Disposition"] == f"attachment; filename*=UTF-8''{quote(f'{name}.csv', safe='')}"
