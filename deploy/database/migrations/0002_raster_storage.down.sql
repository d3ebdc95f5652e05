-- Rasters that are stored uncompressed stay readable.
ALTER TABLE IF EXISTS impact.raster ALTER COLUMN tif SET STORAGE EXTENDED;
