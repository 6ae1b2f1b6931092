"""From facts to a plan: which recommendations follow, how sure they are, why, and what would change them."""
