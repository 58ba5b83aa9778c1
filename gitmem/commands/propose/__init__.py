"""Propose a change of memory as a pull request: a branch that descends from the memory branch, pushed, with a link."""
