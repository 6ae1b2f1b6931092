"""The conversation without a screen: what to ask next and why, back and change, save and resume."""
