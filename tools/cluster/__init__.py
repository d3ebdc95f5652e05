"""Tests of the manifests on a real cluster under load."""
