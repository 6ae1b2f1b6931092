"""The wizard's command and its plain, line-by-line face."""
