"""Lines of logs: in batches, at once where it matters, none lost."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from libs.web.logs import log_request, setup_logs
from tests.eventually import eventually

Written = Callable[[], list[str]]


@pytest.fixture
def written(capsysbinary: pytest.CaptureFixture[bytes]) -> Iterator[Written]:
    """Return the lines written to standard output so far."""
    handlers, level = logging.root.handlers[:], logging.root.level
    lines: list[str] = []

    def so_far() -> list[str]:
        lines.extend(capsysbinary.readouterr().out.decode().splitlines())
        return lines

    yield so_far
    logging.root.handlers[:], logging.root.level = handlers, level


def _entries(written: Written) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written()]


async def test_lines_wait_a_moment_and_a_warning_takes_them_along(written: Written) -> None:
    setup_logs("tiles", "json", "INFO")
    log_request({"path": "/a", "status": 200})
    logging.getLogger("some").info("one", extra={"fields": {"n": 1}})
    logging.getLogger("some").debug("too much")
    assert written() == []
    logging.getLogger("some").warning("two")
    found = _entries(written)
    assert [entry["message"] for entry in found] == ["request", "one", "two"]
    assert [entry["level"] for entry in found] == ["INFO", "INFO", "WARNING"]
    assert (found[0]["path"], found[0]["logger"], found[0]["service"], found[1]["n"]) == (
        "/a",
        "dams.access",
        "tiles",
        1,
    )
    assert all(entry["time"].endswith("+00:00") for entry in found)

    async def later() -> bool:
        return len(written()) == 4

    log_request({"path": "/b"})
    await eventually(later)
    log_request({"path": "/c"})
    assert len(written()) == 4
    for _ in range(250):
        log_request({})
    # this number of lines does not wait
    assert len(written()) == 204


def test_a_line_tells_when_it_was_written_to_the_millisecond(written: Written) -> None:
    setup_logs("tiles", "json", "INFO")
    begun = datetime.now(UTC)
    # without a loop it does not wait
    log_request({"path": "/a"})
    logging.getLogger("some").info("one")
    for entry in _entries(written):
        after = datetime.fromisoformat(entry["time"]) - begun
        # of a time its last digits are cut
        assert timedelta(milliseconds=-2) < after < timedelta(seconds=20)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", entry["time"])
    assert len(_entries(written)) == 2


def test_without_a_loop_nothing_waits_and_a_fault_is_told_with_its_place(written: Written) -> None:
    setup_logs("tiles", "json", "WARNING")
    log_request({"path": "/a"})
    try:
        int("reason")
    except ValueError:
        logging.getLogger("some").exception("broken", extra={"fields": {"path": "/a"}})
    (entry,) = _entries(written)
    assert ("ValueError: invalid literal" in entry["error"], entry["path"]) == (True, "/a")
    # an entry that cannot be written is reported on standard error only
    logging.getLogger("some").error("%d", "no number")
    logging.getLogger("some").error("next")
    assert [entry["message"] for entry in _entries(written)][-1] == "next"


async def test_text_is_for_people(written: Written) -> None:
    setup_logs("tiles", "text", "INFO")
    log_request({"path": "/a"})
    logging.getLogger("some").warning("two")
    first, second = written()
    assert first.endswith("INFO dams.access request path=/a")
    assert second.endswith("WARNING some two")
