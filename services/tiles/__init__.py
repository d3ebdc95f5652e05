"""OGC API Tiles: tile matrix sets, tilesets, vector tiles, TileJSON, style."""
