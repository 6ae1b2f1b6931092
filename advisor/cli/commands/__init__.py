"""Commands of `advisor`, one a file, each imported when it is called."""
