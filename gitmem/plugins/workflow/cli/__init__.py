"""The commands ``pre-work``, ``post-work``, ``decide`` and ``decisions``."""
