"""The view: a work tree of the memory branch, for people and their editors."""
