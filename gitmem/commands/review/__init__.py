"""Explain a change of the memory branch to a person: reads git objects only, and runs nothing."""
