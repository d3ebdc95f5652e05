"""The metrics that the dashboard and the alert rules use are those that the processes really export."""

from __future__ import annotations

import json
import re
import urllib.request

import prometheus_client
import pytest
import yaml

import deploy.loader.schedule.metrics  # noqa: F401 - they are registered
from tests.architecture.documents import REPOSITORY
from tests.eventually import eventually_true
from tests.running_stack import RunningStack

pytestmark = pytest.mark.system

_OURS = re.compile(r"\b(?:dams|process)_\w+")


def told(text: str) -> set[str]:
    """Return the names of series as queries use them, also of those without a value yet."""
    found = set()
    for name, kind in re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE):
        found |= {f"{name}_{end}" for end in ("bucket", "count", "sum")} if kind == "histogram" else {name}
    return found


def asked() -> dict[str, set[str]]:
    """The metrics that each file names."""
    board = json.loads((REPOSITORY / "deploy/observability/dashboard.json").read_text())
    queries = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    found = {"dashboard": set(_OURS.findall(" ".join(queries)))}
    for file in ("observability/alerts", "loader/alarms"):
        groups = yaml.safe_load((REPOSITORY / f"deploy/{file}.yaml").read_text())["groups"]
        found[file] = set(_OURS.findall(" ".join(rule["expr"] for group in groups for rule in group["rules"])))
    return found


def test_the_dashboard_and_the_rules_name_metrics_that_there_are(stack: RunningStack) -> None:
    known = told(prometheus_client.generate_latest().decode())
    known = {name for name in known if name.startswith("dams_loader_")}
    for url in stack.service_urls.values():
        with urllib.request.urlopen(f"{url}/internal/metrics", timeout=30) as response:  # noqa: S310 - our own
            known |= told(response.read().decode())
    named = asked()
    assert all(named.values())
    assert {file: names - known for file, names in named.items() if names - known} == {}


def test_the_gateway_counts_what_its_cache_had(stack: RunningStack) -> None:
    def count(cache: str) -> float:
        with urllib.request.urlopen(f"{stack.service_urls['gateway_internal']}/internal/metrics") as response:  # noqa: S310
            text = response.read().decode()
        wanted = f'dams_gateway_requests_total{{cache="{cache}",service="tiles",status="200"}} '
        return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(wanted))

    address = f"{stack.base_url}/collections/hazard.hazard_eq_events/tiles/WebMercatorQuad/3/1/2"
    before = count("hit")
    for _ in range(5):
        with urllib.request.urlopen(address, timeout=30):  # noqa: S310
            pass

    eventually_true(lambda: count("hit") >= before + 2)
