"""From a dataset and its results to cards and the report page."""
