"""Advisories of some seasons, and names of storms: facts of NOAA in the public domain; `make.py` made the files."""
