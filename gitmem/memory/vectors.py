"""The commands about vectors: the part of ``Memory`` that embeds its memories."""

from __future__ import annotations

from gitmem.memory.explain import Explained

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Embeds(Explained):
    """An opened store with the commands about vectors."""

    def embed_status(self) -> dict[str, Any]:
        """Return which model embeds, whether it answers, and what has vectors.

        Raises:
            ConfigError, EmbeddingError: What the settings name cannot be used here.
        """
        if not self.config.embeds:
            from gitmem.index.vectors.folders import list_others

            unused = len(list_others(self.vectors_folder, ()))
            return {"configured": False, "models": [], "stores": [], "unused": unused}
        from gitmem.index.embed.choose import need_numpy

        need_numpy(self.config.embed)
        from gitmem.commands.embed import status

        return status(self)

    def embed_rebuild(self, *, everything: bool = False, download: bool = False) -> dict[str, Any]:
        """Embed what has no vectors, or everything again, and forget what is of no use.

        Raises:
            ConfigError, EmbeddingError: No provider is set up, or it cannot be used here.
        """
        from gitmem.index.embed.choose import need_numpy

        need_numpy(self.config.embed)
        from gitmem.commands.embed import rebuild

        return rebuild(self, everything=everything, download=download, told=self._told("embedding memories"))

    def embed_missing(self) -> None:
        """Embed what has no vectors, behind a command."""
        if self.config.embeds:
            from gitmem.index.embed.choose import need_numpy

            need_numpy(self.config.embed)
            from gitmem.commands.embed import embed_missing

            embed_missing(self)
