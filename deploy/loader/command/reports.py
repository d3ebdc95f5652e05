"""Reports about sources and loads: for people, or as JSON."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from deploy.loader.loading import Outcome, summary
from deploy.loader.source import Rejected, Source
from deploy.loader.store.bookkeeping import delay_of

_MOST_REASONS = 5
_MOST_NAMES = 1000


def as_lines(source: Source, outcome: Outcome, *, dry_run: bool) -> list[str]:
    """Return a summary for people."""
    if not outcome.is_modified:
        return [f"{source.name}: nothing new"]
    counts = summary(outcome)
    said = ", ".join(f"{number:,} {name}" for name, number in counts.items() if number or name in {"read", "unchanged"})
    lines = [f"{source.name}: {said}{' (dry run: nothing was kept)' if dry_run else ''}"]
    for word, records in (
        ("rejected", outcome.rejected),
        ("left out", outcome.findings.left_out),
        ("repaired", outcome.findings.repaired),
    ):
        lines += _reasons(word, records)
    if withheld := outcome.counts.withheld:
        lines.append(
            f"  withheld, {len(withheld):,}: missing from this document together with unusually many others, and "
            f"withdrawn if a later one does not name them either: {_shorten(withheld)}"
        )
    duplicates = [*outcome.findings.duplicates, *outcome.counts.duplicates]
    if duplicates:
        lines.append(f"  more than once: {_shorten(duplicates)}")
    return lines


def as_json(source: Source, outcome: Outcome, *, dry_run: bool) -> dict[str, Any]:
    """Return the same with the names of all records, up to a thousand of each kind."""
    findings = outcome.findings
    return {
        "source": source.name,
        "status": "done" if outcome.is_modified else "unmodified",
        "dryRun": dry_run,
        "issued": findings.issued.isoformat() if findings.issued else None,
        **summary(outcome),
        "rejectedRecords": [each._asdict() for each in outcome.rejected[:_MOST_NAMES]],
        "leftOutRecords": [each._asdict() for each in findings.left_out[:_MOST_NAMES]],
        "repairedRecords": [each._asdict() for each in findings.repaired[:_MOST_NAMES]],
        "withheldRecords": outcome.counts.withheld[:_MOST_NAMES],
        "duplicateRecords": [*findings.duplicates, *outcome.counts.duplicates][:_MOST_NAMES],
    }


def sources_as_lines(sources: Mapping[str, Source]) -> list[str]:
    """Return all sources, for people."""
    lines = []
    for name, source in sources.items():
        given = "" if list(source.addresses(None)) else " (by --from)"
        tables = ", ".join(sorted({target.table for target in source.targets}))
        lines.append(f"{name:<24} {source.title}{given}; {source.licence}; fills {tables}")
    return lines


def source_as_json(source: Source) -> dict[str, Any]:
    """Return a source as JSON."""
    return {
        "source": source.name,
        "title": source.title,
        "licence": source.licence,
        "licenceUrl": source.licence_url,
        "attribution": source.attribution,
        "rhythmSeconds": int(source.rhythm.total_seconds()),
        "documents": source.documents,
        "addresses": list(source.addresses(None)),
        "tables": sorted({target.table for target in source.targets}),
    }


def state_as_json(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the age of a source in seconds, as JSON."""
    now = datetime.now(UTC)
    times = {
        name: state[name].isoformat() if state[name] else None for name in ("attempted", "checked", "changed", "issued")
    }
    age = int((now - state["checked"]).total_seconds()) if state["checked"] else None
    return {
        "source": state["source"],
        **times,
        "ageSeconds": age,
        "rhythmSeconds": int(state["rhythm"].total_seconds()),
        "delaySeconds": int(delay.total_seconds()) if (delay := delay_of(state)) is not None else None,
        "error": state["message"],
        "isUnfinished": _is_unfinished(state),
        "summary": state["summary"],
    }


def states_as_lines(states: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the age of each source, for people."""
    if not states:
        return ["nothing was loaded yet"]
    now = datetime.now(UTC)
    lines = []
    for name, state in sorted(states.items()):
        checked = f"checked {_format_age(now - state['checked'])}" if state["checked"] else "never loaded completely"
        changed = f", changed {_format_age(now - state['changed'])}" if state["changed"] else ""
        delay = delay_of(state)
        changed += f", last document {_format_age(now - state['issued'])}" if state["issued"] else ""
        changed += f" (loaded after {_span(delay)})" if delay is not None else ""
        failed = f"; FAILED {_format_age(now - state['attempted'])}: {state['message']}" if state["message"] else ""
        unfinished = (
            f"; a load began {_format_age(now - state['attempted'])} and has not ended" if _is_unfinished(state) else ""
        )
        summary = state["summary"] or {}
        noted = "".join(f"; {summary[word]:,} {word}" for word in ("rejected", "withheld") if summary.get(word))
        every = f"published every {_span(state['rhythm'])}, "
        lines.append(f"{name:<24} {every}{checked}{changed}{noted}{failed}{unfinished}")
    return lines


def _is_unfinished(state: Mapping[str, Any]) -> bool:
    """Return whether the last load is still running, or was stopped before it recorded its result."""
    attempted, checked = state["attempted"], state["checked"]
    return bool(attempted and not state["message"] and (checked is None or checked < attempted))


def _format_age(span: timedelta) -> str:
    return f"{_span(span)} ago"


def _span(span: timedelta) -> str:
    seconds = int(span.total_seconds())
    for unit, size in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds // size} {unit}"
    return f"{max(seconds, 0)} s"


def _reasons(word: str, records: list[Rejected]) -> list[str]:
    """Return how often each reason occurred, with some of the records."""
    counted = Counter(each.reason for each in records)
    lines = [
        f"  {word}, {number:,}: {reason}: {_shorten([each.record for each in records if each.reason == reason])}"
        for reason, number in counted.most_common(_MOST_REASONS)
    ]
    if len(counted) > _MOST_REASONS:
        lines.append(f"  {word} for {len(counted) - _MOST_REASONS:,} more reasons; --json tells all")
    return lines


def _shorten(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
