"""Files of installed distributions, also those that `make up` compressed."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from deploy.loader.places.packaged import SourceMissingError, content, distribution_file


def test_a_file_that_was_compressed_is_found_and_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "made_up_places/data"
    data.mkdir(parents=True)
    about = tmp_path / "made_up_places-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: made-up-places\nVersion: 1\n")
    (about / "RECORD").write_text("made_up_places/data/places.json,,\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    plain, packed = data / "places.json", data / "places.json.gz"
    plain.write_bytes(b"{}")
    assert content(distribution_file("made-up-places", "data/places.json")) == b"{}"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    (about / "RECORD").write_text("made_up_places/data/places.json.gz,,\n")
    assert distribution_file("made-up-places", "data/places.json") == packed
    assert content(packed) == b"{}"
    with pytest.raises(SourceMissingError, match=r"others\.json of made-up-places is missing"):
        distribution_file("made-up-places", "others.json")
