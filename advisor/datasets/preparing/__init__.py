"""Examples as numbers: preparation fitted on training rows, tokens, scaling, splits."""
