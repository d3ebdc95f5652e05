"""Write the batches of sources: whole batches, only changes, and a record of each load."""
