"""``gitmem view`` and ``gitmem save``: memories as files, and back."""
