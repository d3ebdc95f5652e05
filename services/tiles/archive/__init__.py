"""PMTiles: tiles of collections in one file, for maps without the service."""
