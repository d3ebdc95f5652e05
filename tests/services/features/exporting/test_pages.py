"""Pages as files, from rows that are there already: the content, and the errors if they cannot be written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

import pyogrio
import pytest
from prometheus_client import REGISTRY

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.ogc.errors import Fault, InvalidParameters
from libs.selection.selection import Selection
from services.features.exporting.exports import Export, Exports
from services.features.exporting.folder import ExportFolder
from services.features.exporting.writing import WritingFailedError
from services.features.formats.fgb import FORMAT, FlatGeobuf
from services.features.request.items_query import AS_STORED
from services.features.rows.columns import columns_of
from services.features.rows.layout import Rows

NOTHING = cast("Any", None)
WORD, GEOM = Column("word", "text", "string"), GeometryColumn("geom", "Point", 4326)
COLLECTION = Collection("own.a", "own", "a", 1, "table", "A", None, (WORD,), (GEOM,))
SELECTION = Selection(COLLECTION, GEOM, (), (WORD,), ())
_, LAYOUT = columns_of(SELECTION, "wkb", AS_STORED)
PLACE = bytes.fromhex("0101000000") + bytes(16)


class NoneSuch(FlatGeobuf):
    """A format whose driver does not exist."""

    driver = "None such"


async def _page(folder: ExportFolder, *rows: tuple[object, ...], most_bytes: int = 10**6, **more: Any) -> Export:
    exports = Exports(NOTHING, NOTHING, folder, at_once=1, most_bytes=most_bytes)

    return await exports.page(SELECTION, AS_STORED, more.get("format_", FORMAT), Rows(LAYOUT, [*rows]))


@pytest.fixture
def folder(tmp_path: Path) -> ExportFolder:
    return ExportFolder(tmp_path, kept_bytes=10**6, kept_seconds=100)


def _is_cleared(folder: Path) -> bool:
    return REGISTRY.get_sample_value("dams_exports_running") == 0 and {file.name for file in folder.iterdir()} == {
        "lock"
    }


async def test_rows_that_are_written_a_second_time_without_an_index_count_once(
    folder: ExportFolder, tmp_path: Path
) -> None:
    export = await _page(folder, (PLACE, "here"), (None, "nowhere"), (b"\1", "cut"))
    assert (export.rows, export.omitted, export.readers, export.tag, export.streams) == (3, 1, 1, None, False)
    assert export.file
    # a client that has opened it can read on
    assert _is_cleared(tmp_path)
    assert export.size == os.fstat(export.file.fileno()).st_size > 100
    (tmp_path / "read.fgb").write_bytes(await export.read(0, export.size))
    assert pyogrio.read_info(tmp_path / "read.fgb")["features"] == 3
    export.file.close()


async def test_what_fails_leaves_no_file(folder: ExportFolder, tmp_path: Path) -> None:
    with pytest.raises(WritingFailedError):
        await _page(folder, (PLACE, "here"), format_=NoneSuch())
    assert _is_cleared(tmp_path)


async def test_what_is_too_large_is_a_fault_that_says_how_to_ask_for_less(folder: ExportFolder, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameters) as refused:
        await _page(folder, *[(PLACE, "x" * 1000)] * 3000, most_bytes=1_999_999)
    sentence = (
        "filter: the export is larger than 1,999,999 bytes, the maximum of this server;"
        " request a part of it by filter, bbox, datetime or properties"
    )
    assert refused.value.faults == (Fault(("query", "filter"), sentence),)
    assert _is_cleared(tmp_path)


async def test_a_file_that_another_process_has_just_cleared_away_is_not_there(tmp_path: Path) -> None:
    class Late(ExportFolder):
        def find(self, key: str) -> Path | None:
            return tmp_path / key

    exports = Exports(NOTHING, NOTHING, Late(tmp_path, kept_bytes=0, kept_seconds=0), at_once=1, most_bytes=10)
    assert await exports.find("key") is None
