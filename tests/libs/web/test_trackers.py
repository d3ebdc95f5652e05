"""Tracking parameters that other sites add to shared links."""

from __future__ import annotations

import pytest

from libs.web.query_params import is_tracking


@pytest.mark.parametrize(
    ("name", "tracks"),
    [
        ("utm_source", True),
        ("utm_", True),
        ("fbclid", True),
        ("gclid", True),
        ("mc_cid", True),
        ("mc_eid", True),
        ("msclkid", True),
        ("utm", False),
        ("f", False),
        ("my_utm_source", False),
    ],
)
def test_names(name: str, tracks: bool) -> None:
    assert is_tracking(name) is tracks
