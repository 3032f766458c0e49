"""Skills: what they are, where they come from, and which files do not load."""
