"""The glossary screen."""
