"""Encode features: one module per format."""
