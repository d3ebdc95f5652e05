"""The list of collections for all services: from the database, with the operator's configuration."""
