"""Whose word is taken."""

from __future__ import annotations

import pytest

from libs.web.networks import Networks

TRUSTED = Networks.parse("10.0.0.7/8, ::1,,192.0.2.1 ")


@pytest.mark.parametrize(
    ("address", "within"),
    [
        ("10.255.0.1", True),
        ("11.0.0.1", False),
        ("192.0.2.1", True),
        ("192.0.2.2", False),
        ("::1", True),
        ("::2", False),
        ("proxy.example", False),
        # a peer on a Unix socket has no address
        ("", False),
    ],
)
def test_addresses(address: str, within: bool) -> None:
    for _ in range(2):
        assert (address in TRUSTED) is within


def test_peers_on_a_unix_socket_are_named() -> None:
    assert "" in Networks.parse("127.0.0.1, unix")
    assert "127.0.0.1" in Networks.parse("127.0.0.1, unix")
    assert "127.0.0.1" not in Networks.parse("unix")
    assert "" not in Networks.parse("")
    with pytest.raises(ValueError, match="unixes"):
        Networks.parse("unixes")
