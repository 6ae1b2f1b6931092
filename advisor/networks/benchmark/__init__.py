"""The six networks that Shi et al. timed in 2016, so that a machine of today can be seen beside their table."""
