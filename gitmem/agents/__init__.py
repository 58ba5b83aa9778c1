"""Harnesses of coding agents: what each tells a hook becomes one event, and what is answered is put as it wants it."""
