"""Print tables on a terminal."""

from collections.abc import Set


def print_table(rows: list[list[str]], *, numbers: Set[int]) -> None:
    """Print rows of cells in columns as wide as necessary; `numbers` are the right-aligned columns, from 0."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.rjust(width) if position in numbers else cell.ljust(width)
            for position, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join(cells).rstrip())  # noqa: T201
