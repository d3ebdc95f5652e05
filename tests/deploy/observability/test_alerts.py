"""Each rule of Prometheus fires where it should, and none while all is well: by Prometheus's own promtool."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.architecture.documents import REPOSITORY

RULES = [REPOSITORY / "deploy/observability/alerts.yaml", REPOSITORY / "deploy/loader/alarms.yaml"]

TILE = 'route="/collections/{collectionId}/tiles/{tileMatrixSetId}/{z}/{x}/{y}",status="200"'
ERRORS = {
    'dams_gateway_requests_total{status="200"}': "0+980x420",
    'dams_gateway_requests_total{status="503"}': "0+20x420",
}
SLOW_TILES = {
    f'dams_request_seconds_bucket{{{TILE},le="1.0"}}': "0+80x420",
    f"dams_request_seconds_count{{{TILE}}}": "0+100x420",
}

BAD: dict[str, tuple[dict[str, str], str]] = {
    "DamsProcessAway": ({'up{job="dams"}': "0x60"}, "5m"),
    "DamsServiceUnpublished": ({"dams_gateway_published_services": "3x60"}, "5m"),
    "DamsPartsRefused": ({"dams_gateway_refused_parts_total": "0x5 1x5"}, "7m"),
    "DamsErrors": (
        {
            'dams_gateway_requests_total{status="200"}': "0+950x60",
            'dams_gateway_requests_total{status="503"}': "0+50x60",
        },
        "15m",
    ),
    "DamsMistakes": ({'dams_request_seconds_count{status="500",route="/"}': "0x5 1x10"}, "8m"),
    "DamsAnswersBroken": ({'dams_broken_answers_total{route="/"}': "0+1x60"}, "15m"),
    "DamsRefuses": ({'dams_unavailable_total{cause="pool"}': "0+60x60"}, "15m"),
    "DamsSlow": (
        {
            'dams_request_seconds_bucket{route="/",le="2.5"}': "0+90x60",
            'dams_request_seconds_bucket{route="/",le="5"}': "0+100x60",
            'dams_request_seconds_bucket{route="/",le="+Inf"}': "0+100x60",
        },
        "20m",
    ),
    "DamsClientsLeave": (
        {"dams_cancelled_requests_total": "0+10x60", "dams_request_seconds_count": "0+100x60"},
        "25m",
    ),
    "DamsPoolFull": ({"dams_database_waiting": "5x60"}, "15m"),
    "DamsTileQueueFull": ({"dams_tile_queue": "95x60", "dams_tile_queue_limit": "100x60"}, "15m"),
    "DamsExportsFull": ({"dams_exports_running": "2x60", "dams_exports_limit": "2x60"}, "15m"),
    "DamsRedisAway": ({"dams_tile_cache_available": "0x60"}, "5m"),
    "DamsListenersDropped": ({"dams_change_listeners_dropped_total": "0+5x60"}, "15m"),
    "DamsMemoryGrows": ({'process_resident_memory_bytes{job="dams"}': "800000000x60"}, "20m"),
    "DamsVersionsOld": ({"dams_data_versions_timestamp_seconds": "0x60"}, "5m"),
    "DamsCatalogueOld": ({"dams_catalogue_timestamp_seconds": "0x60"}, "10m"),
    "DamsPurgesFail": ({'dams_purges_total{result="failed"}': "0+1x60"}, "15m"),
    "DamsAvailabilityBurnsFast": (ERRORS, "70m"),
    "DamsAvailabilityBurnsSlowly": (ERRORS, "400m"),
    "DamsTilesBurnFast": (SLOW_TILES, "70m"),
    "DamsTilesBurnSlowly": (SLOW_TILES, "400m"),
    "DamsSourceSilent": (
        {
            'dams_loader_checked_timestamp_seconds{source="a"}': "0x60",
            'dams_loader_rhythm_seconds{source="a"}': "60x60",
        },
        "40m",
    ),
    "DamsLoaderAway": (
        {'dams_loader_leading{source="a"}': "0x60", 'dams_loader_rhythm_seconds{source="a"}': "60x60"},
        "20m",
    ),
    "DamsDocumentUnreadable": (
        {'dams_loader_loads_total{source="a",outcome="unreadable"}': "0+1x60"},
        "15m",
    ),
    "DamsRecordsRejected": (
        {
            'dams_loader_last_read_records{source="a"}': "100x60",
            'dams_loader_last_rejected_records{source="a"}': "6x60",
        },
        "40m",
    ),
    "DamsWithdrawalsWithheld": ({'dams_loader_withheld_withdrawals{source="a"}': "0x5 12x30"}, "8m"),
    "DamsJobSilent": (
        {'kube_cronjob_status_last_successful_time{cronjob="loader-gdacs-floods"}': "-20000x60"},
        "5m",
    ),
    "DamsWeeklyJobSilent": (
        {'kube_cronjob_status_last_successful_time{cronjob="loader-ibtracs"}': "-2000000x60"},
        "5m",
    ),
}
"""For each rule: series, a value a minute, and when it fires."""

WELL = {
    'up{job="dams"}': "1x60",
    "dams_gateway_published_services": "4x60",
    "dams_gateway_refused_parts_total": "3x60",
    'dams_gateway_requests_total{status="200"}': "0+2000x60",
    'dams_gateway_requests_total{status="503"}': "0+1x60",
    'dams_request_seconds_count{status="500",route="/"}': "1x60",
    "dams_cancelled_requests_total": "0+1x60",
    'dams_broken_answers_total{route="/"}': "7x60",
    'dams_unavailable_total{cause="pool"}': "0+1x60",
    'dams_request_seconds_bucket{route="/",le="2.5"}': "0+100x60",
    'dams_request_seconds_bucket{route="/",le="+Inf"}': "0+100x60",
    'dams_request_seconds_count{status="200",route="/"}': "0+100x60",
    f'dams_request_seconds_bucket{{{TILE},le="1.0"}}': "0+999x60",
    f"dams_request_seconds_count{{{TILE}}}": "0+1000x60",
    "dams_database_waiting": "0x60",
    "dams_tile_queue": "20x60",
    "dams_tile_queue_limit": "100x60",
    "dams_exports_running": "1x60",
    "dams_exports_limit": "2x60",
    "dams_tile_cache_available": "1x60",
    "dams_change_listeners_dropped_total": "9x60",
    'process_resident_memory_bytes{job="dams"}': "90000000x60",
    "dams_data_versions_timestamp_seconds": "0+60x60",
    "dams_catalogue_timestamp_seconds": "0+60x60",
    'dams_purges_total{result="failed"}': "5x60",
    'dams_loader_checked_timestamp_seconds{source="a"}': "0+60x60",
    'dams_loader_rhythm_seconds{source="a"}': "60x60",
    'dams_loader_leading{source="a"}': "1x60",
    'dams_loader_loads_total{source="a",outcome="unreadable"}': "3x60",
    'dams_loader_last_read_records{source="a"}': "100x60",
    'dams_loader_last_rejected_records{source="a"}': "4x60",
    'dams_loader_withheld_withdrawals{source="a"}': "0x60",
    'kube_cronjob_status_last_successful_time{cronjob="loader-gdacs-floods"}': "0+60x60",
}


def promtool() -> str:
    """The program; `bootstrap.sh test` takes it out of Debian's package."""
    path = f"{REPOSITORY / '.local/tools'}:/usr/bin:/usr/local/bin"
    program = shutil.which("promtool") or shutil.which("promtool", path=path)
    assert program, "promtool is missing: `make test-environment` takes it out of the system's package prometheus"
    return program


