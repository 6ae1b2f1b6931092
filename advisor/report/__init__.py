"""Reports to read or carry away: plans, measurements, trials and machines as terminal text, Markdown, JSON and HTML."""
