"""CQL2 text and JSON into one tree."""
