"""Documents of sources: fetched politely, unpacked, and read with a sentence for all that is wrong with them."""
