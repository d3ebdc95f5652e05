"""HTTP plumbing of all services: the only place for aiohttp middleware, negotiation, orjson and HTML.

Stands on ogc, tracing.
"""
