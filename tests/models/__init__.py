"""Networks as values: counts on a tape of shapes against what libraries build."""
