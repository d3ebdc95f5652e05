"""OGC API Features: queryables, items, item."""
