"""Predictions as a table: their formats, their columns, and the columns of the data that tell the rows apart."""
