"""At set-up: makes `dist/` (browser assets, basemap) from the packages that `npm ci` installed. Not part of images."""
