"""Manage agent sessions: the topic being worked on, and what agents were shown. Without a verb, gitmem session status.

A topic has a specification, a worklog of commands and edits, and evidence, for this work tree and branch. On your own
branch it is called current until you name it; on shared branches such as main, each session has its own topic.
"""

from __future__ import annotations

from gitmem.cli.session.status import add_arguments, run

EXAMPLES = ("gitmem session",)

__all__ = ["EXAMPLES", "add_arguments", "run"]
