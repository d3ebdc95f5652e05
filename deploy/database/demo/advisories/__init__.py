"""Advisories of some seasons, and names of storms: NOAA's facts, in the public domain; `make.py` made the files."""
