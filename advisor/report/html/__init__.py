"""Reports as one HTML file that needs no network: plans, machines, comparisons and trials, with figures."""
