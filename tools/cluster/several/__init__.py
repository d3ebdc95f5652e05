"""Several processes of features, tiles and the gateway, with the demo data, for the tests of the whole service."""

from __future__ import annotations

from pathlib import Path

from tools.cluster.kubectl import kubectl, make_config_map, pods, wait_until

_HERE = Path(__file__).parent
_DEPLOY = _HERE.parents[2] / "deploy"
_PROCESSES = {"features": 3, "tiles": 2, "gateway": 2}


def deploy() -> None:
    """Deploy beside an existing database; returns when all new processes are ready and the old ones gone."""
    make_config_map("dams", "collections", *(_DEPLOY / name for name in ("collections.yaml", "demo-collections.yaml")))
    kubectl("apply", "-k", str(_HERE))

    def found() -> bool:
        ready = "jsonpath={.status.readyReplicas}"
        return all(
            int(kubectl("-n", "dams", "get", f"deployment/{part}", "-o", ready) or 0) == number
            and len(pods(f"app.kubernetes.io/name={part}")) == number
            for part, number in _PROCESSES.items()
        )

    wait_until(found, f"there are {_PROCESSES} processes")


def variables_for_tests(base_url: str, owner: str) -> str:
    """Return the environment for the whole service's tests there; `owner` is the database role with its password."""
    address = kubectl("-n", "dams-trial", "get", "service", "postgresql", "-o", "jsonpath={.spec.clusterIP}")
    return f"DAMS_TEST_URL={base_url} DAMS_TEST_DATABASE_URL=postgresql://{owner}@{address}/dams"
