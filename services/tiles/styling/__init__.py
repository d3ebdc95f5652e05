"""MapLibre styles: a collection's look, and the basemap below it."""
