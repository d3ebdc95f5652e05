"""The database: schema, roles and demo data; `python -m deploy.database --help`."""
