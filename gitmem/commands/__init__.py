"""The commands: a module or folder for each thing a person types, named like it."""
