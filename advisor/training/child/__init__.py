"""The child process of trials: folds, fits, scores."""
