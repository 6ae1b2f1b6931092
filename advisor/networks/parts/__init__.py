"""Parts that families of networks share: layers, sizes, activations, losses, and the counting of all these."""
