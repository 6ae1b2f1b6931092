"""From a plan to something people read or carry away: terminal text, Markdown, JSON."""
