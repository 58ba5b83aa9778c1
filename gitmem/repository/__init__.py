"""An opened repository and its stores."""

from gitmem.repository.open_repository import OpenRepository

__all__ = ["OpenRepository"]
