"""``gitmem pull``: pull knowledge from elsewhere, each source onto a ref of its own, ``refs/gitmem/sources/<name>``."""
