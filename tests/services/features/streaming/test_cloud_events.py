"""A change in the format of CloudEvents."""

from __future__ import annotations

from datetime import UTC, datetime

from services.features.streaming.cloud_events import cloud_event

BASE, SINCE = "https://example.org/api", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_a_version_is_an_update_of_its_collection() -> None:
    assert cloud_event(BASE, "7", "own.a b/c", "v2", SINCE) == {
        "specversion": "1.0",
        # of several collections at once each has its own
        "id": "7.own.a%20b%2Fc",
        "type": "org.ogc.api.collection.update",
        "source": "https://example.org/api/",
        "subject": "collections/own.a%20b%2Fc",
        "time": "2026-01-02T03:04:05Z",
        "datacontenttype": "application/json",
        "data": {
            "collectionId": "own.a b/c",
            "version": "v2",
            "links": [
                {
                    "rel": "items",
                    "type": "application/geo+json",
                    "href": "https://example.org/api/collections/own.a%20b%2Fc/items?f=geojson",
                }
            ],
        },
    }


def test_without_a_version_it_is_gone_as_of_now() -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    event = cloud_event(BASE, "7", "own.a", None, None)
    time = datetime.fromisoformat(event.pop("time"))
    assert before <= time <= datetime.now(UTC)
    assert time.microsecond == 0
    assert event == {
        "specversion": "1.0",
        "id": "7.own.a",
        "type": "org.ogc.api.collection.delete",
        "source": "https://example.org/api/",
        "subject": "collections/own.a",
    }
