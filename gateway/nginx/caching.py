"""What nginx keeps of the services' answers."""

from __future__ import annotations

from gateway.nginx.directives import EmptyBlock, one, quoted

LOCK_SECONDS = 0.3
"""How long a request waits for the answer that another one for its address is getting; nginx looks half a second later
for the first time where it may wait for longer."""


def caching() -> object:
    """What is kept, and for how long, is up to the service's Cache-Control.

    A response without max-age is not kept, nor one with `X-Accel-Expires: 0`, which nginx alone sees. A stale one is
    used as long as its stale-while-revalidate or stale-if-error allows. nginx does not count a service's own 503 among
    the errors of stale-if-error: `proxy_cache_use_stale` does, without a bound, which `gateway.cache_folder` sets.
    """
    return EmptyBlock(
        one("proxy_cache", "responses"),
        one(
            "proxy_cache_key", quoted("$scheme $client_host $service_uri $negotiated $wanted_encoding $wanted_language")
        ),
        # Left to itself nginx keeps a copy for each spelling of the headers that Vary names; the key has their meaning.
        one("proxy_ignore_headers", "Vary"),
        one("proxy_cache_methods", "GET", "HEAD"),
        one("proxy_cache_revalidate", "on"),
        # RFC 9110 section 13.1.3: any time since then, not that very time alone
        one("if_modified_since", "before"),
        one("proxy_cache_background_update", "on"),
        one("proxy_cache_use_stale", "http_503"),
        one("proxy_cache_lock", "on"),
        # What nobody asks for again is not worth a file: writing one costs as much as passing the answer on.
        one("proxy_cache_min_uses", 2),
        # Then they ask, too: who waited for another's answer has as long for one of its own.
        one("proxy_cache_lock_timeout", f"{LOCK_SECONDS * 1000:.0f}ms"),
        one("proxy_no_cache", "$not_cached", "$varies_otherwise"),
    )
