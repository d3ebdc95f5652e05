"""The format of nginx's access log: like the services' logs, with the same request id."""

from __future__ import annotations

from gateway.nginx.directives import quote

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
    '"path":"$logged_path"',
    '"status":$status',
    '"bytes":$body_bytes_sent',
    '"seconds":$request_time',
    '"upstream":"$upstream_addr"',
    '"upstream_seconds":"$upstream_response_time"',
    '"cache":"$upstream_cache_status"',
    '"referrer":"$logged_referrer"',
    '"agent":"$logged_agent"',
)

LOGGED = {"$request_uri": "$logged_path", "$http_referer": "$logged_referrer", "$http_user_agent": "$logged_agent"}
"""Variables with arbitrary text from clients, and the variables to log instead."""

UTF8 = (
    r"~^(?:[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|\xed[\x80-\x9f][\x80-\xbf]"
    r"|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}"
    r"|\xf4[\x80-\x8f][\x80-\xbf]{2})*+$"
)
"""JSON is UTF-8 (RFC 8259, section 8.1), but nginx forwards any bytes."""

_TEXT = '$time_iso8601 $remote_addr "$request" $status $body_bytes_sent $request_time $request_id'


def log_format(kind: str) -> tuple[str, ...]:
    """Return arguments of `log_format` after its name; `kind` is `json` or `text`."""
    if kind == "json":
        return ("escape=json", quote("{" + ",".join(_FIELDS) + "}"))
    return (quote(_TEXT),)
