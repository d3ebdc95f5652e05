"""Whole collections, or parts of them, as files: made once, followed by whoever reads them, kept for a while."""
