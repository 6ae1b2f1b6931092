"""Everything that `gpu.py` needs to use the minutes for which a machine with a graphics card can be had."""
