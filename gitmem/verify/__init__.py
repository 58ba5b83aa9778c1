"""Running the checks of facts: the ground they see, the sandbox they run in, what is due and who may run it."""
