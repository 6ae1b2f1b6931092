"""A cluster measured by all its processes at once: exchanges, each rank's step, slow ranks and slow links; its profile."""
