"""`python -m services.viewer.build`: update `dist/`; with `--check` only exit with 1 if it is outdated."""

import subprocess
import sys

from services.viewer.build.distribution import build, is_current


def main() -> None:
    """Run the command line."""
    try:
        if sys.argv[1:] == ["--check"]:
            sys.exit(not is_current())
        built = build()
    except FileNotFoundError as error:
        sys.exit(f"viewer: {error}; `npm ci` in services/viewer and `make environment` bring what is missing")
    except subprocess.CalledProcessError as error:
        sys.exit(f"viewer: {error}\n{(error.stderr or b'').decode()}")
    sys.stdout.write("viewer: built\n" if built else "viewer: up to date\n")


if __name__ == "__main__":
    main()
