"""Boards: notes that the workers of one run share while it lasts, as typed entries on a ref of the run's own."""
