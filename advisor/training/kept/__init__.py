"""A model that is kept: its card, the files it is stored in, and the processes that write and apply them."""
