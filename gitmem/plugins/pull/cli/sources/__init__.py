"""Manage sources of knowledge from elsewhere. Without a verb, list them (gitmem sources list).

A source is a repository on GitHub, a Jira site, the code or the documents of this repository, or a folder of documents.
gitmem pull brings it in, onto a ref of its own in this clone; recall --source NAME searches it.
"""

from gitmem.plugins.pull.cli.sources.list import add_arguments, run

EXAMPLES = ("gitmem sources",)

__all__ = ["EXAMPLES", "add_arguments", "run"]
