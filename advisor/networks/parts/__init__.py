"""Parts that families of networks share: layers, sizes, losses, and the counting of all these."""
