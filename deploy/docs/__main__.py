"""Stage the pages of the documentation site: `make docs`."""

from __future__ import annotations

from pathlib import Path

from deploy.docs.staging import stage

REPOSITORY = Path(__file__).parents[2]
SOURCE = REPOSITORY / ".local" / "site-source"


def main() -> None:
    """Stage the pages and print their number."""
    print(f"{stage(REPOSITORY, SOURCE)} pages")


if __name__ == "__main__":
    main()
