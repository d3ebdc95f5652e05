"""A client that keeps its connection, as browsers do, and never asks twice."""

from __future__ import annotations

from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer."""

    status: int
    headers: HTTPMessage
    body: bytes


class Client:
    """For one thread. `base_url` is the address of the service, such as `http://127.0.0.1:8080/api`."""

    def __init__(self, base_url: str) -> None:
        address = urlsplit(base_url)
        self._prefix = address.path
        self._connection = HTTPConnection(address.netloc, timeout=30)

    def get(self, path: str, **headers: str) -> Answer:
        """The answer. Raises OSError or HTTPException where there is none, or where it is shorter than it said."""
        return self._ask("GET", path, headers)

    def head(self, path: str, **headers: str) -> Answer:
        """The same without the body."""
        return self._ask("HEAD", path, headers)

    def leave(self, path: str) -> None:
        """Asks and goes before there can be an answer."""
        self.close()
        self._connection.request("GET", f"{self._prefix}{path}")
        self.close()

    def close(self) -> None:
        """Closes the connection; the next request opens another one."""
        self._connection.close()

    def _ask(self, method: str, path: str, headers: dict[str, str]) -> Answer:
        self._connection.request(method, f"{self._prefix}{path}", headers=headers)
        response = self._connection.getresponse()
        return Answer(response.status, response.headers, response.read())
