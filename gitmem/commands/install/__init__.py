"""Installing gitmem where other programs call it: git's hooks."""
