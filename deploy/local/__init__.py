"""Local stack without containers: PostgreSQL, Redis, the services and the gateway under one supervisor."""
