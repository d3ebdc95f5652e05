"""OGC Common: landing page, conformance, collections. Only this service decides which collections exist."""
