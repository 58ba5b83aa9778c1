"""Curation: find problems of a store as a whole, and fix them."""
