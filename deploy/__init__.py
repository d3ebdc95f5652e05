"""Deployment: database schema, demo data, the local stack."""
