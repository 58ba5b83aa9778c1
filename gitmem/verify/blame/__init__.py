"""Find the commit that made a fact false."""
