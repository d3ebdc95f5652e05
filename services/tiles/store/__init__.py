"""Where tiles come from: the cache, else rendering; under which keys, and which are cached."""
