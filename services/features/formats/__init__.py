"""Features as bytes: one module for each format."""
