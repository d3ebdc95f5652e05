"""Changes of collections, told as they come: what has changed, who listens, how it is said."""
