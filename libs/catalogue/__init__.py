"""The collections as every service sees them."""
