"""JSON documents about collections."""
