"""The metrics of `overlays/requests-per-second`: Prometheus and its adapter, deployed, and load that makes it scale."""

from __future__ import annotations

import itertools
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPException
from pathlib import Path

from tests.system.asking import Asking
from tests.system.keeping import Client
from tests.system.losing import EVENTS
from tools.cluster.kubectl import MINUTES, kubectl, make_config_map, pods, wait_until

HERE = Path(__file__).parent
OVERLAY = "requests-per-second"
METRIC = "dams_requests_per_second"
_COMPONENT = HERE.parents[2] / "deploy/kubernetes/components/requests-per-second"
_API = "v1beta1.custom.metrics.k8s.io"
ASKED = {"features": f"{EVENTS}/schema", "tiles": f"{EVENTS}/tiles/WebMercatorQuad/tilejson.json"}
"""Cheap requests, by the part that serves them: one that Prometheus reads."""
_CLIENTS = 3
"""Clients of each part: together some hundred requests per second."""
_REASON = f"pods metric {METRIC} above target"


def deploy() -> None:
    """Deploy the metric's source in the trial's namespace. Raises RuntimeError if the cluster has its own."""
    if kubectl("get", "apiservice", "-l", "app!=dams-trial", "-o", "name", "--field-selector", f"metadata.name={_API}"):
        raise RuntimeError(f"{_API} is there already: what the cluster has would be replaced")
    for name in ("prometheus", "adapter"):
        make_config_map("dams-trial", name, _COMPONENT / f"{name}.yaml")
        kubectl("apply", "-f", str(HERE / f"{name}.yaml"))
    for name in ("prometheus", "adapter"):
        kubectl("-n", "dams-trial", "rollout", "status", f"deployment/{name}", f"--timeout={MINUTES}m")


def forget() -> None:
    """Delete what `deploy` created outside of the trial's namespaces: the API first, which blocks namespaces."""
    kubectl("delete", "apiservice,clusterrolebinding,clusterrole", "--ignore-not-found", "-l", "app=dams-trial")
    kubectl("-n", "kube-system", "delete", "rolebinding", "--ignore-not-found", "-l", "app=dams-trial")


def changes(base_url: str) -> list[tuple[str, Callable[[], object]]]:
    """Return the autoscalers' changes while the service gets requests."""
    return [("features and tiles scale by requests a second", partial(_scale, base_url))]


def _scale(base_url: str) -> None:
    """Scale up under load, and down after it; removed processes answer until their end."""
    _have(1)
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    most = dict.fromkeys(ASKED, 0.0)
    outcomes: Counter[str] = Counter()
    fresh = itertools.count(int(time.time() * 1000))
    clients = [(Client(base_url), path) for path in ASKED.values() for _ in range(_CLIENTS)]
    with Asking([partial(_ask, client, path, fresh, outcomes) for client, path in clients], pause=0.02):
        _have(2, lambda part: most.update({part: max(most[part], _requests_seen(part))}))
    for client, _ in clients:
        client.close()
    _have(1)
    print(f"the autoscalers saw at the most, a second and process: {most}; the load: {dict(outcomes)}", flush=True)
    for part in ASKED:
        if not any(_REASON in reason for reason in _reasons(part, since)):
            raise RuntimeError(f"{part} did not scale by requests: {_reasons(part, since)}")
    if outcomes.keys() != {"200"}:
        raise RuntimeError(f"of the load: {dict(outcomes)}")


def _ask(client: Client, path: str, fresh: Iterator[int], outcomes: Counter[str]) -> None:
    # the gateway caches responses by address
    try:
        outcomes[str(client.get(path, Host=f"b{next(fresh)}.example.org").status)] += 1
    except (OSError, HTTPException) as error:
        client.close()
        outcomes[f"{type(error).__name__}: {error}"] += 1


def _have(number: int, look: Callable[[str], object] = lambda part: None) -> None:
    """Return when features and tiles have this many processes each, all ready, and none terminating."""

    def found() -> bool:
        for part in ASKED:
            look(part)
        return all(_ready(part) == len(pods(f"app.kubernetes.io/name={part}")) == number for part in ASKED)

    wait_until(found, f"features and tiles have {number} processes each")


def _ready(part: str) -> int:
    return int(kubectl("-n", "dams", "get", f"deployment/{part}", "-o", "jsonpath={.status.readyReplicas}") or 0)


def _requests_seen(part: str) -> float:
    """Return the autoscaler's value, in requests per second and process."""
    status = json.loads(kubectl("-n", "dams", "get", f"hpa/{part}", "-o", "json"))["status"]
    values = [
        one["pods"]["current"]["averageValue"] for one in status.get("currentMetrics") or () if one["type"] == "Pods"
    ]
    return sum(_number(value) for value in values)


def _number(quantity: str) -> float:
    return int(quantity.removesuffix("m")) / 1000 if quantity.endswith("m") else float(quantity)


def _reasons(part: str, since: str) -> list[str]:
    """Return why the autoscaler changed the number of processes."""
    selected = ("--field-selector", f"involvedObject.name={part},reason=SuccessfulRescale")
    found = json.loads(kubectl("-n", "dams", "get", "events", *selected, "-o", "json"))["items"]
    return [event["message"] for event in found if event["lastTimestamp"] >= since]
