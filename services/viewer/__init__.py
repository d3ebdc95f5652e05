"""Map Viewer: map pages, the API explorer, browser assets, the basemap."""
