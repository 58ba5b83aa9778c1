"""Benchmarks: a generator of realistic stores, a harness for whole processes, and the table of goals."""
