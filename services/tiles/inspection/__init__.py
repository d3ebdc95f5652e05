"""The content of a tile for people: decoded with mapbox-vector-tile, as JSON, as a page and on a terminal."""
