"""The services' parts: fetch them, merge them strictly, and publish the whole."""
