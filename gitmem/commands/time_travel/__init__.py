"""Time travel: the known facts and their truth at one code commit, by ancestry rather than by clock."""
