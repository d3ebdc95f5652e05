"""The content of map pages: data for their script, their policy, and values of their template."""
