"""``gitmem doctor``: find and repair problems of a store and its environment."""
