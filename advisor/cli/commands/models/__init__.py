"""Commands on published networks."""
