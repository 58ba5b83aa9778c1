"""The commands ``pull`` and ``sources``."""
