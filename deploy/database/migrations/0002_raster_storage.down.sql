-- Rasters that are stored uncompressed stay readable.
ALTER TABLE impact.raster ALTER COLUMN tif SET STORAGE EXTENDED;
