"""Delivers messages: by HTTP to public addresses only unless the operator allows others, by SMTP, and into folders."""

import asyncio
import smtplib
import ssl
import tempfile
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import quote

import httpx

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
    url = httpx.URL(address)
    try:
        found = await addresses_of(url.host)
    except OSError as error:
        raise DeliveryError(f"{address}: {error}") from None
    if not to.allow_private and not all(map(is_public, found)):
        raise DeliveryError(f"{address}: {url.host} has a private address ({found[0]}); allow_private permits it")
    headers = {"Host": url.netloc.decode(), "Content-Type": media_type, "User-Agent": "dams-notifier/1.0"}
    try:
        if to.token_file is not None:
            headers["Authorization"] = f"Bearer {secret(to.token_file)}"
        status, later = await _post_to(url, found, body.encode(), headers)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise DeliveryError(f"{address}: {str(error) or type(error).__name__}") from None
    if 300 <= status < 400:
        raise DeliveryError(f"{address}: status {status}, a redirection; name the final address")
    if not 200 <= status < 300:
        raise DeliveryError(f"{address}: status {status}", retry_after(later))


async def _post_to(
    url: httpx.URL, addresses: list[IPAddress], content: bytes, headers: dict[str, str]
) -> tuple[int, str | None]:
    """Send to the first of the addresses that accepts a connection; return status and Retry-After."""
    # a proxy would resolve the name itself
    async with httpx.AsyncClient(timeout=_TIMEOUT_SECONDS, trust_env=False) as client:
        for number, each in enumerate(addresses, start=1):
            target = url.copy_with(host=str(each))
            by_name = {"sni_hostname": url.host}
            try:
                async with client.stream(
                    "POST", target, content=content, headers=headers, extensions=by_name
                ) as response:
                    return response.status_code, response.headers.get("Retry-After")
            except httpx.ConnectError:
                if number == len(addresses):
                    raise
    raise OSError("the name has no address")


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
