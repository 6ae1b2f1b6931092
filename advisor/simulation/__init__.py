"""The same strategies in virtual time: what a cluster would do that nobody has at hand."""
