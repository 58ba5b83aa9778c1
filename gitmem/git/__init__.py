"""The git binary, libgit2, remotes."""

from gitmem.git.git import Git

__all__ = ["Git"]
