"""Compares the events of a subscription with those that were seen before, and writes the messages."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from deploy.notifier.configuration import Subscription
from deploy.notifier.deciding import Change, change_of, level_of
from deploy.notifier.messages import News, cloud_event, later_alert, mail_text, new_alert
from deploy.notifier.service import Service, Words, event_of, item_address
from deploy.notifier.state import Known
from libs.ogc.cap import is_cancelled

MISSING_FOR = timedelta(minutes=10)
"""How long a deleted event is missing before it counts as cancelled: tables are also emptied to be loaded again."""
_KINDS = {Change.NEW: "New", Change.UPGRADED: "Upgraded", Change.CANCELLED: "Cancelled"}

Feature = Mapping[str, Any]


class Outcome(NamedTuple):
    """The state of an event from now on, and the messages about it: channel, key and body."""

    known: Known
    seen: datetime | None
    messages: list[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the events of a subscription. is_silent: the first one, which causes no messages."""

    subscription: Subscription
    service: Service
    base: str
    now: datetime
    is_silent: bool

    async def present(self, item: str, feature: Feature, known: Known | None, people: int | None) -> Outcome | None:
        """Compare a feature of the selection; None if it is below the thresholds and always was."""
        properties = feature["properties"]
        level, cancelled = level_of(self.subscription, properties, people), is_cancelled(properties)
        if known is None and (cancelled or not level.is_news):
            return None
        before = known if known is not None and not known.is_cancelled and known.level.is_news else None
        change = change_of(
            before.level if before else None, level, is_told=bool(before and before.is_told), cancelled=cancelled
        )
        # other steps than before may have other numbers
        highest = level if before is None or self.is_silent else level.with_highest(before.level)
        after = replace(known or Known(item, level), level=highest, is_cancelled=cancelled, missing=None)
        if change is None or self.is_silent:
            return Outcome(after, self.now, [])
        words = await self.service.words(self.subscription.collection, item)
        if people is None and (event := event_of(feature)) is not None:
            people = (await self.service.people([event])).get(event)
        return await self._news(change, after, words, feature, people)

    async def absent(self, known: Known, feature: Feature | None) -> Outcome:
        """Compare an event that its subscriber knows and that the selection does not have any more."""
        if feature is not None and not is_cancelled(feature["properties"]):
            # it has ended, or is outside the area or filter
            return Outcome(replace(known, missing=None), None, [])
        if feature is None and (known.missing is None or self.now - known.missing < MISSING_FOR):
            return Outcome(replace(known, missing=known.missing or self.now), None, [])
        after = replace(known, is_cancelled=True)
        return await self._news(Change.CANCELLED, after, Words(known.title, ""), feature, None)

    async def _news(
        self, change: Change, known: Known, words: Words, feature: Feature | None, people: int | None
    ) -> Outcome:
        subscription, severity = self.subscription, self.subscription.severity
        news = News(
            subscription=subscription.name,
            change=change,
            collection=subscription.collection,
            item=known.item,
            revision=known.revision + 1,
            title=words.title,
            summary=words.summary,
            severity=feature["properties"].get(severity.property_) if feature is not None and severity else None,
            people=people,
            address=item_address(self.base, subscription.collection, known.item),
            time=self.now,
            feature=feature,
        )
        bodies = {
            "webhook": cloud_event(news) if subscription.webhook is not None else None,
            "mail": mail_text(news, _KINDS[change]) if subscription.mail is not None else None,
            "cap": await self._alert(news, known) if subscription.cap is not None else None,
        }
        after = replace(known, is_told=True, revision=news.revision, title=words.title, cap=bodies["cap"])
        messages = [(channel, news.key, body) for channel, body in bodies.items() if body is not None]
        return Outcome(after, self.now if feature is not None else None, messages)

    async def _alert(self, news: News, known: Known) -> str | None:
        """Return the alert: of a deleted event from the last one, None without it."""
        if news.feature is None:
            return None if known.cap is None else later_alert(known.cap, known.cap, news)
        alert = await self.service.alert(news.collection, news.item)
        return (
            new_alert(alert, news)
            if news.change == Change.NEW or known.cap is None
            else later_alert(alert, known.cap, news)
        )