def case(series: dict[str, str], at: str, expression: str, samples: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [{"expr": expression, "eval_time": at, "exp_samples": samples}],
    }


def run(folder: Path, cases: list[dict[str, Any]]) -> subprocess.CompletedProcess[str]:
    file = folder / "cases.yaml"
    file.write_text(yaml.safe_dump({"rule_files": [str(path) for path in RULES], "tests": cases}))
    return subprocess.run([promtool(), "test", "rules", str(file)], capture_output=True, text=True, check=False)


def firing(name: str, series: dict[str, str], at: str) -> dict[str, Any]:
    return case(series, at, f'count(ALERTS{{alertname="{name}",alertstate="firing"}})', [{"labels": "{}", "value": 1}])


def test_each_rule_fires(tmp_path: Path) -> None:
    groups = [group for path in RULES for group in yaml.safe_load(path.read_text())["groups"]]
    assert sorted(rule["alert"] for group in groups for rule in group["rules"]) == sorted(BAD)
    done = run(tmp_path, [firing(name, series, at) for name, (series, at) in BAD.items()])
    assert done.returncode == 0, done.stdout + done.stderr


def test_none_fires_while_all_is_well(tmp_path: Path) -> None:
    done = run(tmp_path, [case(WELL, f"{minute}m", "ALERTS", []) for minute in (1, 20, 50)])
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_rule_that_does_not_fire_is_noticed(tmp_path: Path) -> None:
    done = run(tmp_path, [firing("DamsRedisAway", {"dams_tile_cache_available": "1x60"}, "5m")])
    assert done.returncode != 0


@pytest.mark.parametrize(
    ("name", "series", "at"),
    [
        # errors use the whole budget at once and then stop: the short window ends the alert
        (
            "DamsAvailabilityBurnsFast",
            {**ERRORS, 'dams_gateway_requests_total{status="503"}': "0+20x60 1200x60"},
            "75m",
        ),
        ("DamsTilesBurnFast", {**SLOW_TILES, f'dams_request_seconds_bucket{{{TILE},le="1.0"}}': "0+95x420"}, "70m"),
    ],
)
def test_a_budget_that_is_hardly_used_raises_no_alert(
    tmp_path: Path, name: str, series: dict[str, str], at: str
) -> None:
    expression = f'ALERTS{{alertname="{name}",alertstate="firing"}}'
    done = run(tmp_path, [case(series, at, expression, [])])
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_alert_has_a_severity_and_a_runbook() -> None:
    rules = [rule for path in RULES for group in yaml.safe_load(path.read_text())["groups"] for rule in group["rules"]]
    assert {rule["labels"]["severity"] for rule in rules} == {"critical", "warning", "info"}
    for rule in rules:
        assert rule["annotations"]["runbook"] == f"docs/runbooks.md#{rule['alert'].lower()}"
    headings = re.findall(r"^### (Dams\w+)$", (REPOSITORY / "docs/runbooks.md").read_text(), re.MULTILINE)
    assert sorted(headings) == sorted(rule["alert"] for rule in rules)
