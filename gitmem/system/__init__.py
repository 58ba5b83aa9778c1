"""The machine: processes and their limits, locks, atomic writes, HTTP."""
