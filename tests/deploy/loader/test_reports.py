"""Reports of a load and of the sources, as text and as JSON."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from deploy.loader.command import reports
from deploy.loader.loading import Outcome
from deploy.loader.source import Findings, Rejected
from deploy.loader.sources import scedc, usgs_geojson
from deploy.loader.sources.registry import SOURCES
from deploy.loader.store.writing import Counts
from tests.architecture.documents import code_in, page


def _lines(outcome: Outcome, *, dry_run: bool = False) -> list[str]:
    return reports.as_lines(usgs_geojson.SOURCE, outcome, dry_run=dry_run)


def test_what_became_of_records_is_counted_and_the_first_are_named() -> None:
    rejected = [Rejected(f"us{n}", "no time") for n in range(5)] + [Rejected("x", f"reason {n}") for n in range(6)]
    findings = Findings(read=1234, rejected=rejected, repaired=[Rejected("y", "a ring")], duplicates=["one"])
    counts = Counts(inserted=3, removed=2, duplicates=["two"])
    assert _lines(Outcome(findings, counts)) == [
        "usgs-earthquakes: 1,234 read, 3 inserted, 0 unchanged, 2 removed, 11 rejected, 1 repaired, 2 duplicates",
        "  rejected, 5: no time: us0, us1, us2 and 2 more",
        *(f"  rejected, 1: reason {n}: x" for n in range(4)),
        "  rejected for 2 more reasons; --json tells all",
        "  repaired, 1: a ring: y",
        "  more than once: one, two",
    ]
    assert _lines(Outcome(Findings(read=1)), dry_run=True) == [
        "usgs-earthquakes: 1 read, 0 unchanged (dry run: nothing was kept)"
    ]
    assert _lines(Outcome(is_modified=False)) == ["usgs-earthquakes: nothing new"]


def test_as_json_no_more_than_a_thousand_are_named() -> None:
    findings = Findings(read=1, rejected=[Rejected("r", "x")] * 1001, repaired=[Rejected("r", "x")] * 1002)
    findings.duplicates += ["d"] * 999
    findings.issued = datetime(2026, 1, 2, tzinfo=UTC)
    said = reports.as_json(usgs_geojson.SOURCE, Outcome(findings, Counts(duplicates=["e", "f"])), dry_run=True)
    assert (said["status"], said["dryRun"], said["issued"]) == ("done", True, "2026-01-02T00:00:00+00:00")
    assert (said["rejected"], said["repaired"], said["duplicates"]) == (1001, 1002, 1001)
    assert [len(said[f"{name}Records"]) for name in ("rejected", "repaired", "duplicate")] == [1000] * 3
    assert said["duplicateRecords"][-1] == "e"
    assert said["rejectedRecords"][0] == {"record": "r", "reason": "x"}
    nothing = reports.as_json(usgs_geojson.SOURCE, Outcome(is_modified=False), dry_run=False)
    assert (nothing["status"], nothing["issued"]) == ("unmodified", None)


def test_sources_say_whether_they_have_an_address() -> None:
    fetched, given = reports.sources_as_lines({"one": usgs_geojson.SOURCE, "two": scedc.SOURCE})
    assert fetched.startswith(f"{'one':<24} ")
    assert ("(by --from)" in fetched, "(by --from)" in given) == (False, True)
    assert fetched.endswith("fills hazard_eq_events")
    said = reports.source_as_json(usgs_geojson.SOURCE)
    assert (said["tables"], said["rhythmSeconds"] > 0, len(said["addresses"])) == (["hazard_eq_events"], True, 1)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-5, "0 s ago"), (0, "0 s ago"), (119, "119 s ago"), (125, "2 min ago"), (7190, "119 min ago"),
        (7210, "2 h ago"), (2 * 86400 - 10, "47 h ago"), (2 * 86400 + 10, "2 d ago"),
    ],
)  # fmt: skip
def test_how_old_a_source_is(seconds: int, said: str) -> None:
    now = datetime.now(UTC)
    state: dict[str, Any] = {
        "source": "a",
        "rhythm": timedelta(hours=6),
        "attempted": now - timedelta(seconds=seconds),
        "checked": now - timedelta(seconds=seconds),
        "changed": None,
        "issued": None,
        "message": None,
        "summary": {"read": 1},
    }
    assert reports.states_as_lines({"a": state}) == [f"{'a':<24} published every 6 h, checked {said}"]
    told = reports.state_as_json(state)
    assert abs(told["ageSeconds"] - seconds) <= 1
    assert (told["changed"], told["error"], told["summary"]) == (None, None, {"read": 1})
    failed = {**state, "checked": None, "changed": now, "message": "it broke"}
    assert reports.states_as_lines({"b": failed, "a": state})[1] == (
        f"{'b':<24} published every 6 h, never loaded completely, changed 0 s ago; FAILED {said}: it broke"
    )
    assert reports.state_as_json(failed)["ageSeconds"] is None
    assert reports.states_as_lines({}) == ["nothing was loaded yet"]
    fresh = {**state, "changed": now, "issued": now - timedelta(minutes=3)}
    assert "changed 0 s ago, last document 3 min ago (loaded after 3 min)" in reports.states_as_lines({"a": fresh})[0]
    assert (reports.state_as_json(fresh)["delaySeconds"], reports.state_as_json(fresh)["rhythmSeconds"]) == (180, 21600)
    # a document without changes has no delay
    assert reports.state_as_json({**fresh, "changed": now - timedelta(minutes=9)})["delaySeconds"] is None


def test_the_terms_of_each_source_are_documented() -> None:
    rows = page("deploy/loader/README.md").table("source", "licence", "attribution", "host")
    documented = {code_in(name)[0]: (licence.content, attribution.content) for name, licence, attribution, _ in rows}
    assert documented.keys() == SOURCES.keys()
    for name, (licence, attribution) in documented.items():
        source = SOURCES[name]
        linked = f"[{source.licence}]({source.licence_url})" if source.licence_url else source.licence
        assert (licence, attribution) == (linked, source.attribution)


def test_each_source_and_collection_is_in_the_table_of_live_sources() -> None:
    said = (Path(__file__).parents[3] / "docs" / "live-sources.md").read_text(encoding="utf-8")
    assert [name for name in SOURCES if f"`{name}`" not in said] == []
    tables = {target.table for source in SOURCES.values() for target in source.targets}
    for table in tables - {"hazard_fl_alerts_mom_runs"}:
        family, _, suffix = table.rpartition("_")
        together = f"`{family}_events`" in said and f"`_{suffix}`" in said
        assert f"`{table}`" in said or together or "advisory" in table, table
