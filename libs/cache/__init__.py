"""The shared cache in Redis. The only place that imports redis.

Stands on concurrency.
"""
