"""``gitmem purge``: remove a memory or a text from the history and from everything made from it."""
