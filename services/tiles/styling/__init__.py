"""MapLibre styles: the look of a collection, and the basemap below it."""
