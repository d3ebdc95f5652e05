"""The objects of the Kubernetes manifests, for the tests of manifests."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

REPOSITORY = Path(__file__).parents[2]
MANIFESTS = REPOSITORY / "deploy" / "kubernetes"


@cache
def objects() -> tuple[Any, ...]:
    """All objects of the default, as the files have them: those of the base and Redis."""
    files = [*sorted((MANIFESTS / "base").glob("*.yaml")), MANIFESTS / "components/redis/redis.yaml"]
    return tuple(
        document
        for file in files
        if file.name != "kustomization.yaml"
        for document in yaml.safe_load_all(file.read_text())
    )


@cache
def built(folder: Path) -> tuple[Any, ...]:
    """Return all objects as kubectl applies them. Skips the test without kubectl."""
    if (kubectl := shutil.which("kubectl")) is None:
        pytest.skip("needs kubectl")
    text = subprocess.run([kubectl, "kustomize", folder], check=True, capture_output=True, text=True).stdout
    return tuple(yaml.safe_load_all(text))


def named(kind: str, name: str) -> Any:
    return next(one for one in objects() if (one["kind"], one["metadata"]["name"]) == (kind, name))


def settings_of_the_default() -> Any:
    """The settings of the base and of Redis in the cluster, which kustomize puts into a ConfigMap."""
    (redis,) = yaml.safe_load((MANIFESTS / "components/redis/kustomization.yaml").read_text())["configMapGenerator"]
    lines = [*(MANIFESTS / "base/settings.env").read_text().splitlines(), *redis["literals"]]
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def pods() -> Iterator[tuple[str, Any, Any]]:
    """Name, pod and its only container of each deployment and job."""
    for one in objects():
        if one["kind"] in {"Deployment", "CronJob"}:
            pods_of = one["spec"]["jobTemplate"]["spec"] if one["kind"] == "CronJob" else one["spec"]
            pod = pods_of["template"]["spec"]
            (container,) = pod["containers"]
            yield one["metadata"]["name"], pod, container


def selected(selector: Any) -> set[str]:
    """The names of the pods that a selector stands for."""
    label = "app.kubernetes.io/name"
    if label in selector.get("matchLabels", {}):
        return {selector["matchLabels"][label]}
    return {value for entry in selector["matchExpressions"] for value in entry["values"]}
