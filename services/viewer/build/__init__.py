"""At set-up: makes `dist/` (browser assets, basemap) from what `npm ci` installed. Nothing here is in an image."""
