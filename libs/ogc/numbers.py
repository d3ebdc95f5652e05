"""Numbers in the values of query parameters."""

import re

INTEGER = re.compile(r"[+-]?\d{1,18}\Z", re.ASCII)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?\Z", re.ASCII)
"""Exponents are short: no value in the database is as large as 10^1000."""
