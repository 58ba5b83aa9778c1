"""Curation: what a store's owner is told about its memories as a whole, and what can be put right at once."""
