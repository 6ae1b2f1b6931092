"""The networks that can be built, by name. Only `builders`, `examples` and the modules of the families import torch."""
