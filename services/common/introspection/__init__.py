"""The collections as the database describes them: tables, views and functions, their columns and extents."""
