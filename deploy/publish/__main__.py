"""`python -m deploy.publish stac`: write what a running service has as files.

Without --service, the service is the stack of DAMS_STATE_DIR.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from deploy.local import remembered
from deploy.local.settings import read_settings
from deploy.publish.service import Service, ServiceError
from deploy.publish.static_catalogue import write_catalogue


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m deploy.publish", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    stac = commands.add_parser("stac", help="write the STAC catalogue into a folder, with relative links")
    stac.add_argument("target", type=Path, metavar="FOLDER", help="is replaced when all files are complete")
    stac.add_argument("--service", metavar="ADDRESS", help="such as http://127.0.0.1:8080/api")
    arguments = parser.parse_args()
    try:
        number = write_catalogue(Service(arguments.service or _own_address()), arguments.target)
    except (ServiceError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{arguments.target}: {number:,} items")
    return 0


def _own_address() -> str:
    folder = read_settings(os.environ).state_dir
    settings = read_settings(remembered.recall(folder) | dict(os.environ))
    return f"http://127.0.0.1:{settings.gateway_port}/api"


if __name__ == "__main__":
    sys.exit(main())
