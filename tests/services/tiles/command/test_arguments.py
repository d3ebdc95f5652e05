"""Arguments of the command line, and the reasons for which some are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.tiles.command.__main__ import parser

_SEED, _EXPORT = ("seed", "a.b"), ("export", "a.b", "--output", "a.pmtiles")


@pytest.mark.parametrize(
    ("arguments", "name", "value"),
    [
        ((*_SEED, "--zoom", "3"), "zoom", range(3, 4)),
        ((*_SEED, "--zoom", "0-6"), "zoom", range(7)),
        # CDB1GlobalGrid begins at -10
        ((*_SEED, "--zoom", "-10--9"), "zoom", range(-10, -8)),
        ((*_SEED, "--zoom", "-3"), "zoom", range(-3, -2)),
        ((*_SEED, "--zoom=-2-1"), "zoom", range(-2, 2)),
        (_SEED, "zoom", range(5)),
        (("inspect",), "zoom", None),
        (_EXPORT, "zoom", None),
        ((*_SEED, "--bbox", "-180,-90,180,90"), "bbox", (-180, -90, 180, 90)),
        ((*_SEED, "--bbox", "170.5,-10,-170,-10"), "bbox", (170.5, -10, -170, -10)),
        (_SEED, "bbox", None),
        ((*_SEED, "--concurrency", "1"), "concurrency", 1),
        ((*_EXPORT, "--concurrency", "64"), "concurrency", 64),
        (_SEED, "concurrency", 2),
        ((*_EXPORT, "--max-tiles", "1"), "max_tiles", 1),
        (_EXPORT, "max_tiles", 100_000),
        (_EXPORT, "output", Path("a.pmtiles")),
        (
            ("purge", "--matrix-set", "WorldCRS84Quad", "--matrix-set", "CDB1GlobalGrid"),
            "matrix_set",
            ["WorldCRS84Quad", "CDB1GlobalGrid"],
        ),
        (("show", "a.b", "--", "-10/3/2"), "tile", (-10, 3, 2)),
        (("show", "a.b", "2/3/1"), "tile", (2, 3, 1)),
        (("show", "a.b", "2/3/1"), "matrix_set", "WebMercatorQuad"),
        (("show", "a.b", "2/3/1"), "json", False),
        (("purge",), "dry_run", False),
        (("purge",), "outdated", False),
        (("purge",), "collections", []),
    ],
)
def test_what_is_said_is_understood(arguments: tuple[str, ...], name: str, value: object) -> None:
    assert getattr(parser().parse_args(arguments), name) == value


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((*_SEED, "--zoom", "3-2"), "greater than the last"),
        ((*_SEED, "--zoom", "1-"), "not like 3 or 0-6"),
        ((*_SEED, "--zoom", "1-2-3"), "not like 3 or 0-6"),
        ((*_SEED, "--bbox", "-180.1,0,0,0"), "not within"),
        ((*_SEED, "--bbox", "180.1,0,0,0"), "not within"),
        ((*_SEED, "--bbox", "0,0,180.1,0"), "not within"),
        ((*_SEED, "--bbox", "0,0,-180.1,0"), "not within"),
        ((*_SEED, "--bbox", "0,-90.1,0,0"), "not within"),
        ((*_SEED, "--bbox", "0,0,0,90.1"), "not within"),
        ((*_SEED, "--bbox", "0,1,0,0"), "not within"),
        ((*_SEED, "--bbox", "nan,0,0,0"), "not within"),
        ((*_SEED, "--bbox", "1,2,3,4,5"), "not four numbers"),
        ((*_SEED, "--concurrency", "65"), "1 to 64"),
        ((*_SEED, "--concurrency", "²"), "1 to 64"),
        ((*_EXPORT, "--max-tiles", "²"), "above 0"),
        ((*_EXPORT, "--max-tiles", "many"), "above 0"),
        (("export", "a.b"), "--output"),
        (("export", "a.b", "--output", "x/.pmtiles"), "does not end with"),
        (("show", "a.b", "0/0/0/0"), "not three whole numbers"),
        (("show", "a.b", "0/0/x"), "not three whole numbers"),
        (("inspect", "--dry-run"), "unrecognized"),
        ((), "required"),
    ],
)
def test_what_is_not_is_refused_with_the_reason(
    arguments: tuple[str, ...], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        parser().parse_args(arguments)
    assert end.value.code == 2
    assert reason in capsys.readouterr().err
