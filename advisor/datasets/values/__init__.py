"""Single values and names: texts as numbers, dates, words and classes."""
