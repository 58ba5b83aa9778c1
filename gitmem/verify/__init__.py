"""Run the checks of facts: which are due, who may run them, and the ground and sandbox they run in."""
