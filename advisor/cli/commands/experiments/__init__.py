"""Commands that run experiments in child processes: probes, trials, the benchmark of 2016."""
