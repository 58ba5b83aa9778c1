"""A summary by a model, where this clone's settings name one: a program, or an endpoint of OpenAI's protocol.

Only settings of this clone and the environment name them, never the policy, which comes with the memory branch from
other people. What is sent has no secrets that gitmem knows; what comes back is cut, cleaned and checked like any text.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.config import Config
    from gitmem.transcripts.turns import Turn


def better(config: Config, turns: Sequence[Turn], plain: str, *, folder: str) -> str:
    """Return a better summary; empty where none is set up."""
    return ""
