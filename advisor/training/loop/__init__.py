"""Training of one network: recipe to trained weights."""
