"""Kinds of claims about the project as a whole: its packages, services, programs, counts, rules and CI."""
