"""The one list of collections: what the database offers, as the operator configured it, for every service."""
