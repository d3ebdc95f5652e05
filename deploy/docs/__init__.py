"""Documentation site: `make docs` stages the pages and builds them with MkDocs."""
