-- GeoTIFFs are compressed already. PostgreSQL tried to compress each again; it only affects rasters written from now on.
ALTER TABLE IF EXISTS impact.raster ALTER COLUMN tif SET STORAGE EXTERNAL;
