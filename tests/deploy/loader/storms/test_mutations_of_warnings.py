"""Warnings, outlooks, decks and bulletins with mutated parts: each is read or refused, and hides no other."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import shapely

from deploy.loader.records.outlooks import FormationArea
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, DocumentError, Findings, Source
from deploy.loader.sources import atcf_decks, jtwc_warnings, nhc_outlooks, tsunami_bulletins
from tests.deploy.loader.earthquake_products import bulletin, centre
from tests.deploy.loader.storms.jtwc_products import SOUTHERN, TCW, web_text
from tests.deploy.loader.storms.test_disturbances import ALERT, OUTLOOK, outlook
from tests.deploy.loader.test_mutations import MUTATIONS, SEED, mutated_line

LINES: list[Callable[[str, random.Random], list[str]]] = [
    lambda _line, _chance: [],
    lambda line, _chance: [line, line],
    lambda line, _chance: [line[: len(line) // 2]],
    lambda _line, _chance: ["x"],
    lambda line, _chance: ["9" * 60 + line],
    lambda line, chance: [line.replace(str(chance.randrange(10)), chance.choice("-9/é "))],
]


def mutated_text(text: str, chance: random.Random) -> str:
    lines = text.splitlines()
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(lines))
        lines[place : place + 1] = chance.choice(LINES)(lines[place], chance) or [""]
    return "\n".join(lines) + "\n"


def resolved(batch: Batch) -> Iterator[Any]:
    """Yield the rows of a batch for an empty database."""
    yield from (row for _, row in batch.rows)
    for recall in batch.recalls:
        yield from resolved(recall.make([]))


def read(source: Source, folder: Path, findings: Findings, *contents: str | bytes) -> list[Any]:
    given = []
    for number, content in enumerate(contents):
        path = folder / f"{number}.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
        given.append(Document(path, path.name, datetime.now(UTC)))
    return [row for batch in source.read(given, findings) for row in resolved(batch)]


@pytest.mark.parametrize("text", [TCW, web_text(), ALERT, OUTLOOK], ids=["data", "text", "alert", "advisory"])
def test_a_mutated_product_of_the_jtwc_hides_no_other(tmp_path: Path, text: str) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    # there are four products
    for _ in range(MUTATIONS // 4):
        mutated = mutated_text(text, chance)
        rows = read(jtwc_warnings.SOURCE, tmp_path, Findings(), mutated, SOUTHERN)
        assert "SH032026" in {row.event_id for row in rows if hasattr(row, "event_id")}, mutated
        for row in rows:
            assert getattr(row, "wind_kt", None) is None or 0 <= row.wind_kt <= 250, mutated


def deck(number: int) -> str:
    lines = (f"AL, {number}, 20250902{hour:02},   , BEST,   0, 150N,  480W,  25, 1008, DB," for hour in (0, 6))
    return "".join(f"{line}\n" for line in lines)


def test_a_mutated_line_of_a_deck_hides_no_other(tmp_path: Path) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for _ in range(MUTATIONS):
        lines = deck(95).splitlines()
        place = chance.randrange(len(lines))
        lines[place] = mutated_line(lines[place], chance)
        findings = Findings()
        rows = read(atcf_decks.SOURCE, tmp_path, findings, "\n".join(lines) + "\n", deck(96))
        assert any(row.event_id.startswith("AL962025") for row in rows), lines
        assert len(findings.rejected) <= 2, lines


def test_a_mutated_area_of_an_outlook_hides_no_other(tmp_path: Path) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    west, east = shapely.box(-90, 12, -80, 18), shapely.box(-55, 12, -45, 18)
    issued = datetime(2025, 9, 1, tzinfo=UTC)
    for _ in range(MUTATIONS // 4):
        area = ["Atlantic", "20%", "60%"]
        area[chance.randrange(3)] = chance.choice(["", "x", "é" * 40, "-1%", "200%", "9" * 60, "20 %", "NaN"])
        content = outlook(tmp_path, issued, (area[0], area[1], area[2], west), ("Atlantic", "0%", "30%", east))
        rows = read(nhc_outlooks.SOURCE, tmp_path, Findings(), content.read_bytes())
        areas = [row.geom.bounds[0] for row in rows if isinstance(row, FormationArea)]
        assert -55 in areas, area


def test_a_damaged_archive_of_an_outlook_is_read_or_refused(tmp_path: Path) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    area = shapely.box(-55, 12, -45, 18)
    content = outlook(tmp_path, datetime(2025, 9, 1, tzinfo=UTC), ("Atlantic", "0%", "30%", area)).read_bytes()
    for _ in range(MUTATIONS // 4):
        damaged = bytearray(content)
        damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        with suppress(DocumentError):
            read(nhc_outlooks.SOURCE, tmp_path, Findings(), bytes(damaged[: chance.choice([None, len(damaged) // 2])]))


def test_a_mutated_bulletin_hides_no_other(tmp_path: Path) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for _ in range(MUTATIONS):
        lines = bulletin("Warning").splitlines()
        place = chance.randrange(1, len(lines) - 1)
        # the document stays XML: only texts are mutated
        start, _, rest = lines[place].partition(">")
        text, _, end = rest.partition("<")
        if end:
            lines[place] = f"{start}>{chance.choice(['', 'x', '9' * 40, '-1', 'NaN', text[:3]])}<{end}"
        findings = Findings()
        content = centre("\n".join(lines), bulletin("Watch", 2))
        given = tmp_path / "atom.xml"
        given.write_text(content)
        list(tsunami_bulletins.SOURCE.read([Document(given, "atom.xml", datetime.now(UTC))], findings))
        assert findings.read == 2, lines
        assert len(findings.rejected) <= 1, lines
