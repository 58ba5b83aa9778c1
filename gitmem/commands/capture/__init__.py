"""``gitmem capture``: learnings from commits and other sources."""
