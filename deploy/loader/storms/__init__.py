"""Storms in their sources' terms: positions, forecasts, and the extent of winds."""
