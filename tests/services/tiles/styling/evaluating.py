"""Evaluate the expressions of a style with MapLibre's own program."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

MODULES = Path(__file__).parents[4] / "services" / "viewer" / "node_modules"

_EVALUATE = """
import { createExpression, latest } from "@maplibre/maplibre-gl-style-spec";
import { readFileSync } from "node:fs";
const { expression, kind, name, cases, zoom } = JSON.parse(readFileSync(0, "utf8"));
const made = createExpression(expression, latest[`paint_${kind}`][name]);
if (made.result === "error") throw new Error(JSON.stringify(made.value));
console.log(JSON.stringify(cases.map((properties) => made.value.evaluate({ zoom }, { type: 1, properties }))));
"""


def evaluate(
    style: dict[str, Any], layer_id: str, name: str, cases: Sequence[Mapping[str, Any]], zoom: float = 4
) -> Any:
    """Return the value of a layer's property for features with these properties."""
    layer = next(layer for layer in style["layers"] if layer["id"] == layer_id)
    request = {"expression": layer["paint"][name], "kind": layer["type"], "name": name, "cases": cases, "zoom": zoom}
    run = subprocess.run(
        ["node", "--input-type=module", "-e", _EVALUATE],
        cwd=MODULES.parent,
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
