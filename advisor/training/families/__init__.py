"""Training that a family of networks needs beyond one loss: layer by layer, or over the nodes of one graph."""
