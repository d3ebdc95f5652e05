"""The operator's file of subscriptions: who gets which news, and how. example.yaml is one."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from libs.ogc.link import is_web_address


class ConfigurationError(ValueError):
    """The file is invalid; the message names each fault and its location."""


def _web_address(text: str) -> str:
    if not is_web_address(text):
        raise ValueError("must be an http or https address without a password")
    return text.rstrip("/")


def _mailbox(text: str) -> str:
    name, _, domain = text.rpartition("@")
    if not name or not domain or not text.isascii() or set(text) & set("\r\n <>,;"):
        raise ValueError(f"must be an e-mail address such as duty@example.org, not {text!r}")
    return text


def _name(text: str) -> str:
    if not text or not all(each.isascii() and (each.isalnum() or each in "-_") for each in text):
        raise ValueError("must have letters, digits, - and _ only")
    return text


Address = Annotated[str, AfterValidator(_web_address)]
Mailbox = Annotated[str, AfterValidator(_mailbox)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class MailServer(_Section):
    """The server that sends the mail."""

    server: str
    port: Annotated[int, Field(strict=True, ge=1, le=65535)] = 587
    security: Literal["starttls", "tls", "none"] = "starttls"
    user: str | None = None
    password_file: Path | None = None
    sender: Mailbox

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.user is None) != (self.password_file is None):
            raise ValueError("user and password_file belong together")
        if self.user is not None and self.security == "none":
            raise ValueError("a password must not be sent without encryption: use starttls or tls")
        return self


class Severity(_Section):
    """The property that says how severe an event is, and the values from which it is news, the mildest first."""

    property_: Annotated[str, Field(alias="property")]
    steps: Annotated[tuple[float | str, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if len({type(step) is str for step in self.steps}) > 1:
            raise ValueError("steps must be all words or all numbers")
        if not self.is_of_words and list(self.steps) != sorted(set(self.steps), key=float):
            raise ValueError("steps must ascend")
        return self

    @property
    def is_of_words(self) -> bool:
        """Return whether the values are words such as Orange."""
        return isinstance(self.steps[0], str)


class Webhook(_Section):
    """An address that receives CloudEvents. token_file: the bearer token that the receiver expects."""

    url: Address
    token_file: Path | None = None
    allow_private: Annotated[bool, Field(strict=True)] = False


class Mail(_Section):
    """Recipients of mail."""

    to: Annotated[tuple[Mailbox, ...], Field(min_length=1)]


class Cap(_Section):
    """The folder or address that receives alerts of the Common Alerting Protocol."""

    folder: Path | None = None
    url: Address | None = None
    token_file: Path | None = None
    allow_private: Annotated[bool, Field(strict=True)] = False

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.folder is None) == (self.url is None):
            raise ValueError("name a folder or a url")
        return self


class Subscription(_Section):
    """A selection of events, and where their news are sent."""

    name: Annotated[str, AfterValidator(_name)]
    collection: str
    bbox: Annotated[tuple[float, ...], Field(min_length=4, max_length=4)] | None = None
    filter: str | None = None
    days: Annotated[int, Field(strict=True, ge=1, le=366)] = 7
    """Events without a duration are news for this time."""
    severity: Severity | None = None
    people: tuple[Annotated[int, Field(strict=True, ge=1)], ...] = ()
    """Numbers of people in the strongest zone of the event from which it is news, ascending."""
    webhook: Webhook | None = None
    mail: Mail | None = None
    cap: Cap | None = None

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if not self.channels:
            raise ValueError("name at least one of webhook, mail and cap")
        if list(self.people) != sorted(set(self.people)):
            raise ValueError("people must ascend")
        if self.bbox is not None and not (-90 <= self.bbox[1] <= self.bbox[3] <= 90):
            raise ValueError("bbox must be west, south, east, north, in degrees")
        return self

    @property
    def channels(self) -> list[str]:
        """Return the channels by which news are sent."""
        return [name for name in ("webhook", "mail", "cap") if getattr(self, name) is not None]

    @property
    def fingerprint(self) -> str:
        """Return a digest of the selection: another selection begins without news of what it finds at first."""
        chosen = self.model_dump(mode="json", exclude={"webhook", "mail", "cap"})
        return hashlib.sha256(json.dumps(chosen, sort_keys=True).encode()).hexdigest()[:16]


class Configuration(_Section):
    """A whole file."""

    service: Address
    every_seconds: Annotated[int, Field(strict=True, ge=1, le=3600)] = 15
    mail: MailServer | None = None
    subscriptions: Annotated[tuple[Subscription, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        names = [each.name for each in self.subscriptions]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"subscriptions have the same name: {', '.join(twice)}")
        wanting = [each.name for each in self.subscriptions if each.mail is not None]
        if wanting and self.mail is None:
            raise ValueError(f"mail is missing: the server that sends the mail of {', '.join(wanting)}")
        return self

    def by_name(self) -> dict[str, Subscription]:
        """Return the subscriptions by name."""
        return {each.name: each for each in self.subscriptions}


def read(file: Path) -> Configuration:
    """Return the checked content of a file. Raises ConfigurationError with every fault."""
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(f"{file}: {error}") from None
    try:
        found = Configuration.model_validate({} if content is None else content)
    except ValidationError as error:
        raise ConfigurationError(f"{file}: {'; '.join(_sentence(each, content) for each in error.errors())}") from None
    faults = [f"{path} cannot be read" for path in _secrets(found) if not _is_readable(path)]
    folders = [each.cap.folder for each in found.subscriptions if each.cap is not None and each.cap.folder is not None]
    faults += [f"{folder} is not a folder" for folder in folders if not folder.is_dir()]
    if faults:
        raise ConfigurationError(f"{file}: {'; '.join(faults)}")
    return found


def secret(file: Path) -> str:
    """Return the content of a file with a password or token. Raises OSError."""
    return file.read_text(encoding="utf-8").strip()


def _secrets(found: Configuration) -> Iterable[Path]:
    senders: list[MailServer | Webhook | Cap | None] = [found.mail]
    for each in found.subscriptions:
        senders += [each.webhook, each.cap]
    for sender in senders:
        path = sender.password_file if isinstance(sender, MailServer) else sender.token_file if sender else None
        if path is not None:
            yield path


def _is_readable(file: Path) -> bool:
    try:
        return bool(secret(file))
    except (OSError, UnicodeDecodeError):
        return False


_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is unknown",
    "model_type": "must have members",
    "string_type": "must be a text",
    "tuple_type": "must be a list",
    "int_type": "must be a whole number",
}
"""Messages for authors of YAML by kind of fault; the library's own messages use Python's terms."""


def _sentence(fault: ErrorDetails, content: Any) -> str:
    """Return the place of the fault, with the name of the subscription, and the fault."""
    steps = [each for each in fault["loc"] if not (isinstance(each, str) and each in ("float", "str"))]
    if len(steps) > 1 and steps[0] == "subscriptions" and isinstance(steps[1], int):
        entry = content["subscriptions"][steps[1]]
        name = entry.get("name") if isinstance(entry, dict) else None
        steps[1] = name if isinstance(name, str) else steps[1] + 1
    where = ".".join(map(str, steps))
    said = str(fault["ctx"]["error"]) if fault["type"] == "value_error" else _WORDS.get(fault["type"], fault["msg"])
    return f"{where}: {said}" if where else said
