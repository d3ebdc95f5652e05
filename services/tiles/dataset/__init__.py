"""Resources of the whole dataset: tiles of several collections (OGC API Tiles, `dataset-tilesets`)."""
