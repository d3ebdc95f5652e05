"""The tree of domain errors. `libs.web` maps each to a status; nothing else knows about HTTP."""

from dataclasses import dataclass

CHANGING = "The collection is changing; try again in a moment."
"""The catalogue is a few seconds older than what the database holds."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a request: where (`("query", "bbox")`), what, and the value that was given."""

    loc: tuple[str, ...]
    msg: str
    input: object = None
    type: str = "value_error"

    def to_json(self) -> dict[str, object]:
        """A ValidationError of the contract."""
        return {"type": self.type, "loc": list(self.loc), "msg": self.msg, "input": self.input}


class DomainError(Exception):
    """Anything that a request can be answered with instead of what it asked for."""


class InvalidParameters(DomainError):
    """One or more parameters are malformed, unknown or out of range; carries every fault found."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(fault.msg for fault in faults))
        self.faults = tuple(faults)


class Uncomputable(InvalidParameters):
    """The database met a value that it cannot compute with: of the request, or, where that has none, a stored one."""


class UnknownFunction(InvalidParameters):
    """The database lacks a function: one of the filter, or, where there is none, the one that is the collection."""


class NotFound(DomainError):
    """The resource does not exist."""


class NotAcceptable(DomainError):
    """None of the representations offered fits what the client accepts."""


class Unavailable(DomainError):
    """Something the answer needs cannot be reached or takes too long; worth trying again."""

    cause = "other"
    """What metrics call the reason: a word of the program, never of a client."""

    def __init__(self, message: str, *, retry_after: int = 2, cause: str | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.cause = cause or self.cause


class Restarting(Unavailable):
    """What the answer stands on took leave or takes no connections, as while it is restarted."""

    elsewhere = False
    """Whether another server may answer at once."""


class TooSlow(Unavailable):
    """The statement took longer than it may."""

    cause = "slow"

    def __init__(self, message: str = "The database took too long to answer; ask for less, or try again.") -> None:
        super().__init__(message, retry_after=5)


class StoredValueError(Unavailable):
    """The database cannot work out a value that is stored, such as a geometry outside the area of its CRS."""

    cause = "value"

    def __init__(self) -> None:
        super().__init__(
            "The database cannot work out a stored value, such as a geometry outside the area of its CRS."
            " A filter or geom-column=none may leave it out.",
            retry_after=60,
        )
