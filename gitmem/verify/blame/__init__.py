"""Which commit made a fact false."""
