"""The filter parameters that items and tiles share, from a request to SQL with binds.

Stands on catalogue, cql, geo, ogc, pg.
"""
