"""The arguments of the command line."""

import argparse
import re
from datetime import UTC, datetime, timedelta

from deploy.loader.sources.registry import SOURCES

EXIT_CODES = (
    "exit codes: 0 done, also where records were rejected; 1 failed; 2 wrong arguments; 3 another load is under way"
)

_DURATION = re.compile(r"P(?=.)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")


def moment(text: str) -> datetime:
    """Parse a time in RFC 3339, in UTC without a zone; or an age in ISO 8601: `P7D`, `PT36H`.

    Raises ValueError.
    """
    if match := _DURATION.fullmatch(text):
        weeks, days, hours, minutes, seconds = (int(each or 0) for each in match.groups())
        span = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
        return datetime.now(UTC) - span
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def parser() -> argparse.ArgumentParser:
    """Return the parser of `python -m deploy.loader`."""
    parsed = argparse.ArgumentParser(
        prog="python -m deploy.loader",
        description="Loads hazard data from their sources into the database of DAMS_DATABASE_LOADER_URL.",
        epilog=EXIT_CODES,
    )
    parsed.add_argument(
        "what",
        nargs="*",
        metavar="SOURCE[=PATH|URL]",
        help="sources to load, each with documents of its own where these are named (once for each document);"
        " or `list`: which there are; or `status`: how old each is",
    )
    parsed.add_argument(
        "--from",
        dest="given",
        nargs="+",
        default=[],
        metavar="PATH|URL",
        help="documents in place of the source's own, where one source is named",
    )
    parsed.add_argument(
        "--since", type=moment, metavar="TIME", help="from when on: 2026-01-31, or P7D for the last week"
    )
    parsed.add_argument(
        "--watch",
        action="store_true",
        help="load again and again, each source in its rhythm; no names: all that are published somewhere",
    )
    parsed.add_argument("--metrics-port", type=int, help="with --watch: where Prometheus finds /metrics")
    parsed.add_argument("--dry-run", action="store_true", help="say what would change, and change nothing")
    parsed.add_argument("--json", action="store_true", help="say it as one JSON object")
    parsed.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, default=True, help="a bar, where there is a terminal"
    )
    return parsed


def parse(argv: list[str] | None) -> argparse.Namespace:
    """Return consistent arguments; exits with 2 if they are not.

    `documents` are the documents given for each source.
    """
    known = parser()
    arguments = known.parse_args(argv)
    arguments.documents = {}
    if arguments.what in (["list"], ["status"]):
        return arguments
    arguments.documents = _documents(arguments.what, known)
    arguments.what = list(arguments.documents)
    if not arguments.what and not arguments.watch:
        known.error("name a source, or `list` to see which there are")
    _check(arguments, known)
    if arguments.given:
        arguments.documents[arguments.what[0]] = arguments.given
    return arguments


def _documents(what: list[str], known: argparse.ArgumentParser) -> dict[str, list[str]]:
    """Return the documents of each source from arguments such as SOURCE or SOURCE=PATH."""
    found: dict[str, list[str]] = {}
    for each in what:
        name, is_given, document = each.partition("=")
        if is_given and not document:
            known.error(f"{each} names no document")
        if name not in SOURCES:
            known.error(f"there is no source {name!r}; there are {', '.join(SOURCES)}")
        found.setdefault(name, []).extend([document] if is_given else [])
    return found


def _check(arguments: argparse.Namespace, known: argparse.ArgumentParser) -> None:
    """Exit with an error if arguments contradict each other."""
    named = any(arguments.documents.values())
    if arguments.watch and (named or arguments.given or arguments.since or arguments.dry_run):
        known.error("--watch asks the sources themselves for what is new: without --from, --since and --dry-run")
    if arguments.watch and (silent := [name for name in arguments.what if not list(SOURCES[name].addresses(None))]):
        known.error(f"{', '.join(silent)}: nobody publishes it at an address; load it by --from")
    if arguments.given and len(arguments.what) > 1:
        known.error("--from gives the documents of one source; for several write SOURCE=PATH")
    if arguments.given and named:
        known.error("documents are named twice: by --from and by SOURCE=PATH")
