"""Documents of sources: fetched politely, unpacked, and read, with a sentence for each fault."""
