"""Run the checks of facts: find which are due, decide which may run, and run them in a ground and a sandbox."""
