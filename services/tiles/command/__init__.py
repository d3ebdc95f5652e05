"""The `tiles` command."""
