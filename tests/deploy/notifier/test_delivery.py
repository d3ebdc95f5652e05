"""Messages reach their receivers at least once, in order, and public addresses only."""

from __future__ import annotations

import ipaddress
import socket
from email.header import decode_header, make_header
from pathlib import Path

import pytest

from deploy.loader.documents import addresses
from deploy.notifier.state import BusyError, State
from tests.deploy.notifier.conftest import Start
from tests.deploy.notifier.receivers import FakeService, Hook, Mailbox


def subjects(hook: Hook) -> list[str]:
    return [event["subject"] for event in hook.received]


async def test_a_failed_delivery_is_repeated_later(start: Start, service: FakeService, hook: Hook) -> None:
    running = await start(webhook={"url": hook.address, "allow_private": True})
    await running.round()
    hook.statuses = [500, 503]
    for item in ("a", "b"):
        service.put(item)
    await running.round()
    # not due yet, and the second one waits for the first
    await running.round()
    assert (len(hook.requests), subjects(hook)) == (1, [])
    running.wait(seconds=16)
    await running.round()
    running.wait(seconds=16)
    await running.round()
    assert len(hook.requests) == 2
    running.wait(seconds=16)
    await running.round()
    assert subjects(hook) == ["a", "b"]
    assert hook.received[0]["id"] == "duty.a.1"


async def test_a_restart_delivers_what_waits(start: Start, service: FakeService, hook: Hook, tmp_path: Path) -> None:
    members = {"webhook": {"url": hook.address, "allow_private": True}}
    running = await start(**members)
    await running.round()
    hook.statuses = [500]
    service.put("a")
    await running.round()
    again = await start(**members)
    assert State.summary_of(tmp_path / "state.sqlite")[0]["waiting"] == 1
    again.wait(minutes=1)
    await again.round()
    assert subjects(hook) == ["a"]
    assert State.summary_of(tmp_path / "state.sqlite")[0]["waiting"] == 0


async def test_a_receiver_says_when_to_come_back(start: Start, service: FakeService, hook: Hook) -> None:
    running = await start(webhook={"url": hook.address, "allow_private": True})
    await running.round()
    hook.statuses, hook.headers = [429], {"Retry-After": "120"}
    service.put("a")
    await running.round()
    running.wait(seconds=100)
    await running.round()
    assert len(hook.requests) == 1
    running.wait(seconds=30)
    await running.round()
    assert subjects(hook) == ["a"]


async def test_a_message_is_lost_after_three_days(
    start: Start, service: FakeService, hook: Hook, tmp_path: Path
) -> None:
    running = await start(webhook={"url": hook.address, "allow_private": True}, days=30)
    await running.round()
    hook.statuses = [500] * 500
    service.put("a")
    for _ in range(80):
        await running.round()
        running.wait(hours=1)
    [summary] = State.summary_of(tmp_path / "state.sqlite")
    assert (summary["waiting"], summary["lost"]) == (0, 1)
    assert "lost after" in running.lines[-1]


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/x", "http://[::ffff:127.0.0.1]:9/x", "http://[::1]:9/x"])
async def test_private_addresses_are_refused(start: Start, service: FakeService, address: str) -> None:
    running = await start(webhook={"url": address})
    await running.round()
    service.put("a")
    await running.round()
    assert "private address" in running.lines[-1]


async def test_the_checked_address_is_the_one_that_is_used(
    start: Start, service: FakeService, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that leads to a public address first and to a private one later."""
    port = hook.address.rpartition(":")[2]
    asked: list[str] = []

    async def resolved(host: str) -> list[addresses.IPAddress]:
        asked.append(host)
        return [ipaddress.ip_address("127.0.0.1")]

    monkeypatch.setattr("deploy.notifier.sending.addresses_of", resolved)
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *_args, **_more: pytest.fail(f"{host} is resolved again"))
    running = await start(webhook={"url": f"http://hooks.example.org:{port}", "allow_private": True})
    await running.round()
    service.put("a")
    await running.round()
    assert asked == ["hooks.example.org"]
    assert subjects(hook) == ["a"]
    assert hook.requests[0].headers["Host"] == f"hooks.example.org:{port.partition('/')[0]}"


async def test_a_token_is_sent_and_redirections_are_not_followed(
    start: Start, service: FakeService, hook: Hook, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("secret\n")
    running = await start(webhook={"url": hook.address, "allow_private": True, "token_file": str(tmp_path / "token")})
    await running.round()
    hook.statuses, hook.headers = [302], {"Location": hook.address}
    service.put("a")
    await running.round()
    assert hook.requests[0].headers["Authorization"] == "Bearer secret"
    assert len(hook.requests) == 1
    assert "name the final address" in running.lines[-1]
    assert "secret" not in "".join(running.lines)


async def test_mail_is_sent_to_all_recipients(start: Start, service: FakeService, mailbox: Mailbox) -> None:
    server = {"server": "127.0.0.1", "port": mailbox.port, "security": "none", "sender": "alerts@example.org"}
    to = ["duty@example.org", "gone@example.org"]
    mailbox.refused = {"gone@example.org"}
    running = await start(server, mail={"to": to})
    await running.round()
    service.put("a", title="Überschwemmung\nBcc: x@example.org")
    mailbox.is_broken = True
    await running.round()
    mailbox.is_broken = False
    running.wait(minutes=1)
    await running.round()
    [received] = mailbox.mails
    subject = str(make_header(decode_header(received["Subject"])))
    assert subject == "New: Überschwemmung Bcc: x@example.org"
    assert received["Bcc"] is None
    assert received["Message-ID"] == "<duty.a.1@example.org>"
    text = received.get_payload(decode=True).decode()  # type: ignore[union-attr]
    assert "a: 12,000 people" in text
    assert "https://maps.example.org/api/collections/public.alerts/items/a?f=html" in text


async def test_one_receiver_does_not_wait_for_another(
    start: Start, service: FakeService, hook: Hook, tmp_path: Path
) -> None:
    folder = tmp_path / "alerts"
    folder.mkdir()
    running = await start(webhook={"url": hook.address, "allow_private": True}, cap={"folder": str(folder)})
    await running.round()
    hook.statuses = [500]
    service.put("a")
    await running.round()
    assert [file.name for file in folder.iterdir()] == ["public.alerts.a.xml"]


async def test_alerts_are_posted(start: Start, service: FakeService, hook: Hook) -> None:
    running = await start(cap={"url": hook.address, "allow_private": True})
    await running.round()
    service.put("a")
    await running.round()
    assert hook.requests[0].headers["Content-Type"] == "application/cap+xml"
    assert "<cap:msgType>Alert</cap:msgType>" in hook.received[0]["text"]


async def test_one_notifier_uses_a_state_file(start: Start, hook: Hook, tmp_path: Path) -> None:
    await start(webhook={"url": hook.address})
    with pytest.raises(BusyError):
        State(tmp_path / "state.sqlite")
