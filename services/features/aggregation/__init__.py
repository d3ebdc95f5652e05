"""Count features by term, range, time or place: the facets of a request, their SQL and their results."""
