"""Read the collections from the database: tables, views and functions, their columns and extents."""
