"""Doors to git: what can be read by hand, and the git binary for everything else."""
