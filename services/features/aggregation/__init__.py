"""Counts of features by term, by range, by time and by place: a request for facets, its SQL, its results."""
