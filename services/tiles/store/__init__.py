"""Get tiles from the cache, or render them: cache keys, and the choice of tiles to cache."""
