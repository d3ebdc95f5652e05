"""Tables on a terminal: words begin below each other, numbers end so."""

from __future__ import annotations

import pytest

from services.tiles.command.table import print_table


def test_columns_are_as_wide_as_they_must_be(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [["collection", "zoom", "kind", "bytes"], ["a", "0", "points", "1,234,567"], ["a.longer.one", "12", "", "8"]]
    print_table(rows, numbers={1, 3})
    assert capsys.readouterr().out.splitlines() == [
        "collection    zoom  kind        bytes",
        "a                0  points  1,234,567",
        "a.longer.one    12                  8",
    ]
    print_table([["number", "word"], ["7", "x"]], numbers={0})
    # nothing follows the last word
    assert capsys.readouterr().out == "number  word\n     7  x\n"
