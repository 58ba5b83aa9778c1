"""Run the command line as ``python -m gitmem``."""

from gitmem.cli import script

if __name__ == "__main__":
    script()
