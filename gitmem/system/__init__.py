"""The machine: processes and their limits, locks, files written whole, HTTP."""
