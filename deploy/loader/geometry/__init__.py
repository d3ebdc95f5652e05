"""Prepare shapes of sources for the tables: valid, split at ±180°. Imports no other package of the loader."""
