"""The shared cache in Redis. The only place that imports redis.

Stands on concurrency.
"""

from libs.cache import unmeasured as unmeasured
