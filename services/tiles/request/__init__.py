"""A request for a tile as one value."""
