"""The tree of domain errors. `libs.web` maps each to a status; this module does not depend on HTTP."""

from dataclasses import dataclass

CHANGING = "The collection is changing; try again in a moment."
"""The database has changed since the catalogue was read, a few seconds ago."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a request: its location (`("query", "bbox")`), its message, and the given value."""

    loc: tuple[str, ...]
    msg: str
    input: object = None
    type: str = "value_error"

    def to_json(self) -> dict[str, object]:
        """Return a ValidationError of the contract."""
        return {"type": self.type, "loc": list(self.loc), "msg": self.msg, "input": self.input}


class DomainError(Exception):
    """An error that a request is answered with."""


class InvalidParameters(DomainError):
    """One or more parameters are malformed, unknown or out of range; contains every fault found."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(fault.msg for fault in faults))
        self.faults = tuple(faults)


class MalformedRequest(InvalidParameters):
    """Invalid parameters of a resource whose standard requires status 400, in any mode of the service."""


class Uncomputable(InvalidParameters):
    """The database cannot compute with a value of the request, or, if the request has none, with a stored one."""


class UnknownFunction(InvalidParameters):
    """The database has no such function: one of the filter, or else the one that is the collection."""


class NotFound(DomainError):
    """The resource does not exist."""


class Gone(DomainError):
    """The resource existed, but not at the requested time."""

    def __init__(self, message: str, link: str) -> None:
        super().__init__(message)
        self.link = link


class NotAcceptable(DomainError):
    """None of the available representations fits the client's `Accept`."""


class Unavailable(DomainError):
    """A server that the response needs is unavailable or too slow; worth a retry."""

    cause = "other"
    """Name of the reason in metrics: from the program, never from a client."""

    def __init__(self, message: str, *, retry_after: int = 2, cause: str | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.cause = cause or self.cause


class Restarting(Unavailable):
    """A server that the response needs closed its connections or accepts none, as during a restart."""

    elsewhere = False
    """Whether another server may answer at once."""


class TooSlow(Unavailable):
    """The statement exceeded its timeout."""

    cause = "slow"

    def __init__(self, message: str = "The database took too long to answer; ask for less, or try again.") -> None:
        super().__init__(message, retry_after=5)


class StoredValueError(Unavailable):
    """The database cannot compute a stored value, such as a geometry outside the area of its CRS."""

    cause = "value"

    def __init__(self) -> None:
        super().__init__(
            "The database cannot work out a stored value, such as a geometry outside the area of its CRS."
            " A filter or geom-column=none may leave it out.",
            retry_after=60,
        )
