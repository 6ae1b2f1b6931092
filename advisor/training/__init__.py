"""Trial training: recipes, objectives, the loop, and the ladder of `advisor try`. Importing the package imports no torch."""
