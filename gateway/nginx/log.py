"""The format of nginx's access log: like the services' logs, with the same request id."""

from __future__ import annotations

from gateway.nginx.directives import quoted

_FIELDS = (
    '"time":"$time_iso8601"',
    '"level":"INFO"',
    '"service":"gateway"',
    '"logger":"dams.access"',
    '"message":"request"',
    '"request_id":"$request_id"',
    '"trace_id":"$trace_id"',
    '"client":"$remote_addr"',
    '"method":"$request_method"',
    '"path":"$request_uri"',
    '"status":$status',
    '"bytes":$body_bytes_sent',
    '"seconds":$request_time',
    '"upstream":"$upstream_addr"',
    '"upstream_seconds":"$upstream_response_time"',
    '"cache":"$upstream_cache_status"',
    '"referrer":"$http_referer"',
    '"agent":"$http_user_agent"',
)

_TEXT = '$time_iso8601 $remote_addr "$request" $status $body_bytes_sent $request_time $request_id'


def log_format(kind: str) -> tuple[str, ...]:
    """Arguments of `log_format` after its name; `kind` is `json` or `text`."""
    if kind == "json":
        return ("escape=json", quoted("{" + ",".join(_FIELDS) + "}"))
    return (quoted(_TEXT),)
