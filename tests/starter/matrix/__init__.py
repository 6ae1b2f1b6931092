"""Every kind of project from its requirements to its predictions, stopped at each instant of saving."""
