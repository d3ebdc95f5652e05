"""What the metadata of a tileset say of its data."""
