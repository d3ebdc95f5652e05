"""Stage the pages of the documentation site: `make docs`."""

from __future__ import annotations

from pathlib import Path

from deploy.docs.reference import write_reference
from deploy.docs.staging import stage

REPOSITORY = Path(__file__).parents[2]
SOURCE = REPOSITORY / ".local" / "site-source"


def main() -> None:
    """Stage the pages, generate the reference, and print the number of staged pages."""
    number = stage(REPOSITORY, SOURCE)
    write_reference(SOURCE)
    print(f"{number} pages")


if __name__ == "__main__":
    main()
