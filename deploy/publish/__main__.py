"""`python -m deploy.publish stac|all`: write what a running service has as files.

Without --service, the service is the stack of DAMS_STATE_DIR.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from deploy.local import remembered
from deploy.local.settings import read_settings
from deploy.publish.lock import LockedError
from deploy.publish.publication import Publication
from deploy.publish.service import Service, ServiceError
from deploy.publish.static_catalogue import write_catalogue
from deploy.publish.target import Target, TargetFault


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m deploy.publish", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    stac = commands.add_parser("stac", help="write the STAC catalogue into a folder, with relative links")
    stac.add_argument("target", type=Path, metavar="FOLDER", help="is replaced when all files are complete")
    everything = commands.add_parser("all", help="publish all collections as GeoParquet, PMTiles and a STAC catalogue")
    everything.add_argument("target", metavar="TARGET", help="a folder, or s3://bucket/folder with variables AWS_*")
    everything.add_argument("--zoom", default="0-6", help="zooms of the tiles, default 0-6")
    everything.add_argument("--collection", action="append", default=[], metavar="ID", help="only this; repeatable")
    everything.add_argument("--no-tiles", action="store_true", help="without PMTiles")
    for command in (stac, everything):
        command.add_argument("--service", metavar="ADDRESS", help="such as http://127.0.0.1:8080/api")
    arguments = parser.parse_args()
    try:
        service = Service(arguments.service or _own_address())
        if arguments.command == "all":
            _publish_all(service, arguments)
        else:
            print(f"{arguments.target}: {write_catalogue(service, arguments.target):,} items")
    except (ServiceError, TargetFault, LockedError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _publish_all(service: Service, arguments: argparse.Namespace) -> None:
    tiles = None if arguments.no_tiles else arguments.zoom
    done = Publication(service, Target(arguments.target), tiles, print, frozenset(arguments.collection)).publish()
    if done.version is None:
        print(f"{arguments.target}: nothing has changed, {done.unchanged} collections")
    else:
        print(f"{arguments.target}: version {done.version}, {len(done.changed)} changed, {done.unchanged} unchanged")


def _own_address() -> str:
    folder = read_settings(os.environ).state_dir
    settings = read_settings(remembered.recall(folder) | dict(os.environ))
    return f"http://127.0.0.1:{settings.gateway_port}/api"


if __name__ == "__main__":
    sys.exit(main())
