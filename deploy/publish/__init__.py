"""Publishes what a running service has as files that need no service."""
