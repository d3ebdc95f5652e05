"""OGC Common: landing page, conformance, collections. The one authority on which collections there are."""
