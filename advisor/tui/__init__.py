"""The wizard on a whole screen (Textual): one more face of the headless conversation."""
