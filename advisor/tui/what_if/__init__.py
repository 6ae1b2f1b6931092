"""The screen of changed answers."""
