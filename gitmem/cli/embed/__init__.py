"""Vectors of memories, for finding them by meaning. Alone, how they stand (gitmem embed status).

Nothing is embedded until a model is set up: git config --global gitmem.embed model2vec:potion-base-8M. From then on
recall finds by words and by meaning, and embeds what is new; docs/embeddings.md names the models. The repository's own
configuration can name one, too, once you accept it: gitmem trust --settings.
"""

from __future__ import annotations

from gitmem.cli.embed.status import add_arguments, run

EXAMPLES = ("gitmem embed", "gitmem embed --json")

__all__ = ["EXAMPLES", "add_arguments", "run"]
