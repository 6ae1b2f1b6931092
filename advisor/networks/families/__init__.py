"""The families of networks, one folder each: its declaration, its module of torch, and the templates of projects with it."""
