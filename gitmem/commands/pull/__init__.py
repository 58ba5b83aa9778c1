"""``gitmem pull``: pull knowledge from other systems, each source onto its own ref, ``refs/gitmem/sources/<name>``."""
