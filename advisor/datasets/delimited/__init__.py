"""The dialect of text tables: separators, quotes, header, records."""
