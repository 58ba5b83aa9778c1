"""Rank memories against a query."""
