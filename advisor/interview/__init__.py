"""The headless conversation: what to ask next, why, back and change, save and resume. Screens are its faces."""
