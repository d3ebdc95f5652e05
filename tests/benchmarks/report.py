"""The measurements as a table for people and as JSON for programs."""

from __future__ import annotations

import json
import os
import platform
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.benchmarks.measure import Result, Side
from tests.benchmarks.usage import PRODUCT

_COLUMNS = (
    ("workload", 31),
    ("answers/s", 10),
    ("p50 ms", 9),
    ("p99 ms", 9),
    ("cached", 7),
    ("peer/s", 9),
    ("p50 ms", 9),
    ("p99 ms", 9),
    ("ratio", 9),
    ("limit/s", 10),
    ("of it", 6),
    ("cpu ms", 8),
    ("peer", 8),
    ("ratio", 7),
    ("targets", 0),
)


def header() -> str:
    """The names of the columns."""
    return _line([name for name, _ in _COLUMNS])


def row(result: Result, rates: Mapping[str, float]) -> str:
    """One workload; `rates` are the product's in the workloads before it."""
    product, peer, limit = result.product, result.peer, result.limit_rate
    ours, theirs = _total(product, peer=False), _total(peer, peer=True)
    return _line(
        [
            result.workload.title,
            f"{product.rate:,.1f}",
            f"{_mean(product, 'p50_ms'):,.2f}",
            f"{_mean(product, 'p99_ms'):,.2f}",
            "" if product.cached is None else f"{product.cached:.0%}",
            f"{peer.rate:,.1f}",
            f"{_mean(peer, 'p50_ms'):,.2f}",
            f"{_mean(peer, 'p99_ms'):,.2f}",
            f"{product.rate / peer.rate:,.1f}x" if peer.rate else "",
            f"{limit:,.1f}" if limit else "",
            f"{product.rate / limit:.2f}" if limit else "",
            f"{ours:.2f}",
            f"{theirs:.2f}",
            f"{theirs / ours:.1f}x" if ours else "",
            ", ".join(f"{text}: {'met' if met else 'MISSED'}" for text, met in verdicts(result, rates)),
        ]
    )


def verdicts(result: Result, rates: Mapping[str, float]) -> list[tuple[str, bool]]:
    """Each target of the workload, and whether it is met."""
    workload, rate, found = result.workload, result.product.rate, []
    if workload.of_peer is not None:
        found.append((f"peer x{workload.of_peer:g}", rate >= workload.of_peer * result.peer.rate))
    if workload.of_limit is not None and result.limit_rate:
        found.append((f"limit x{workload.of_limit:g}", rate >= workload.of_limit * result.limit_rate))
    if workload.of_other is not None and workload.of_other[0] in rates:
        other, factor = workload.of_other
        found.append((f"{rates[other] / rate:.2f} of {other}, at most {factor:g}", rates[other] <= factor * rate))
    return found


def _grouped(results: Sequence[Result]) -> dict[str, list[str]]:
    """The titles of the workloads by how caches were kept out of them."""
    groups: dict[str, list[str]] = {}
    for result in results:
        reason = result.workload.uncached or "not at all: these measure the caches"
        groups.setdefault(reason, []).append(result.workload.title)
    return groups


def details(results: Sequence[Result]) -> str:
    """Processor time by part, sizes, memory, remarks, and how caches were kept out."""
    lines = ["", "Processor time, ms per request (= s per 1,000 requests)"]
    for result in results:
        parts = ", ".join(f"{role} {used:.2f}" for role, used in result.product.processor_ms.items() if role != "peer")
        theirs = ", ".join(f"{role} {result.peer.processor_ms.get(role, 0):.2f}" for role in ("peer", "postgresql"))
        lines.append(f"  {result.workload.title:<31} product: {parts} | peer: {theirs}")
    lines += ["", "Answers checked: features, bytes (product, peer)"]
    for result in results:
        lines.append(
            f"  {result.workload.title:<31} {result.features:,.0f} features,"
            f" {result.answer_bytes:,} and {result.peer_bytes:,} bytes"
        )
    if results:
        lines += ["", "Memory after the last load, MiB (proportional set size)"]
        lines.append("  " + ", ".join(f"{role} {size:,.0f}" for role, size in results[-1].memory_mb.items()))
    lines += ["", "How caches were kept out"]
    for reason, titles in _grouped(results).items():
        lines += textwrap.wrap(f"{'; '.join(titles)}: {reason}", 118, initial_indent="  ", subsequent_indent="    ")
    remarks = [f"  {result.workload.title}: {remark}" for result in results for remark in result.remarks]
    return "\n".join([*lines, *(["", "Remarks", *remarks] if remarks else [])])


def write_json(file: Path, results: Sequence[Result], peer_version: str) -> None:
    """All figures, with what they were measured on."""
    rates = {result.workload.name: result.product.rate for result in results}
    document: dict[str, Any] = {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"processors": os.cpu_count(), "system": platform.platform(), "python": platform.python_version()},
        "peer": f"tipg {peer_version}",
        "workloads": {result.workload.name: _document(result, rates) for result in results},
    }
    file.write_text(json.dumps(document, indent=1) + "\n")


def _document(result: Result, rates: Mapping[str, float]) -> dict[str, Any]:
    return {
        "title": result.workload.title,
        "connections": result.workload.connections,
        "caches": result.workload.uncached or None,
        "features": result.features,
        "bytes": {"product": result.answer_bytes, "peer": result.peer_bytes},
        "product": _side(result.product),
        "peer": _side(result.peer),
        "limit": {"of": result.limit_of, "rate": result.limit_rate} if result.limit_rate else None,
        "ratio": result.product.rate / result.peer.rate if result.peer.rate else None,
        "targets": dict(verdicts(result, rates)),
        "memory_mb": result.memory_mb,
        "remarks": result.remarks,
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "rate": side.rate,
        "p50_ms": _mean(side, "p50_ms"),
        "p99_ms": _mean(side, "p99_ms"),
        "cached": side.cached,
        "processor_ms_per_request": side.processor_ms,
        "rounds": [asdict(load) for load in side.loads],
    }


def _mean(side: Side, name: str) -> float:
    return sum(float(getattr(load, name)) for load in side.loads) / len(side.loads)


def _total(side: Side, *, peer: bool) -> float:
    return sum(side.processor_ms.get(role, 0) for role in (("peer", "postgresql") if peer else PRODUCT))


def _line(cells: Sequence[str]) -> str:
    first, *others = [(cell, width) for cell, (_, width) in zip(cells, _COLUMNS, strict=True)]
    texts = [f"{first[0]:<{first[1]}}"] + [f"{cell:>{width}}" if width else f"  {cell}" for cell, width in others]
    return "".join(texts).rstrip()
