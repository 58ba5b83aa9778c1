"""``gitmem doctor``: what is wrong with a store and with what surrounds it, and its repair."""
