"""Windows that answer one question or explain what lies beneath them, and close again."""
