"""The families of networks, one folder each: its declaration, its module of torch, and how both are joined."""
