"""nginx's cache of the services' responses."""

from __future__ import annotations

from gateway.nginx.directives import EmptyBlock, one, quote

LOCK_SECONDS = 0.3
"""Seconds for which a request waits for a concurrent request with the same address.

With a longer limit, nginx checks for the first time after half a second.
"""


def caching() -> object:
    """Return the directives of the cache. The service's Cache-Control decides what is cached, and for how long.

    A response without max-age is not cached, nor one with `X-Accel-Expires: 0`, which only nginx sees. A stale one is
    used as long as its stale-while-revalidate or stale-if-error allows. For nginx, a 503 from the service itself is no
    error in the sense of stale-if-error: `proxy_cache_use_stale` covers it without a time limit, and
    `gateway.cache_folder` sets the limit.
    """
    return EmptyBlock(
        one("proxy_cache", "responses"),
        one(
            "proxy_cache_key",
            quote("$scheme $client_host $service_uri $negotiated $wanted_encoding $wanted_language $wanted_version"),
        ),
        # nginx would store a copy for each spelling of the headers that Vary names; the key contains their meaning
        # instead.
        one("proxy_ignore_headers", "Vary"),
        one("proxy_cache_methods", "GET", "HEAD"),
        one("proxy_cache_revalidate", "on"),
        # RFC 9110 section 13.1.3: accept any time since then, not only exactly that time
        one("if_modified_since", "before"),
        one("proxy_cache_background_update", "on"),
        one("proxy_cache_use_stale", "http_503"),
        one("proxy_cache_lock", "on"),
        # An address requested only once is not worth a file: writing one costs as much as forwarding the response.
        one("proxy_cache_min_uses", 2),
        # Afterwards it asks the service, too, and still has the service's full timeout.
        one("proxy_cache_lock_timeout", f"{LOCK_SECONDS * 1000:.0f}ms"),
        one("proxy_no_cache", "$not_cached", "$varies_otherwise"),
    )
