"""Delivers messages: by HTTP to public addresses only unless the operator allows others, by SMTP, and into folders."""

import asyncio
import smtplib
import socket
import ssl
import tempfile
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver

from deploy.loader.documents.addresses import IPAddress, addresses_of, is_public
from deploy.loader.documents.fetching import retry_after
from deploy.notifier.configuration import Cap, Configuration, MailServer, Subscription, Webhook, secret
from deploy.notifier.messages import CAP_TYPE, EVENT_TYPE, alert_identifier, mail
from deploy.notifier.state import Message

_TIMEOUT_SECONDS = 30.0
_FIRST_WAIT = timedelta(seconds=15)
_LONGEST_WAIT = timedelta(hours=1)
_GIVEN_UP_AFTER = timedelta(days=3)


class DeliveryError(Exception):
    """A message was not delivered; the message says why. wait: the time that the receiver asked for."""

    def __init__(self, message: str, wait: timedelta | None = None) -> None:
        super().__init__(message)
        self.wait = wait


def next_attempt(message: Message, error: DeliveryError, now: datetime) -> datetime | None:
    """Return the time of the next attempt: twice as late each time, up to an hour. None after three days."""
    if now - message.created > _GIVEN_UP_AFTER:
        return None
    wait = min(_FIRST_WAIT * (1 << min(message.attempts, 20)), _LONGEST_WAIT)
    return now + max(wait, min(error.wait or wait, timedelta(days=1)))


async def deliver(message: Message, subscription: Subscription | None, configuration: Configuration) -> None:
    """Deliver a message by its channel. Raises DeliveryError."""
    if subscription is None or message.channel not in subscription.channels:
        raise DeliveryError("the file does not name this receiver any more")
    if message.channel == "webhook" and subscription.webhook is not None:
        await _post(subscription.webhook.url, message.body, EVENT_TYPE, subscription.webhook)
    elif message.channel == "cap" and subscription.cap is not None:
        await _send_alert(subscription.cap, message.body)
    elif message.channel == "mail" and subscription.mail is not None and configuration.mail is not None:
        written = mail(
            message.body,
            message.key,
            sender=configuration.mail.sender,
            recipients=subscription.mail.to,
            created=message.created,
        )
        try:
            await asyncio.to_thread(_send_mail, configuration.mail, written)
        except (OSError, smtplib.SMTPException, ValueError) as error:
            where = f"{configuration.mail.server}:{configuration.mail.port}"
            raise DeliveryError(f"{where}: {str(error) or type(error).__name__}") from None


async def _send_alert(cap: Cap, alert: str) -> None:
    if cap.url is not None:
        await _post(cap.url, alert, CAP_TYPE, cap)
    elif cap.folder is not None:
        file = cap.folder / f"{quote(alert_identifier(alert), safe=';')[:200]}.xml"
        try:
            await asyncio.to_thread(_write, file, alert)
        except OSError as error:
            raise DeliveryError(str(error)) from None


def _write(file: Path, text: str) -> None:
    """Write a file that readers see complete or not at all."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=file.parent, prefix=".", delete=False) as part:
        part.write(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}')
    Path(part.name).chmod(0o644)
    Path(part.name).replace(file)


async def _post(address: str, body: str, media_type: str, to: Webhook | Cap) -> None:
    """Send to the address that was checked: a name that leads elsewhere a moment later is not resolved again."""
    host = urlsplit(address).hostname or ""
    try:
        found = await addresses_of(host)
    except OSError as error:
        raise DeliveryError(f"{address}: {error}") from None
    if not to.allow_private and not all(map(is_public, found)):
        raise DeliveryError(f"{address}: {host} has a private address ({found[0]}); allow_private permits it")
    headers = {"Content-Type": media_type, "User-Agent": "dams-notifier/1.0"}
    try:
        if to.token_file is not None:
            headers["Authorization"] = f"Bearer {secret(to.token_file)}"
        status, later = await _post_to(address, found, body.encode(), headers)
    except (aiohttp.ClientError, OSError) as error:
        raise DeliveryError(f"{address}: {str(error) or type(error).__name__}") from None
    if 300 <= status < 400:
        raise DeliveryError(f"{address}: status {status}, a redirection; name the final address")
    if not 200 <= status < 300:
        raise DeliveryError(f"{address}: status {status}", retry_after(later))


class _Checked(AbstractResolver):
    """Resolves a name to the addresses that were checked."""

    def __init__(self, addresses: list[IPAddress]) -> None:
        self._addresses = addresses

    async def resolve(self, host: str, port: int = 0, family: int = socket.AF_UNSPEC) -> list[Any]:
        return [
            {
                "hostname": host,
                "host": str(each),
                "port": port,
                "family": socket.AF_INET if each.version == 4 else socket.AF_INET6,
                "proto": 0,
                "flags": socket.AI_NUMERICHOST,
            }
            for each in self._addresses
        ]

    async def close(self) -> None:
        """Hold nothing open."""


async def _post_to(
    address: str, addresses: list[IPAddress], content: bytes, headers: dict[str, str]
) -> tuple[int, str | None]:
    """Send to the first of the addresses that accepts a connection; return status and Retry-After."""
    timeout = aiohttp.ClientTimeout(sock_connect=_TIMEOUT_SECONDS, sock_read=_TIMEOUT_SECONDS)
    # no proxy: it would resolve the name itself
    async with (
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(resolver=_Checked(addresses)), timeout=timeout) as client,
        client.post(address, data=content, headers=headers, allow_redirects=False) as response,
    ):
        return response.status, response.headers.get("Retry-After")


def _send_mail(server: MailServer, message: EmailMessage) -> None:
    """Send to all recipients. Raises OSError, SMTPException if the server accepts none of them."""
    trusted = ssl.create_default_context()
    if server.security == "tls":
        connection: smtplib.SMTP = smtplib.SMTP_SSL(
            server.server, server.port, timeout=_TIMEOUT_SECONDS, context=trusted
        )
    else:
        connection = smtplib.SMTP(server.server, server.port, timeout=_TIMEOUT_SECONDS)
    with connection:
        if server.security == "starttls":
            connection.starttls(context=trusted)
        if server.user is not None and server.password_file is not None:
            connection.login(server.user, secret(server.password_file))
        if refused := connection.send_message(message):
            # sending it again would repeat it for the others
            print(f"warning: {server.server} refuses {', '.join(refused)}", flush=True)
