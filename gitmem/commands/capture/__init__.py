"""``gitmem capture``: what commits and other sources teach."""
