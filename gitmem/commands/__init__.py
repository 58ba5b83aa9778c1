"""The commands: one module or folder per command, with its name."""
