"""Parse CQL2 text and JSON into one kind of tree."""
