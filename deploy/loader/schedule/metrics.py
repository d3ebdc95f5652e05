"""Metrics of watched sources, in Prometheus's text format."""

from prometheus_client import Counter, Gauge

LOADS = Counter("dams_loader_loads_total", "Loads by source and how they ended", ["source", "outcome"])
ROWS = Counter("dams_loader_rows_total", "Rows that were changed", ["source"])
REJECTED = Counter("dams_loader_rejected_records_total", "Records that were rejected", ["source"])
LAST_READ = Gauge("dams_loader_last_read_records", "Records in the last document that was loaded", ["source"])
LAST_REJECTED = Gauge("dams_loader_last_rejected_records", "Of these, the records that were rejected", ["source"])
WITHHELD = Gauge(
    "dams_loader_withheld_withdrawals",
    "Rows that the last document does not name, too many to be withdrawn before a later one does not name them either",
    ["source"],
)
LEADING = Gauge("dams_loader_leading", "1 where this process loads the source, 0 where another does", ["source"])
CHECKED = Gauge("dams_loader_checked_timestamp_seconds", "When a load of the source last went well", ["source"])
CHANGED = Gauge("dams_loader_changed_timestamp_seconds", "When a load of the source last changed a row", ["source"])
ISSUED = Gauge("dams_loader_issued_timestamp_seconds", "When the source issued its newest document", ["source"])
DELAY = Gauge(
    "dams_loader_delay_seconds", "From the issue of the newest document to the last change of a row by it", ["source"]
)
RHYTHM = Gauge("dams_loader_rhythm_seconds", "How often the source is asked", ["source"])
"""A source is silent if it was not checked for many times its rhythm: see the alarm in README.md."""
