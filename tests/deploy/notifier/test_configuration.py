"""A wrong file of subscriptions is refused in plain words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.notifier.__main__ import main
from deploy.notifier.configuration import ConfigurationError, read
from tests.deploy.notifier.conftest import Start
from tests.deploy.notifier.receivers import FakeService

REPOSITORY = Path(__file__).parents[3]
HOOK = {"url": "https://hooks.example.org"}


def refused(tmp_path: Path, content: Any) -> str:
    file = tmp_path / "subscriptions.yaml"
    file.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    with pytest.raises(ConfigurationError) as found:
        read(file)
    return str(found.value).removeprefix(f"{file}: ")


def one(**members: Any) -> dict[str, Any]:
    subscription = {"name": "duty", "collection": "public.alerts", "webhook": HOOK, **members}
    return {"service": "http://127.0.0.1:8080/api", "subscriptions": [subscription]}


def test_the_example_is_a_correct_file() -> None:
    found = read(REPOSITORY / "deploy/notifier/example.yaml")
    assert [each.name for each in found.subscriptions] == ["floods-south-asia", "strong-earthquakes"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "service: is missing; subscriptions: is missing"),
        ("a: [", "while parsing"),
        (one(webhook=None), "subscriptions.duty: name at least one of webhook, mail and cap"),
        (one(bbbox=[1, 2, 3, 4]), "subscriptions.duty.bbbox: is unknown"),
        (one(bbox=[1, 20, 3, 4]), "subscriptions.duty: bbox must be west, south, east, north, in degrees"),
        (one(webhook={"url": "ftp://x"}), "subscriptions.duty.webhook.url: must be an http or https address"),
        (one(webhook={"url": "https://u:p@x.org"}), "subscriptions.duty.webhook.url: must be an http or https address"),
        (one(severity={"property": "m", "steps": [7, 6]}), "subscriptions.duty.severity: steps must ascend"),
        (one(severity={"property": "m", "steps": [7, "Red"]}), "steps must be all words or all numbers"),
        (one(people=[100, 10]), "subscriptions.duty: people must ascend"),
        (one(mail={"to": ["duty@example.org"]}), "mail is missing: the server that sends the mail of duty"),
        (one(mail={"to": ["duty"]}), "subscriptions.duty.mail.to.0: must be an e-mail address"),
        (one(cap={}), "subscriptions.duty.cap: name a folder or a url"),
        (one(cap={"folder": "/nowhere"}), "/nowhere is not a folder"),
        (one(webhook={**HOOK, "token_file": "/nowhere"}), "/nowhere cannot be read"),
    ],
)
def test_a_fault_is_named_with_its_location(tmp_path: Path, content: Any, message: str) -> None:
    assert message in refused(tmp_path, content)


def test_a_password_is_not_sent_without_encryption(tmp_path: Path) -> None:
    server = {"server": "x", "sender": "a@example.org", "security": "none", "user": "a", "password_file": "/p"}
    assert "must not be sent without encryption" in refused(tmp_path, {**one(), "mail": server})


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"collection": "public.alert"}, "duty.collection: the service has no collection 'public.alert'"),
        ({"severity": {"property": "level", "steps": ["Red"]}}, "has no property 'level'; it has id, event_id"),
        ({"severity": {"property": "magnitude", "steps": ["Red"]}}, "magnitude has numbers, so the steps must be"),
        ({"severity": {"property": "alert_level", "steps": [1]}}, "alert_level has words, so the steps must be"),
    ],
)
async def test_a_subscription_is_compared_with_its_collection(
    start: Start, service: FakeService, members: dict[str, Any], message: str
) -> None:
    running = await start(webhook=HOOK, **members)
    await running.round()
    assert message in running.lines[-1]
    assert service.requests


def test_the_command_prints_the_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "subscriptions.yaml"
    file.write_text(yaml.safe_dump(one(people=[2, 1])))
    assert main(["check", str(file)]) == 1
    assert "people must ascend" in capsys.readouterr().err
