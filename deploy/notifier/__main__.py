"""`python -m deploy.notifier watch|once|check|try|status FILE`: sends news of events to subscribers.

FILE is the file of subscriptions (docs/notifier.md). `--state` is the file in which the notifier remembers events and
undelivered messages.
"""

import argparse
import asyncio
import contextlib
import json
import signal
import sqlite3
import sys
from datetime import UTC, datetime
from pathlib import Path

from deploy.notifier.configuration import Configuration, ConfigurationError, read
from deploy.notifier.deciding import Change
from deploy.notifier.messages import News, cloud_event, mail_text
from deploy.notifier.sending import DeliveryError, deliver
from deploy.notifier.service import Service, ServiceError
from deploy.notifier.state import BusyError, Message, State
from deploy.notifier.watching import Notifier

_COMMANDS = {
    "watch": "look for news and deliver them, until a signal",
    "once": "do so once, and end; for a scheduler",
    "check": "check the file, and compare it with the collections of the service",
    "try": "send a test message to the webhook and by mail of each subscription, or of one",
    "status": "print the last look, and the waiting and lost messages of each subscription, as JSON",
}


def main(argv: list[str] | None = None) -> int:
    """Run one command; return the exit code: 0 done, 1 failed with a message, 2 wrong arguments."""
    parser = argparse.ArgumentParser(prog="python -m deploy.notifier", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, said in _COMMANDS.items():
        command = commands.add_parser(name, help=said)
        command.add_argument("file", type=Path, metavar="FILE")
        command.add_argument("--state", type=Path, default=Path("notifier.sqlite"), help="default: notifier.sqlite")
        if name == "try":
            command.add_argument("subscription", nargs="?", help="name of one subscription")
    arguments = parser.parse_args(argv)
    try:
        return asyncio.run(_run(arguments))
    except (ConfigurationError, ServiceError, BusyError, OSError, sqlite3.Error) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


async def _run(arguments: argparse.Namespace) -> int:
    configuration = read(arguments.file)
    if arguments.command == "try":
        return await _try(configuration, arguments.subscription)
    if arguments.command == "status":
        print(json.dumps(State.summary_of(arguments.state), indent=2))
        return 0
    async with Service(configuration.service) as service:
        if arguments.command == "check":
            for each in configuration.subscriptions:
                await service.check(each)
            print(f"{len(configuration.subscriptions)} subscriptions fit the collections of {configuration.service}")
            return 0
        with contextlib.closing(State(arguments.state)) as state:
            notifier = Notifier(configuration, service, state, _say)
            if arguments.command == "once":
                await notifier.look()
                await notifier.send()
            else:
                await _watch(notifier)
    return 0


async def _watch(notifier: Notifier) -> None:
    watching = asyncio.create_task(notifier.watch())
    for each in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(each, watching.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await watching


async def _try(configuration: Configuration, name: str | None) -> int:
    """Send test messages; return 1 if one was not delivered."""
    chosen = [each for each in configuration.subscriptions if name in (None, each.name)]
    if not chosen:
        raise ConfigurationError(f"there is no subscription {name!r}; there are {', '.join(configuration.by_name())}")
    now, code = datetime.now(UTC), 0
    for each in chosen:
        words = f"Test of the subscription {each.name}"
        news = News(
            each.name,
            Change.NEW,
            each.collection,
            "test",
            0,
            words,
            words,
            None,
            None,
            configuration.service,
            now,
            None,
        )
        bodies = {"webhook": cloud_event(news), "mail": mail_text(news, "Test")}
        for channel in [channel for channel in each.channels if channel in bodies]:
            message = Message(0, each.name, channel, f"{news.key}.{now:%Y%m%dT%H%M%S}", bodies[channel], now, 0)
            try:
                await deliver(message, each, configuration)
                print(f"{each.name}: {channel} delivered")
            except DeliveryError as error:
                code = 1
                print(f"{each.name}: {channel} failed: {error}")
    return code


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
