"""Looks for news at the service and delivers them, until a signal."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from deploy.notifier.configuration import Configuration, Subscription
from deploy.notifier.looking import Look, Outcome
from deploy.notifier.sending import DeliveryError, deliver, next_attempt
from deploy.notifier.service import Service, ServiceError, event_of
from deploy.notifier.state import Message, State

Say = Callable[[str], None]


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class Notifier:
    """One notifier. clock: the present time."""

    configuration: Configuration
    service: Service
    state: State
    say: Say
    clock: Callable[[], datetime] = _now
    _lasts: dict[str, bool] = field(default_factory=dict)
    _etags: dict[str, str | None] = field(default_factory=dict)

    async def check(self) -> None:
        """Compare the subscriptions with their collections. Raises ServiceError."""
        for each in self.configuration.subscriptions:
            self._lasts[each.name] = await self.service.check(each)

    async def look(self) -> None:
        """Look for news of each subscription and record their messages. A fault of one does not stop the others."""
        for each in self.configuration.subscriptions:
            try:
                if each.name not in self._lasts:
                    self._lasts[each.name] = await self.service.check(each)
                await self._look(each)
            except ServiceError as error:
                self.say(f"error: {each.name}: {error}")

    async def send(self) -> None:
        """Deliver all messages that are due; those of different receivers at the same time."""
        await asyncio.gather(*(self._send(queue) for queue in self.state.queues(self.clock())))

    async def watch(self) -> None:
        """Look and deliver until cancelled."""
        await asyncio.gather(self._repeat(self.look), self._repeat(self.send))

    async def _repeat(self, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await work()
            await asyncio.sleep(self.configuration.every_seconds)

    async def _look(self, subscription: Subscription) -> None:
        name, now, state = subscription.name, self.clock(), self.state
        is_first = not state.has_looked(name, subscription.fingerprint)
        known = state.events(name)
        followed = {item for item, each in known.items() if each.is_told and not each.is_cancelled}
        is_due = is_first or any(known[item].missing is not None for item in followed)
        page = await self.service.page(
            subscription, now, lasts=self._lasts[name], etag=None if is_due else self._etags.get(name)
        )
        if page is None:
            return
        absent = sorted(followed - page.features.keys())
        others = await self.service.of_ids(subscription.collection, absent)
        events = {item: event_of(each) for item, each in page.features.items()}
        people = await self.service.people(filter(None, events.values())) if subscription.people else {}
        look = Look(subscription, self.service, await self.service.public_address(), now, is_first)
        outcomes = [
            await look.present(item, feature, known.get(item), people.get(events[item] or ""))
            for item, feature in page.features.items()
        ]
        outcomes += [await look.absent(known[item], others.get(item)) for item in absent]
        self._keep(subscription, [each for each in outcomes if each is not None], now)
        self._etags[name] = page.etag
        if is_first:
            self.say(f"{name}: {len(page.features):,} events are present; later changes are news")

    def _keep(self, subscription: Subscription, outcomes: list[Outcome], now: datetime) -> None:
        """Record a look and its messages together."""
        name = subscription.name
        with self.state.transaction():
            for outcome in outcomes:
                self.state.keep(name, outcome.known, outcome.seen)
                for channel, key, body in outcome.messages:
                    self.state.add(name, channel, key, body, now)
            self.state.looked(name, subscription.fingerprint, now)
        for outcome in outcomes:
            if outcome.messages:
                self.say(f"{name}: {outcome.messages[0][1]} is news: {outcome.known.title}")

    async def _send(self, queue: list[Message]) -> None:
        """Deliver the messages of a receiver in their order; a fault stops all later ones."""
        subscriptions = self.configuration.by_name()
        for message in queue:
            try:
                await deliver(message, subscriptions.get(message.subscription), self.configuration)
            except DeliveryError as error:
                due = next_attempt(message, error, self.clock())
                self.state.failed(message, str(error), due)
                later = f"tried again at {due:%H:%M:%S} UTC" if due else f"lost after {message.attempts + 1} attempts"
                self.say(f"error: {message.subscription}: {message.channel} {message.key}: {error}; {later}")
                if due is not None:
                    return
            else:
                self.state.sent(message)
