"""Files of rows, written by a process of its own: heavy libraries stay out of the service, its memory is given back.

`python -m services.features.writers` reads a `Job` and rows, each pickled, from its standard input.
"""
