"""The local state of a clone, in ``.git/gitmem``: its registration, its locks and background jobs, what waits there."""
