"""`python -m services.viewer.build`: update `dist/`."""

import subprocess
import sys

from services.viewer.build.distribution import build


def main() -> None:
    """Run the command line: no arguments."""
    try:
        built = build()
    except FileNotFoundError as error:
        sys.exit(f"viewer: {error}; `npm ci` in services/viewer and `make environment` bring what is missing")
    except subprocess.CalledProcessError as error:
        sys.exit(f"viewer: {error}\n{(error.stderr or b'').decode()}")
    sys.stdout.write("viewer: built\n" if built else "viewer: up to date\n")


if __name__ == "__main__":
    main()
