"""ResNet-50, for the benchmark of 2016."""
