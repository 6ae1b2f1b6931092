"""AlexNet, for the benchmark of 2016."""
