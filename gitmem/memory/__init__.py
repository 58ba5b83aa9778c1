"""``Memory``: the Python API, one object whose methods are the commands."""
