"""Traces of requests and statements (W3C Trace Context, OpenTelemetry): the only place for OpenTelemetry's packages.

Stands on nothing.
"""
