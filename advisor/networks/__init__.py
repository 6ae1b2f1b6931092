"""The networks that can be built, by name. What declares, counts and checks them imports no torch."""
