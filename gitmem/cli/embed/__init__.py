"""Manage vectors, which find memories by meaning. Without a verb, show their state (gitmem embed status).

Nothing is embedded until a model is installed (the extra `meaning`) or set up (gitmem embed setup). After that, recall
searches by words and by meaning, and embeds new memories; docs/embeddings.md lists the models. A model that the
repository's own configuration names is used once you accept it: gitmem trust --settings.
"""

from __future__ import annotations

from gitmem.cli.embed.status import add_arguments, run

EXAMPLES = ("gitmem embed",)

__all__ = ["EXAMPLES", "add_arguments", "run"]
