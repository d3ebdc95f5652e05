"""Write files of rows in a separate process: heavy libraries stay out of the service, and their memory is freed.

`python -m services.features.writers` reads a `Job` and rows, each pickled, from its standard input.
"""
