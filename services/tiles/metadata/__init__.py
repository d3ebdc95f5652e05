"""The metadata of a tileset."""
