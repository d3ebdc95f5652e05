"""PostgreSQL: the pool, SQL fragments with binds, errors. The only place that imports asyncpg.

Stands on concurrency, ogc, tracing.
"""
