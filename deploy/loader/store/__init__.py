"""Writing what sources give: whole batches, only what differs, and what is known of each load."""
